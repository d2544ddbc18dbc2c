"""A model's rewrite of a passage: the passage whole and alone, or a named refusal after one more try."""

from penwright.adapters.models.scripted import ScriptedAnswer
from penwright.domain.book.review.delivery import read_delivery
from schemas.base import Cause
from schemas.book import CurrentReview, Instruction, SessionPayload
from schemas.outside_session import SessionProse
from tests.support.books.payloads import session_payload
from tests.support.books.writers import CutOff, WritersDesk, writers_desk
from tests.support.each import for_each

OLD = "She took the rope in her right hand. It was wet, and it had been wet since Tuesday."
NEW = "She took the rope in her left hand. It was wet, and it had been wet since Tuesday."
BEFORE = "Nobody had slept in the house since the boat came in."
AFTER = "The boat lay still under the wall and nobody looked up at her."
WISH = "make her left-handed"
REPORT = "\n\n=== REPORT ===\nsummary: Left.\ninstructions answered: 1\narcs closed: no\n=== END ==="


def block(text: str, wish: str = WISH, old: str = OLD) -> str:
    return (
        f"<!-- INK:REWORKED:START -->\n> **[Rework]** {wish}\n\n{text}\n\n"
        f"<!-- INK:ORIGINAL:START -->\n{old}\n<!-- INK:ORIGINAL:END -->\n<!-- INK:REWORKED:END -->"
    )


def payload() -> SessionPayload:
    asked = Instruction(anchor=OLD, instruction=WISH, passage=OLD)
    return session_payload(
        session_type="rewrite",
        rewrite_chapter=3,
        words_wanted=0,
        earlier_prose=f"It was late.\n\n{BEFORE}",
        current_review=CurrentReview(content=f"{OLD}\n\n{AFTER}", instructions=(asked,)),
    )


async def written(*replies: str, desk: WritersDesk | None = None) -> tuple[SessionProse | Cause, WritersDesk]:
    at = desk or writers_desk(*(ScriptedAnswer(op=f"*#{n}", text=each) for n, each in enumerate(replies, 1)))
    return await at.write(payload()), at


@for_each(
    "reply",
    [
        block(NEW) + REPORT,
        f"<think>\nWhich hand?\n</think>\n\n{block(NEW)}{REPORT}",
        f"Sure! Here is the passage:\n\n{block(NEW)}\n\nShall I go on?",
        block(f"Here is the rewritten passage:\n\n{NEW}\n\nLet me know if you want changes to the passage."),
        block(f"{NEW}\n\n(Word count: 17)"),
        block(f"# Chapter 3\n\n{NEW}"),
        block(NEW, old="something else"),
        f"{block(NEW)}\n\n<!-- INK:NEW:START -->\nAnd then they left for good.\n<!-- INK:NEW:END -->{REPORT}",
    ],
)
async def test_of_a_reply_the_new_passage_alone_is_taken(reply: str) -> None:
    prose, desk = await written(reply)

    assert isinstance(prose, SessionProse)
    (rework,) = read_delivery(desk.prose(prose)).reworks
    assert (rework.text, rework.original) == (NEW, OLD)
    assert not read_delivery(desk.prose(prose)).pieces
    assert desk.turns == ["1"]


@for_each(
    "reply, code",
    [
        (block(OLD), "rewrite-unchanged"),
        (block(f"{NEW[:60]}"), "rewrite-cut"),
        (block(f"{BEFORE}\n\n{NEW}\n\n{AFTER}"), "rewrite-beyond"),
        (block(f"{NEW}\n\n# Chapter 4\n\nThe sea."), "rewrite-beyond"),
        (block(" ".join(f"On day {day} it rained." for day in range(200))), "rewrite-beyond"),
        (block("She pulled the rope again. " * 40), "loop"),
        (block("Sure! Here is the rewritten passage:"), "task-talk"),
        (block(NEW) + "\n\n" + block("Two.", wish="and more", old=BEFORE), "rewrite-in-pieces"),
        (NEW, "no-prose"),
        ("", "empty-reply"),
    ],
)
async def test_a_reply_that_is_not_the_passage_is_asked_for_once_more_and_then_refused_by_name(
    reply: str, code: str
) -> None:
    failed, desk = await written(reply, reply)

    assert isinstance(failed, Cause)
    assert (failed.code, failed.details["problem"]) == ("unusable-reply", code)
    assert len(desk.turns) == 2


async def test_a_model_that_refuses_is_named() -> None:
    refused = "I'm sorry, but I can't help with that."
    failed, _ = await written(refused, refused)

    assert isinstance(failed, Cause)
    assert failed.code == "model-refused"


async def test_a_second_reply_that_can_be_used_is_taken() -> None:
    prose, desk = await written(block(OLD), block(NEW) + REPORT)

    assert isinstance(prose, SessionProse)
    assert NEW in desk.prose(prose)


async def test_a_reply_that_ends_at_the_token_limit_is_not_taken_for_the_passage() -> None:
    desk = writers_desk(
        ScriptedAnswer(text=f"<!-- INK:REWORKED:START -->\n> **[Rework]** {WISH}\n\nShe took.")
    )
    desk.model = CutOff(desk.model)

    failed, _ = await written(desk=desk)

    assert isinstance(failed, Cause)
    assert failed.details["problem"] == "rewrite-cut"


async def test_the_demo_model_rewrites_a_passage() -> None:
    prose, desk = await written(desk=writers_desk())

    assert isinstance(prose, SessionProse)
    (rework,) = read_delivery(desk.prose(prose)).reworks
    assert rework.original == OLD
    assert rework.text != OLD
