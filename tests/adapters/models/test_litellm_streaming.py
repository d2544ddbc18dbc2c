"""litellm against a local server that streams: pieces while they come, and the same answer in the end."""

import asyncio
import time
from dataclasses import replace
from typing import Any

import pytest

from penwright.adapters.clock import SystemClock
from penwright.adapters.models.ledgered import LedgeredModel
from penwright.domain.models.structured_output import runs_on
from penwright.errors import ModelUnavailable
from schemas.model import ModelRequest
from tests.adapters.models.test_litellm_provider import provider
from tests.support.agents.scripted_model import model_request
from tests.support.doubles.store import memory_store
from tests.support.engine.provider_server import FULL_USAGE, Behaviour, ProviderServer, error

pytestmark = [
    pytest.mark.xdist_group("litellm"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]
TEXT = "The lamp went out. “Who is there?” asked Ann — nobody, it seemed; [nobody] at all."


def streamed(**fields: Any) -> ModelRequest:
    return model_request("Go on.", stream_to="quay/4/ann", **fields)


async def test_the_pieces_together_are_the_answer_and_its_usage_is_told(server: ProviderServer) -> None:
    server.behave(Behaviour(text=TEXT))
    pieces: list[str] = []

    response = await provider(server).ask(streamed(), pieces.append)

    assert len(pieces) > 5
    assert "".join(pieces) == response.text == TEXT
    assert (response.usage.input_tokens, response.usage.output_tokens) == (11, 7)
    assert (response.finish_reason, response.usage.cost_micros) == ("stop", 0)
    assert server.requests[0]["stream"] is True


async def test_without_a_listener_nothing_is_streamed(server: ProviderServer) -> None:
    server.behave(Behaviour(text=TEXT))

    assert (await provider(server).ask(streamed())).text == TEXT
    assert "stream" not in server.requests[0] or not server.requests[0]["stream"]


async def test_a_model_that_is_set_not_to_stream_answers_at_once(server: ProviderServer) -> None:
    server.behave(Behaviour(text=TEXT))
    pieces: list[str] = []

    response = await provider(server, streams=False).ask(streamed(), pieces.append)

    assert (response.text, pieces) == (TEXT, [])


async def test_the_cost_that_a_vendor_tells_at_the_end_of_a_stream_counts(server: ProviderServer) -> None:
    server.behave(Behaviour(text=TEXT, usage=FULL_USAGE | {"cost": 0.00012}))
    pieces: list[str] = []

    response = await provider(server, model="openrouter/vendor/tiny", local=False).ask(
        streamed(), pieces.append
    )

    assert "".join(pieces) == response.text == TEXT
    assert response.usage.cost_micros == 120


async def test_a_reply_that_reached_its_longest_says_so(server: ProviderServer) -> None:
    server.behave(Behaviour(text=TEXT, finish="length"))

    assert (await provider(server).ask(streamed(), lambda piece: None)).finish_reason == "length"


RUNS_ON = '{"actors": [' + '{"name": "Ann", "guidance": "Go on.", "order": null}, ' * 400
STOPS = {
    "a plan": '{"acting": [' + ", ".join(f'{{"name": "A{n}", "guidance": ""}}' for n in range(300)) + "]}",
    "zeros": '{"scores": [' + "0, " * 200 + "0]}",
}


async def test_a_structured_reply_that_repeats_itself_is_cut_off(server: ProviderServer) -> None:
    server.behave(Behaviour(text=RUNS_ON), Behaviour(text=RUNS_ON))
    asked = model_request("Plan.", output_schema={"type": "object"}, schema_name="plan")

    cut = await provider(server).ask(asked, lambda piece: None)
    whole = await provider(server).ask(streamed(), lambda piece: None)

    assert cut.finish_reason == "length"
    assert RUNS_ON.startswith(cut.text)
    assert len(cut.text) < 2_000
    assert (whole.finish_reason, whole.text) == ("stop", RUNS_ON)


def test_an_answer_with_many_like_items_does_not_run_on() -> None:
    for text in STOPS.values():
        assert not any(runs_on(text[:end]) for end in range(0, len(text), 50))
    assert runs_on('{"scores": ' + "\n  " * 100)


async def test_usage_that_is_not_told_is_estimated(server: ProviderServer) -> None:
    server.behave(Behaviour(text=TEXT, usage=None))

    response = await provider(server).ask(streamed(), lambda piece: None)

    assert response.usage.input_tokens > 0
    assert response.usage.output_tokens > 5


FAULTS = {
    "cut": Behaviour(text=TEXT, cut=True),
    "silent-end": Behaviour(text=TEXT, silent_end=True),
    "error-event": Behaviour(text=TEXT, stream_error="upstream is gone"),
}


@pytest.mark.parametrize("model", ["openai/tiny", "openrouter/vendor/tiny"])
@pytest.mark.parametrize("fault", FAULTS)
async def test_a_reply_that_stops_in_the_middle_is_no_answer(
    server: ProviderServer, fault: str, model: str
) -> None:
    server.behave(FAULTS[fault])
    pieces: list[str] = []

    with pytest.raises(ModelUnavailable) as caught:
        await provider(server, model=model).ask(streamed(), pieces.append)

    assert caught.value.code == "model-unavailable"
    assert TEXT.startswith("".join(pieces))
    assert len(server.requests) == 1


async def test_a_stream_that_stalls_ends_with_the_requests_time(server: ProviderServer) -> None:
    server.behave(Behaviour(text=TEXT, stall=True))
    pieces: list[str] = []
    begun = time.monotonic()

    with pytest.raises(ModelUnavailable) as caught:
        await provider(server).ask(streamed(timeout_s=2), pieces.append)

    assert caught.value.code == "model-timeout"
    assert pieces
    assert time.monotonic() - begun < 10


async def test_an_error_before_the_stream_is_named_as_ever(server: ProviderServer) -> None:
    server.behave(error(429, "slow down", Retry_After="7"))

    with pytest.raises(ModelUnavailable) as caught:
        await provider(server).ask(streamed(), lambda piece: None)

    assert caught.value.code == "model-rate-limited"
    assert caught.value.retry_after_s == 7


async def test_a_cancelled_call_ends_in_the_middle_of_its_reply(server: ProviderServer) -> None:
    server.behave(Behaviour(text=TEXT, stall=True))
    heard = asyncio.Event()
    asking = asyncio.create_task(provider(server).ask(streamed(), lambda piece: heard.set()))
    await asyncio.wait_for(heard.wait(), 20)

    asking.cancel()

    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(asking, 2)


SLOW = Behaviour(text=TEXT, pause_s=0.1)


async def test_a_slow_model_at_home_is_waited_for_while_its_words_come(server: ProviderServer) -> None:
    server.behave(SLOW)
    came: list[int] = []
    slow = LedgeredModel(
        (asked := provider(server)),
        memory_store(clock=SystemClock()).ledger,
        entry=asked._entry,
        arriving=came.append,
    )

    answer = await slow.ask(model_request("Go on.", timeout_s=0.6))

    assert answer.text == TEXT
    assert came[0] == 1 < came[-1] <= len(TEXT.split())


async def test_one_that_falls_silent_is_not(server: ProviderServer) -> None:
    server.behave(replace(SLOW, stall=True))

    with pytest.raises(ModelUnavailable) as caught:
        await provider(server).ask(model_request("Go on.", timeout_s=0.5), lambda piece: None)

    assert caught.value.code == "model-timeout"


async def test_a_vendor_has_the_time_of_the_request_however_its_words_come(server: ProviderServer) -> None:
    server.behave(SLOW)

    with pytest.raises(ModelUnavailable) as caught:
        await provider(server, local=False).ask(streamed(timeout_s=0.6), lambda piece: None)

    assert caught.value.code == "model-timeout"
