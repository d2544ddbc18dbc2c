"""Every answer is paid once and stored before it is checked; a call without an answer owes nothing."""

import asyncio
from typing import Any

import pytest

from penwright.adapters.clock import SystemClock
from penwright.adapters.models.ledgered import LedgeredModel
from penwright.adapters.models.provider import Hear
from penwright.adapters.models.scripted import Script, ScriptedAnswer, ScriptedCall, ScriptedProvider
from penwright.errors import BudgetSpent, ModelFinal, ModelMistake, ModelUnavailable, PenwrightError
from penwright.ports.models import ModelLedger
from schemas.agent import ToolOffer
from schemas.budgets import Cap, Caps
from schemas.model import ModelRequest, ModelResponse
from schemas.model_catalog import ModelEntry
from schemas.records import Spending
from tests.support.agents.scripted_model import model_request
from tests.support.doubles.store import memory_store


def ledger(run: Cap | None = None) -> ModelLedger:
    return memory_store(clock=SystemClock(), caps=Caps(run=run or Cap())).ledger


def scripted(*answers: ScriptedAnswer) -> ScriptedProvider:
    return ScriptedProvider(Script(answers=answers))


def spent(book: ModelLedger, request: ModelRequest) -> Spending:
    return book.spending(request.scope, day=SystemClock().now())["run"]


async def test_a_repeated_call_is_answered_from_the_store() -> None:
    provider = scripted(ScriptedAnswer(text="The lamp went out."))
    model = LedgeredModel(provider, ledger())

    first = await model.complete(model_request())
    again = await model.complete(model_request())

    assert (first.text, first.repeated) == ("The lamp went out.", False)
    assert (again.text, again.repeated) == ("The lamp went out.", True)
    assert len(provider.attempts) == 1


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (ScriptedAnswer(fault="empty"), ModelMistake),
        (ScriptedAnswer(fault="refusal"), ModelFinal),
    ],
)
async def test_a_paid_reply_is_stored_even_if_it_is_invalid(
    answer: ScriptedAnswer, kind: type[Exception]
) -> None:
    provider, book = scripted(answer), ledger()
    model = LedgeredModel(provider, book)

    for _ in range(2):
        with pytest.raises(kind):
            await model.complete(model_request())

    assert len(provider.attempts) == 1
    assert spent(book, model_request()).calls == 1


async def test_thought_is_stored_with_the_reply_and_is_no_text_of_the_answer() -> None:
    book, request = ledger(), model_request()
    model = LedgeredModel(scripted(ScriptedAnswer(text="<think>A lamp.</think>\nThe lamp went out.")), book)

    answers = [await model.complete(request) for _ in range(2)]

    assert [answer.text for answer in answers] == ["The lamp went out."] * 2
    assert (stored := book.stored(request.effect)) is not None
    assert stored.text.startswith("<think>")


async def test_a_reply_of_nothing_but_thought_is_empty() -> None:
    model = LedgeredModel(scripted(ScriptedAnswer(text="<think>A lamp, then. Where")), ledger())

    with pytest.raises(ModelMistake) as failure:
        await model.complete(model_request())

    assert failure.value.code == "empty-reply"


class Away(ScriptedProvider):
    """Fails ``times`` times with ``status``, and then answers."""

    def __init__(self, status: str, times: int) -> None:
        super().__init__(Script(answers=(ScriptedAnswer(text="At last."),)))
        self.status, self.times = status, times

    async def ask(self, request: ModelRequest, hear: Hear | None = None) -> ModelResponse:
        if self.times:
            self.times -= 1
            raise ModelUnavailable("model-unavailable", "away", status=self.status)
        return await super().ask(request, hear)


async def test_calls_that_brought_no_answer_count_in_every_budget_as_estimated() -> None:
    book = ledger(Cap(calls=2))
    model = LedgeredModel(Away("", times=3), book)

    for _ in range(2):
        with pytest.raises(ModelUnavailable) as failed:
            await model.complete(model_request())

    used = spent(book, model_request())
    assert used.calls == 2
    assert used.output_tokens == 2 * int(failed.value.details["output_tokens"]) > 0
    with pytest.raises(BudgetSpent):
        await model.complete(model_request())


async def test_a_declined_call_gives_its_reservation_back() -> None:
    model = LedgeredModel(Away("429", times=3), ledger(Cap(tokens=600)))

    for _ in range(3):
        with pytest.raises(ModelUnavailable):
            await model.complete(model_request())

    assert (await model.complete(model_request())).text == "At last."
    with pytest.raises(BudgetSpent):
        await model.complete(model_request(op_id="next", max_output_tokens=600))


async def test_a_cap_is_checked_before_anything_is_asked() -> None:
    provider = scripted(ScriptedAnswer(text="Never said."))
    model = LedgeredModel(provider, ledger(Cap(tokens=100)))

    with pytest.raises(BudgetSpent):
        await model.complete(model_request(max_output_tokens=500))

    assert provider.attempts == ()


async def test_a_cancelled_call_gives_its_reservation_back() -> None:
    provider = scripted(ScriptedAnswer(op="hung", fault="hang"), ScriptedAnswer(text="Here."))
    model = LedgeredModel(provider, ledger(Cap(tokens=600)))

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await model.complete(model_request(op_id="hung", timeout_s=60))

    assert len(provider.attempts) == 1
    assert (await model.complete(model_request(op_id="next"))).text == "Here."


UNPRICED = ModelEntry(name="own", provider="litellm", model="openai/own")


class UnpricedProvider:
    """A vendor that must not be asked."""

    async def ask(self, request: ModelRequest, hear: Hear | None = None) -> ModelResponse:
        raise AssertionError("asked although the price is unknown")


async def test_an_unknown_price_under_a_money_cap_is_refused_before_the_call() -> None:
    model = LedgeredModel(UnpricedProvider(), ledger(Cap(micros=1_000)), entry=UNPRICED)

    with pytest.raises(BudgetSpent) as caught:
        await model.complete(model_request())

    assert caught.value.code == "price-unknown"


READ = ToolOffer(name="read_chapter", description="Read a chapter.", parameters={"type": "object"})


def turn(**fields: Any) -> ModelRequest:
    """``fields`` are any of the request's."""
    offered: dict[str, Any] = {"tools": (READ,), "within_loop": True}
    return model_request(**offered | fields)


async def test_calls_of_tools_are_paid_once_and_come_back_as_they_were() -> None:
    twin = ScriptedCall(id="twin", name="nobody_knows", arguments="{no JSON")
    provider, book = scripted(ScriptedAnswer(tool_calls=(twin, twin))), ledger()
    model = LedgeredModel(provider, book)

    first = await model.complete(turn())
    again = await model.complete(turn())

    assert [call.id for call in first.tool_calls] == ["twin", "twin"]
    assert (again.tool_calls, again.repeated) == (first.tool_calls, True)
    assert len(provider.attempts) == 1
    assert spent(book, turn()).calls == 1


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (ScriptedAnswer(stretch=6_000_000), "turn-too-large"),
        (ScriptedAnswer(tool_calls=(ScriptedCall(name="x", stretch=6_000_000),)), "turn-too-large"),
        (ScriptedAnswer(fault="refusal"), "model-refused"),
    ],
)
async def test_an_answer_too_long_for_a_loop_is_paid_once_and_refused_again(
    answer: ScriptedAnswer, code: str
) -> None:
    provider, book = scripted(answer), ledger()
    model = LedgeredModel(provider, book)

    for _ in range(2):
        with pytest.raises(PenwrightError) as caught:
            await model.complete(turn())
        assert caught.value.code == code

    assert len(provider.attempts) == 1
    assert spent(book, turn()).calls == 1


async def test_within_a_loop_an_empty_answer_is_an_answer() -> None:
    response = await LedgeredModel(scripted(ScriptedAnswer(fault="empty")), ledger()).complete(turn())

    assert (response.text, response.tool_calls) == ("", ())


async def test_tools_count_in_the_reservation() -> None:
    wordy = READ.model_copy(update={"parameters": {"description": "word " * 4_000}})
    model = LedgeredModel(scripted(ScriptedAnswer(text="Done.")), ledger(Cap(tokens=2_000)))

    await model.complete(turn())
    with pytest.raises(BudgetSpent):
        await model.complete(turn(op_id="next", tools=(wordy,)))


@pytest.mark.parametrize(
    ("status", "expected"), [("", {"input_tokens", "output_tokens", "cost_micros"}), ("429", set())]
)
async def test_a_call_without_an_answer_says_what_it_may_have_used(status: str, expected: set[str]) -> None:
    with pytest.raises(ModelUnavailable) as found:
        await LedgeredModel(Away(status, times=1), ledger()).complete(model_request())

    assert set(found.value.details) - {"status"} == expected
    assert all(int(found.value.details[name]) >= 0 for name in expected)
