"""A model that thinks gets room for it beside its answer, and a second try if that was too little."""

from typing import Any

import pytest

from penwright.adapters.clock import SystemClock
from penwright.adapters.models.ledgered import LedgeredModel
from penwright.adapters.models.litellm_client import loaded_litellm
from penwright.adapters.models.litellm_provider import LitellmProvider
from penwright.adapters.models.thinking import longest_output, thought_arguments, thought_room
from penwright.errors import ModelFinal
from schemas.budgets import Caps
from schemas.model import ForcedTool
from schemas.model_catalog import Effort, ModelEntry
from tests.support.agents.scripted_model import model_request
from tests.support.doubles.store import memory_store
from tests.support.each import for_each
from tests.support.engine.provider_server import FULL_USAGE, Behaviour, ProviderServer

pytestmark = [
    pytest.mark.xdist_group("litellm"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]
ANSWER = "The lamp went out."
LOST = Behaviour(text="", finish="length", usage=FULL_USAGE | {"completion_tokens": 3_700})
HOME = "http://127.0.0.1:1234/v1"


def entry(model: str, **fields: Any) -> ModelEntry:
    """``fields`` are any of the entry's."""
    return ModelEntry(name="quill", provider="litellm", model=model, **fields)


def ledgered(server: ProviderServer, **fields: Any) -> LedgeredModel:
    """A model at ``server``; ``fields`` are any of the entry's."""
    provider = LitellmProvider(entry("openai/own", local=True, api_base=server.address, **fields), "")
    store = memory_store(clock=SystemClock(), caps=Caps())
    return LedgeredModel(provider, store.ledger, with_room=provider.with_room)


@for_each(
    "model, reasoning, room, sent",
    [
        ("anthropic/claude-sonnet-4-5", None, 8_192, {}),
        ("anthropic/claude-sonnet-4-5", "low", 4_096, {"reasoning_effort": "low"}),
        ("anthropic/claude-sonnet-4-5", 99, 99, {"thinking": {"type": "enabled", "budget_tokens": 99}}),
        ("bedrock/anthropic.claude-sonnet-4-5-20250929-v1:0", "high", 24_576, {"reasoning_effort": "high"}),
        ("openrouter/anthropic/claude-sonnet-4.5", None, 8_192, {}),
        ("openai/gpt-5-mini", None, 8_192, {}),
        ("openai/gpt-5-mini", "off", 0, {"reasoning_effort": "none"}),
        ("openai/o3", 6_000, 6_000, {"reasoning_effort": "medium"}),
        ("openai/gpt-4o", None, 0, {}),
        ("gemini/gemini-2.5-flash", "medium", 8_192, {"reasoning_effort": "medium"}),
        ("deepseek/deepseek-reasoner", None, 8_192, {}),
        ("ollama_chat/some-model", None, 3_000, {}),
        ("ollama_chat/some-model", "off", 0, {"reasoning_effort": "none"}),
        ("azure/our-deployment", None, 3_000, {}),
        ("azure/our-deployment", "low", 4_096, {}),
    ],
)
def test_the_room_and_the_arguments_of_a_model_by_name(
    model: str, reasoning: Effort | int | None, room: int, sent: dict[str, Any]
) -> None:
    litellm, request = loaded_litellm(), model_request("Go on.", reasoning=reasoning)

    assert thought_room(litellm, entry(model), reasoning) == room
    assert thought_arguments(litellm, entry(model), request) == sent


def test_a_forced_tool_goes_without_the_thought_that_claude_refuses_beside_it() -> None:
    request = model_request("Go on.", reasoning="high", tool_choice=ForcedTool(name="answer"))

    assert thought_arguments(loaded_litellm(), entry("anthropic/claude-sonnet-4-5"), request) == {}


@for_each(
    "fields, limit",
    [
        ({"model": "openai/gpt-4o"}, 16_384),
        ({"model": "openai/own", "api_base": HOME}, 24_700),
        ({"model": "openai/own", "api_base": HOME, "max_output_tokens": 4_000}, 4_000),
        ({"model": "openai/own", "api_base": HOME, "context_tokens": 2_000}, 1_992),
        ({"model": "openai/own", "api_base": HOME, "context_tokens": 512}, 700),
    ],
)
def test_no_more_is_asked_for_than_the_model_can_give(fields: dict[str, Any], limit: int) -> None:
    request = model_request("Go on.", max_output_tokens=700, thought_tokens=24_000)

    assert longest_output(loaded_litellm(), entry(**fields), request) == limit


async def test_an_unknown_model_may_think_on_top_of_its_answer(server: ProviderServer) -> None:
    await ledgered(server).complete(model_request("Go on.", max_output_tokens=700))

    assert server.requests[0]["max_tokens"] == 3_700


async def test_a_model_lost_in_thought_is_asked_once_more_with_four_times_the_room(
    server: ProviderServer,
) -> None:
    server.behave(LOST, Behaviour(text=ANSWER))
    model, request = ledgered(server), model_request("Go on.", max_output_tokens=700)

    answers = [await model.complete(request) for _ in range(2)]

    assert [answer.text for answer in answers] == [ANSWER] * 2
    assert [sent["max_tokens"] for sent in server.requests] == [3_700, 12_700]
    assert answers[0].usage.output_tokens == 3_707


@for_each("lost", [LOST, Behaviour(text="<think>A lamp, then. Where", finish="length", usage=None)])
async def test_a_model_that_only_thinks_is_named_with_its_setting_and_both_figures(
    server: ProviderServer, lost: Behaviour
) -> None:
    server.requests.clear()
    server.behave(lost)

    with pytest.raises(ModelFinal) as failure:
        await ledgered(server).complete(model_request("Go on.", max_output_tokens=700, reasoning=5_000))

    assert failure.value.code == "thought-past-limit"
    for part in ("'quill'", "answer of 700", "room for 20000", "`reasoning = 5000`"):
        assert part in failure.value.message
    assert len(server.requests) == 2


async def test_an_answer_cut_at_its_own_length_is_no_lost_thought(server: ProviderServer) -> None:
    server.behave(Behaviour(text="The lamp " * 300, finish="length", usage=None))

    answer = await ledgered(server).complete(model_request("Go on.", max_output_tokens=700))

    assert answer.finish_reason == "length"
    assert len(server.requests) == 1
