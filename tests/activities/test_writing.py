"""Writing a session's prose: paid once, asked twice at most, kept before it is read."""

from dataclasses import dataclass

import pytest
from temporalio.testing import ActivityEnvironment

from activities.writing import WritingActivities
from penwright.adapters.clock import SystemClock
from penwright.adapters.memory_store import MemoryStore, memory_store
from penwright.adapters.models.demo import DemoProvider
from penwright.adapters.models.ledgered import LedgeredModel
from penwright.adapters.models.scripted import Script, ScriptedAnswer, ScriptedProvider
from penwright.errors import ModelFinal, ModelUnavailable
from schemas.base import BookId, Effect, OpId
from schemas.book import SessionPayload
from schemas.book_session import WriteProse, Written
from schemas.model import ModelRequest, ModelResponse
from tests.support.payloads import session_payload
from tests.support.scripted_model import model_request

GOOD = "The rain had a grain to it, like wood. " * 50
SHORT = "The rain had a grain to it, like wood. " * 20


@dataclass
class Desk:
    """One session's activity with its doubles."""

    store: MemoryStore
    provider: ScriptedProvider

    async def write(self, payload: SessionPayload) -> Written:
        order = WriteProse(
            effect=Effect(op_id=OpId("book/lamp#one:2"), issued_at=model_request().effect.issued_at),
            book_id=BookId("lamp"),
            session="one",
            payload=self.store.blobs.put(payload.model_dump_json().encode()),
        )
        writing = WritingActivities(
            model=LedgeredModel(self.provider, self.store.ledger), blobs=self.store.blobs
        )
        return await ActivityEnvironment().run(writing.write_prose, order)

    def prose(self, written: Written) -> str:
        return self.store.blobs.get(written.prose).decode()

    @property
    def calls(self) -> list[str]:
        return [attempt.op_id.removeprefix("book/lamp#one:2") for attempt in self.provider.attempts]


def desk(*answers: ScriptedAnswer) -> Desk:
    return Desk(
        memory_store(clock=SystemClock()), ScriptedProvider(Script(answers=answers, otherwise="demo"))
    )


async def test_the_demo_model_writes_a_whole_session() -> None:
    one = desk()

    written = await one.write(session_payload("rewrite in third person"))

    assert written.demo
    assert written.summary
    assert written.human_edits == ("Global Material/Soul.md",)
    assert "> **[Rework]** rewrite in third person" in one.prose(written)
    assert one.calls == [""]


async def test_a_repeated_attempt_pays_nothing_and_writes_the_same() -> None:
    one = desk(ScriptedAnswer(text=GOOD))

    first = await one.write(session_payload())
    again = await one.write(session_payload())

    assert first == again
    assert one.calls == [""]


async def test_short_prose_is_continued_once() -> None:
    one = desk(ScriptedAnswer(op="*/continue", text="And then it stopped."), ScriptedAnswer(text=SHORT))

    written = await one.write(session_payload())

    assert one.calls == ["", "/continue"]
    assert one.prose(written).endswith("like wood.\n\nAnd then it stopped.\n<!-- INK:NEW:END -->\n")
    assert written.words == 180 + 4


@pytest.mark.parametrize("fault", ["empty", "refusal", "half-json"])
async def test_a_useless_continuation_does_not_cost_the_session(fault: str) -> None:
    useless = ScriptedAnswer.model_validate({"op": "*/continue", "fault": fault})
    one = desk(useless, ScriptedAnswer(text=SHORT))

    written = await one.write(session_payload())

    assert written.words == 180


@pytest.mark.parametrize(
    "first",
    [
        ScriptedAnswer(call=1, fault="empty"),
        ScriptedAnswer(call=1, fault="half-json"),
        ScriptedAnswer(call=1, text='{"prose": "no"}'),
        ScriptedAnswer(call=1, text="I cannot write this."),
        ScriptedAnswer(call=1, text="Too few words."),
    ],
)
async def test_a_useless_reply_is_asked_for_once_more(first: ScriptedAnswer) -> None:
    one = desk(first, ScriptedAnswer(text=GOOD))

    written = await one.write(session_payload())

    assert one.calls == ["", "/again"]
    assert written.words == 450


async def test_two_useless_replies_end_the_session_by_name() -> None:
    one = desk(ScriptedAnswer(fault="half-json"))

    with pytest.raises(ModelFinal) as caught:
        await one.write(session_payload())

    assert caught.value.code == "unusable-reply"
    assert caught.value.details["problem"] == "half-json"
    assert one.calls == ["", "/again"]


async def test_a_formal_refusal_is_final_at_once() -> None:
    one = desk(ScriptedAnswer(fault="refusal"))

    with pytest.raises(ModelFinal) as caught:
        await one.write(session_payload())

    assert (caught.value.code, one.calls) == ("model-refused", [""])


async def test_a_passing_failure_is_left_to_temporal_and_the_next_attempt_goes_on() -> None:
    one = desk(
        ScriptedAnswer(op="*/continue", fault="unavailable", times=1, text="It stopped."),
        ScriptedAnswer(text=SHORT),
    )

    with pytest.raises(ModelUnavailable):
        await one.write(session_payload())
    written = await one.write(session_payload())

    assert written.words == 182
    assert one.calls == ["", "/continue", "/continue"]


async def test_the_real_demo_provider_needs_one_call_for_a_long_session() -> None:
    store = memory_store(clock=SystemClock())
    writing = WritingActivities(model=LedgeredModel(DemoProvider(), store.ledger), blobs=store.blobs)
    order = WriteProse(
        effect=model_request().effect,
        book_id=BookId("lamp"),
        session="one",
        payload=store.blobs.put(session_payload(words=3000).model_dump_json().encode()),
    )

    written = await ActivityEnvironment().run(writing.write_prose, order)

    assert written.words == 3000
    assert (written.cost_micros, written.unknown_prices) == (0, 0)


async def test_a_call_of_unknown_price_is_counted_as_such_and_not_as_free() -> None:
    store = memory_store(clock=SystemClock())
    writing = WritingActivities(model=_Unpriced(), blobs=store.blobs)
    order = WriteProse(
        effect=model_request().effect,
        book_id=BookId("lamp"),
        session="one",
        payload=store.blobs.put(session_payload(words=800).model_dump_json().encode()),
    )

    written = await ActivityEnvironment().run(writing.write_prose, order)

    assert (written.cost_micros, written.unknown_prices) == (500, 1)


class _Unpriced:
    """A model that leaves the prose short; only the price of its first answer is known."""

    async def complete(self, request: ModelRequest) -> ModelResponse:
        first = not request.effect.op_id.endswith("/continue")
        answered = await DemoProvider().complete(request)
        usage = answered.usage.model_copy(update={"cost_micros": 500 if first else None})
        return answered.model_copy(update={"usage": usage, "text": SHORT})
