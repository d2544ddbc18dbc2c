"""Which arguments of thought, length and temperature go on the wire, for 27 models by name."""

from typing import Any

import pytest

from penwright.adapters.models.litellm_client import loaded_litellm
from penwright.adapters.models.litellm_provider import LitellmProvider
from schemas.model_catalog import ModelEntry
from tests.support.agents.scripted_model import model_request
from tests.support.each import for_each

pytestmark = [
    pytest.mark.xdist_group("litellm"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]
SAMPLED = ("max_tokens", "temperature", "thinking", "reasoning_effort", "num_ctx")
"""Of the call of litellm, which turns them into those of the vendor."""
WIRE: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    (
        "anthropic/claude-sonnet-4-5",
        {},
        {"max_tokens": 4596, "thinking": {"type": "enabled", "budget_tokens": 1024}},
    ),
    (
        "anthropic/claude-opus-4-5",
        {},
        {"max_tokens": 4596, "thinking": {"type": "enabled", "budget_tokens": 1024}},
    ),
    (
        "anthropic/claude-haiku-4-5",
        {},
        {"max_tokens": 4596, "thinking": {"type": "enabled", "budget_tokens": 1024}},
    ),
    (
        "bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0",
        {},
        {"maxTokens": 4596, "thinking": {"type": "enabled", "budget_tokens": 1024}},
    ),
    (
        "vertex_ai/claude-sonnet-4-5",
        {},
        {"max_tokens": 4596, "thinking": {"type": "enabled", "budget_tokens": 1024}},
    ),
    ("openrouter/anthropic/claude-sonnet-4.5", {}, {"max_tokens": 4596, "reasoning_effort": "low"}),
    ("openrouter/openai/gpt-5", {}, {"temperature": 0.8, "max_tokens": 4596, "reasoning_effort": "low"}),
    (
        "openrouter/deepseek/deepseek-r1",
        {},
        {"temperature": 0.8, "max_tokens": 4596, "reasoning_effort": "low"},
    ),
    (
        "openrouter/google/gemini-2.5-pro",
        {},
        {"temperature": 0.8, "max_tokens": 4596, "reasoning_effort": "low"},
    ),
    ("openai/gpt-5", {}, {"max_completion_tokens": 4596, "reasoning_effort": "low"}),
    ("openai/gpt-5-mini", {}, {"max_completion_tokens": 4596, "reasoning_effort": "low"}),
    ("openai/o3", {}, {"max_completion_tokens": 4596, "reasoning_effort": "low"}),
    ("openai/gpt-4o", {}, {"temperature": 0.8, "max_tokens": 4596}),
    ("openai/gpt-4.1", {}, {"temperature": 0.8, "max_tokens": 4596}),
    (
        "gemini/gemini-2.5-flash",
        {},
        {
            "temperature": 0.8,
            "max_output_tokens": 4596,
            "thinkingConfig": {"thinkingBudget": 1024, "includeThoughts": True},
        },
    ),
    (
        "gemini/gemini-2.5-pro",
        {},
        {
            "temperature": 0.8,
            "max_output_tokens": 4596,
            "thinkingConfig": {"thinkingBudget": 1024, "includeThoughts": True},
        },
    ),
    (
        "deepseek/deepseek-reasoner",
        {},
        {"temperature": 0.8, "max_tokens": 4596, "thinking": {"type": "enabled"}},
    ),
    ("deepseek/deepseek-chat", {}, {"temperature": 0.8, "max_tokens": 4596, "thinking": {"type": "enabled"}}),
    ("mistral/mistral-large-latest", {}, {"temperature": 0.8, "max_tokens": 4596}),
    (
        "mistral/magistral-medium-latest",
        {},
        {"temperature": 0.8, "max_tokens": 4596, "_add_reasoning_prompt": True},
    ),
    ("xai/grok-4", {}, {"temperature": 0.8, "max_tokens": 4596}),
    ("groq/llama-3.3-70b-versatile", {}, {"temperature": 0.8, "max_tokens": 4596}),
    (
        "azure/our-deployment",
        {"api_base": "https://our.openai.azure.com"},
        {"temperature": 0.8, "max_tokens": 4596},
    ),
    (
        "openai/writing-large",
        {"api_base": "https://models.example.org/v1"},
        {"temperature": 0.8, "max_tokens": 4596, "reasoning_effort": "low"},
    ),
    (
        "ollama_chat/qwen3",
        {"context_tokens": 16384, "local": True},
        {"temperature": 0.8, "num_predict": 4596, "think": True, "num_ctx": 16384},
    ),
    (
        "openai/qwen3-8b",
        {"api_base": "http://127.0.0.1:1234/v1", "local": True},
        {"temperature": 0.8, "max_tokens": 4596, "reasoning_effort": "low"},
    ),
    (
        "openai/any",
        {"api_base": "http://127.0.0.1:1234/v1", "local": True, "reasoning": "off"},
        {"temperature": 0.8, "max_tokens": 500, "reasoning_effort": "none"},
    ),
]


@for_each("model, fields, wire", WIRE)
async def test_a_model_is_asked_with_the_arguments_of_its_vendor(
    model: str, fields: dict[str, Any], wire: dict[str, Any]
) -> None:
    litellm = loaded_litellm()
    provider = LitellmProvider(ModelEntry(name="quill", provider="litellm", model=model, **fields), "key")
    wanted = fields.get("reasoning", "low")
    request = await provider.with_room(model_request("Go on.", reasoning=wanted, temperature=0.8))
    asked = {
        name: each for name, each in provider._arguments(litellm, request, None).items() if name in SAMPLED
    }
    bare, vendor, _, _ = litellm.get_llm_provider(model, api_base=fields.get("api_base"))
    sent = litellm.get_optional_params(model=bare, custom_llm_provider=vendor, drop_params=True, **asked)

    assert {name: sent[name] for name in sent if name not in ("stream", "extra_body", "max_retries")} == wire


def test_the_table_has_every_kind_of_vendor() -> None:
    assert len(WIRE) == 27
    assert sum("thinking" in wire for _, _, wire in WIRE) == 7
