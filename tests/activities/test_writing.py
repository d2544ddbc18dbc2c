"""Writing a session's prose: paid once, asked again at most once, kept before it is read."""

import pytest

from penwright.adapters.models.demo.model import DemoProvider
from penwright.adapters.models.scripted import ScriptedAnswer
from penwright.domain.book.session_warnings import needs_person
from penwright.errors import ModelUnavailable
from schemas.base import Cause
from schemas.book import MaterialFile
from schemas.model import ModelRequest, ModelResponse
from schemas.outside_session import SessionProse
from tests.support.books.payloads import session_payload
from tests.support.books.writers import writers_desk
from tests.support.each import for_each

RAIN = [f"On day {day} the rain had grain, like wood. " for day in range(50)]
GOOD = "".join(RAIN)
SHORT = "".join(RAIN[:20])
END = "\n\n=== REPORT ===\nsummary: Rain.\narcs closed: yes\n=== END ===\n"


async def test_the_demo_model_writes_a_whole_session() -> None:
    desk = writers_desk()

    written = await desk.write(session_payload("rewrite in third person"))

    assert isinstance(written, SessionProse)
    assert written.model == "demo"
    assert written.summary
    assert written.human_edits == ("Global Material/Soul.md",)
    assert "> **[Rework]** rewrite in third person" in desk.prose(written)
    assert desk.turns == ["1"]


async def test_a_session_says_which_texts_its_writer_was_not_shown() -> None:
    lore = MaterialFile(filename="Lore.md", content="The tide took what was left.\n\n" * 40_000)

    written = await writers_desk().write(session_payload(global_material=(lore,)))

    assert isinstance(written, SessionProse)
    (said,) = written.warnings
    assert said.startswith("the writer's prompt had no room for all of 'Lore.md': shorten them")
    assert not needs_person(said)


async def test_a_repeated_session_pays_nothing_and_writes_the_same() -> None:
    desk = writers_desk(ScriptedAnswer(text=GOOD))

    first = await desk.write(session_payload())
    again = await desk.write(session_payload())

    assert first == again
    assert desk.turns == ["1"]


async def test_the_answer_is_typed_and_its_prose_is_kept_by_reference() -> None:
    desk = writers_desk(ScriptedAnswer(text=GOOD + END))

    run = await desk.run(await desk.brief(session_payload()))

    output = run.state.output
    assert isinstance(output, dict)
    told = {name: output[name] for name in ("new_words", "summary", "instructions_answered", "arcs_closed")}
    assert told == {"new_words": 450, "summary": "Rain.", "instructions_answered": 0, "arcs_closed": True}
    assert "grain" not in run.state.model_dump_json()


async def test_short_prose_is_continued_once() -> None:
    desk = writers_desk(ScriptedAnswer(call=2, text="And then it stopped."), ScriptedAnswer(text=SHORT + END))

    written = await desk.write(session_payload())

    assert isinstance(written, SessionProse)
    assert desk.turns == ["1", "2"]
    assert desk.prose(written).endswith("like wood.\n\nAnd then it stopped.\n<!-- INK:NEW:END -->\n")
    assert (written.words, written.summary, written.arcs_closed) == (180 + 4, "Rain.", True)


@pytest.mark.parametrize("fault", ["empty", "refusal", "half-json"])
async def test_a_useless_continuation_does_not_cost_the_session(fault: str) -> None:
    useless = ScriptedAnswer.model_validate({"call": 2, "fault": fault})
    desk = writers_desk(useless, ScriptedAnswer(text=SHORT))

    written = await desk.write(session_payload())

    assert isinstance(written, SessionProse)
    assert (written.words, desk.turns) == (180, ["1", "2"])


@for_each(
    "first",
    [
        ScriptedAnswer(call=1, fault="empty"),
        ScriptedAnswer(call=1, fault="half-json"),
        ScriptedAnswer(call=1, text='{"prose": "no"}'),
        ScriptedAnswer(call=1, text="I cannot write this."),
        ScriptedAnswer(call=1, text="Too few words."),
        ScriptedAnswer(call=1, stretch=6_000_000),
    ],
)
async def test_a_useless_reply_is_retried_once(first: ScriptedAnswer) -> None:
    desk = writers_desk(first, ScriptedAnswer(text=GOOD))

    written = await desk.write(session_payload())

    assert isinstance(written, SessionProse)
    assert (written.words, desk.turns) == (450, ["1", "2"])


async def test_two_useless_replies_end_the_session_by_name() -> None:
    desk = writers_desk(ScriptedAnswer(fault="half-json"))

    why = await desk.write(session_payload())

    assert isinstance(why, Cause)
    assert (why.code, why.details["problem"]) == ("unusable-reply", "half-json")
    assert "`penwright models test MODEL`" in why.message
    assert desk.turns == ["1", "2"]


async def test_an_invalid_reply_is_quoted_back_to_the_writer() -> None:
    desk = writers_desk(ScriptedAnswer(call=1, text="Too few words."), ScriptedAnswer(text=GOOD))

    run = await desk.run(await desk.brief(session_payload()))

    assert run.state.head is not None
    asked = desk.store.messages.messages(run.state.head)[2]
    assert asked.role == "user"
    assert asked.content.startswith("That reply cannot be used. The new prose has 3 words.")


async def test_a_writer_that_declines_in_words_twice_ends_the_session_as_a_refusal() -> None:
    desk = writers_desk(ScriptedAnswer(text="I cannot write this."))

    why = await desk.write(session_payload())

    assert isinstance(why, Cause)
    assert (why.code, desk.turns) == ("model-refused", ["1", "2"])
    assert "“I cannot write this.”" in why.message


async def test_a_formal_refusal_is_final_at_once() -> None:
    desk = writers_desk(ScriptedAnswer(fault="refusal"))

    why = await desk.write(session_payload())

    assert isinstance(why, Cause)
    assert (why.code, desk.turns) == ("model-refused", ["1"])


async def test_a_retry_continues_after_a_passing_model_failure() -> None:
    desk = writers_desk(
        ScriptedAnswer(call=2, fault="unavailable", times=1, text="It stopped."),
        ScriptedAnswer(text=SHORT),
    )

    with pytest.raises(ModelUnavailable):
        await desk.write(session_payload())
    written = await desk.write(session_payload())

    assert isinstance(written, SessionProse)
    assert (written.words, desk.turns) == (182, ["1", "2", "2"])


async def test_the_demo_model_needs_one_call_for_a_long_session() -> None:
    desk = writers_desk()

    written = await desk.write(session_payload(words=30_000))

    assert isinstance(written, SessionProse)
    assert (written.words, desk.turns) == (30_000, ["1"])
    assert (written.cost_micros, written.unknown_prices) == (0, 0)


async def test_a_call_of_unknown_price_is_counted_as_such_and_not_as_free() -> None:
    desk = writers_desk(model=_Unpriced())

    written = await desk.write(session_payload(words=800))

    assert isinstance(written, SessionProse)
    assert (written.cost_micros, written.unknown_prices) == (500, 1)


class _Unpriced:
    """A model that leaves the prose short; only the price of its first answer is known."""

    async def complete(self, request: ModelRequest) -> ModelResponse:
        first = request.effect.op_id.endswith("#1")
        answered = await DemoProvider().complete(request)
        usage = answered.usage.model_copy(update={"cost_micros": 500 if first else None})
        return answered.model_copy(update={"usage": usage, "text": SHORT})
