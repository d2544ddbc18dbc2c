"""The window of a model is kept, and told to a server that has a small one of its own."""

import json
from typing import Any

import pytest

from penwright.adapters.clock import SystemClock
from penwright.adapters.models.ledgered import LedgeredModel
from penwright.adapters.models.litellm_client import loaded_litellm
from penwright.adapters.models.litellm_provider import LitellmProvider
from penwright.adapters.models.window import window_arguments, window_of
from penwright.domain.text.fences import BOOK
from penwright.errors import ModelFinal
from schemas.model_catalog import ModelEntry
from tests.support.agents.scripted_model import model_request
from tests.support.doubles.store import memory_store
from tests.support.each import for_each
from tests.support.engine.provider_server import Behaviour, ProviderServer

pytestmark = [
    pytest.mark.xdist_group("litellm"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]
OF_OLLAMA = {
    "model": "qwen3",
    "message": {"role": "assistant", "content": "The lamp went out."},
    "done": True,
}


def entry(model: str, **fields: Any) -> ModelEntry:  # any of the entry's
    return ModelEntry(name="quill", provider="litellm", model=model, local=True, **fields)


def ledgered(provider: LitellmProvider) -> LedgeredModel:
    return LedgeredModel(provider, memory_store(clock=SystemClock()).ledger, with_room=provider.with_room)


@for_each(
    "fields, sent",
    [
        ({"context_tokens": 16_384}, 16_384),
        ({}, None),
        ({"context_tokens": 16_384, "extra": {"num_ctx": 4_096}}, 4_096),
    ],
)
async def test_ollama_is_told_its_window(
    server: ProviderServer, fields: dict[str, Any], sent: int | None
) -> None:
    server.behave(Behaviour(body=json.dumps(OF_OLLAMA).encode()))
    there = entry("ollama_chat/qwen3", api_base=server.address.removesuffix("/v1"), **fields)

    await LitellmProvider(there, "").ask(model_request("Go on."))

    # litellm asks Ollama for what it knows of a model, too.
    *_, asked = (each for each in server.requests if "messages" in each)
    assert asked["options"].get("num_ctx") == sent


@for_each(
    "model, fields, window, arguments",
    [
        ("ollama/llama3", {}, 8_192, {"num_ctx": 8_192}),
        ("openai/own", {"api_base": "http://127.0.0.1:1/v1", "context_tokens": 8_192}, 8_192, {}),
        ("openai/gpt-4o", {}, 128_000, {}),
        ("openai/gpt-4o", {"context_tokens": 32_000}, 32_000, {}),
        ("azure/our-deployment", {}, None, {}),
    ],
)
def test_the_window_is_the_settings_or_as_listed_and_only_ollama_is_told(
    model: str, fields: dict[str, Any], window: int | None, arguments: dict[str, int]
) -> None:
    litellm, there = loaded_litellm(), entry(model, **fields)

    assert window_of(litellm, there) == window
    assert window_arguments(litellm, there) == arguments


async def test_a_prompt_that_is_larger_than_the_window_is_not_sent(server: ProviderServer) -> None:
    model = ledgered(LitellmProvider(entry("openai/own", api_base=server.address, context_tokens=512), ""))

    with pytest.raises(ModelFinal) as caught:
        await model.complete(model_request("word " * 3_000))

    assert caught.value.code == "prompt-past-window"
    assert server.requests == []


async def test_an_answer_tells_what_its_prompt_had_no_room_for_also_when_it_is_repeated(
    server: ProviderServer,
) -> None:
    model = ledgered(LitellmProvider(entry("openai/own", api_base=server.address, context_tokens=4_096), ""))
    lore = "\n\n".join(["The tide took what was left."] * 2_000)

    answers = [
        await model.complete(model_request(BOOK.fenced("material", "Lore.md", lore))) for _ in range(2)
    ]

    assert len(server.requests) == 1
    assert len(server.requests[0]["messages"][0]["content"]) < 4 * 4_096
    assert [each.cut[0].name for each in answers] == ["Lore.md"] * 2
