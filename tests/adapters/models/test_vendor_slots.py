"""A vendor that hangs holds up its own calls only; what waits for it takes no budget."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import pytest

from penwright.adapters.clock import SystemClock
from penwright.adapters.models.ledgered import LedgeredModel
from penwright.adapters.models.router import VendorSlots, vendor_of
from penwright.adapters.models.scripted import Script, ScriptedAnswer, ScriptedProvider
from penwright.errors import ModelUnavailable
from penwright.ports.models import ModelLedger
from schemas.model_catalog import ModelEntry
from tests.support.agents.scripted_model import model_request
from tests.support.doubles.store import memory_store
from tests.support.each import for_each


def entry(model: str = "", api_base: str = "") -> ModelEntry:
    return ModelEntry(name="m", provider="litellm", model=model, api_base=api_base)


@for_each(
    "given, vendor",
    [
        (entry("anthropic/claude"), "anthropic"),
        (entry("openrouter/anthropic/claude"), "openrouter"),
        (entry("gpt-5"), "openai"),
        (entry("openai/qwen", "http://127.0.0.1:8080/v1"), "127.0.0.1:8080"),
        (entry("openai/qwen", "https://me:secret@models.example.org/v1"), "models.example.org"),
        (ModelEntry(name="d", provider="demo", model="demo"), "demo"),
    ],
)
def test_a_vendor_is_the_server_that_answers(given: ModelEntry, vendor: str) -> None:
    assert vendor_of(given) == vendor


HUNG, HEALTHY = entry("slow/one"), entry("quick/one")


class Calls:
    """Two models of two vendors with one slot each; the first never answers."""

    def __init__(self, patience_s: float = 60) -> None:
        self.ledger: ModelLedger = memory_store(clock=SystemClock()).ledger
        self.silent = ScriptedProvider(Script(answers=[ScriptedAnswer(fault="hang", times=99)]))
        speaking = ScriptedProvider(Script(answers=[ScriptedAnswer(text="Here.", times=99)]))
        slots = VendorSlots(1, patience_s=patience_s)
        self.hung = LedgeredModel(self.silent, self.ledger, slot=partial(slots.of, HUNG))
        self.healthy = LedgeredModel(speaking, self.ledger, slot=partial(slots.of, HEALTHY))


async def ended(*calls: "asyncio.Task[object]") -> None:
    for call in calls:
        call.cancel()
    await asyncio.wait(calls)


async def test_a_vendor_answers_while_all_slots_of_another_hang() -> None:
    calls = Calls()
    hanging = [
        asyncio.create_task(calls.hung.complete(model_request(op_id=f"hung-{n}", timeout_s=60)))
        for n in range(3)
    ]

    answer = await asyncio.wait_for(calls.healthy.complete(model_request(op_id="well")), 10)
    await ended(*hanging)

    assert answer.text == "Here."
    assert len(calls.silent.attempts) == 1


async def test_a_slot_is_free_again_after_a_call_was_cancelled() -> None:
    calls = Calls()
    first = asyncio.create_task(calls.hung.complete(model_request(op_id="one", timeout_s=60)))
    second = asyncio.create_task(calls.hung.complete(model_request(op_id="two", timeout_s=60)))
    async with asyncio.timeout(10):
        while len(calls.silent.attempts) < 1:  # noqa: ASYNC110
            await asyncio.sleep(0)
        await ended(first)
        while len(calls.silent.attempts) < 2:  # noqa: ASYNC110
            await asyncio.sleep(0)
    await ended(second)


async def test_only_a_call_that_finds_no_slot_free_is_said_to_wait() -> None:
    said: list[str] = []

    @contextmanager
    def waiting() -> Iterator[None]:
        said.append("waits")
        yield
        said.append("has a slot")

    slots = VendorSlots(1, waiting=waiting)

    async def call() -> None:
        async with slots.of(HUNG):
            pass

    async with slots.of(HEALTHY), slots.of(HUNG):
        late = asyncio.create_task(call())
        while not said:  # noqa: ASYNC110
            await asyncio.sleep(0)
    await late

    assert said == ["waits", "has a slot"]


async def test_a_call_that_waited_too_long_says_so_and_has_reserved_nothing() -> None:
    calls, waits = Calls(patience_s=0.01), model_request(op_id="waits")
    hanging = asyncio.create_task(calls.hung.complete(model_request(op_id="hung", timeout_s=60)))
    async with asyncio.timeout(10):
        while not calls.silent.attempts:  # noqa: ASYNC110
            await asyncio.sleep(0)
    reserved = calls.ledger.spending(waits.scope, day=SystemClock().now())

    with pytest.raises(ModelUnavailable, match=r"slow has as many calls.*model_activities") as caught:
        await calls.hung.complete(waits)

    assert caught.value.code == "model-busy"
    assert calls.ledger.spending(waits.scope, day=SystemClock().now()) == reserved
    await ended(hanging)
