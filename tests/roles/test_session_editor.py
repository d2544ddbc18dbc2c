"""A session's draft is read by an editor, whose few edits are taken only if they leave it no worse."""

import pytest

from penwright.adapters.models.scripted import ScriptedAnswer
from penwright.domain.book.files.changelog import changelog_entry
from penwright.domain.prose.editing import MOST_EDITS
from penwright.roles.ink_session_editor.answer import new_prose
from penwright.roles.ink_writer.completion import ROUNDS
from tests.roles.test_checked_sessions import (
    EARLIER,
    END,
    FRESH,
    NEW_ENDING,
    OLD,
    PLAN,
    block,
    payload,
    rework,
    written,
)
from tests.support.books.sessions import NOON
from tests.support.books.writers import CutOff, WritersDesk, writers_desk
from tests.support.each import for_each

DRAFT = f"{FRESH}\n\n{NEW_ENDING}"
PLAIN = "It was wet on one side only, so it had come by boat"
BETTER = "One side of it was wet; it had come by boat"


def edit(find: str, new: str, reason: str = "flat") -> str:
    return f"@@@ replace\nreason: {reason}\n@@@ find\n{find}\n@@@ with\n{new}\n@@@ end\n"


def reads(answer: str) -> WritersDesk:
    """A session whose editor answers so."""
    editor = ScriptedAnswer(op="*/editor#*", text=answer)
    return writers_desk(editor, ScriptedAnswer(text=block(DRAFT) + END), book=EARLIER)


async def test_an_editors_edits_are_made_and_told_with_their_reasons() -> None:
    desk = reads(edit(PLAIN, BETTER, "unclear"))

    prose = await written(desk, payload(craft="edit"))

    assert desk.prose(prose).strip() == block(DRAFT.replace(PLAIN, BETTER))
    assert [(each.reason, each.before, each.after) for each in prose.craft.edits] == [
        ("unclear", PLAIN, BETTER)
    ]
    assert (prose.craft.unedited, prose.summary, len(desk.turns)) == ("", "She counts the steps.", 2)
    entry = changelog_entry(at=NOON, words=prose.words, craft=prose.craft)
    assert f"**Edits of the editor:**\n- unclear: “{PLAIN}” became “{BETTER}”" in entry


@for_each(
    "answer",
    [
        "I would not change a word.",
        "status: satisfied",
        edit("nothing that stands there", "anything"),
        edit(PLAIN, BETTER, "I like it better"),
        edit(PLAIN, EARLIER),
        edit(DRAFT, "She slept."),
        edit(PLAIN, f"{BETTER}\n\n=== REPORT ==="),
        block(DRAFT.replace(PLAIN, BETTER)) + END,
        "I'm sorry, but I can't help with that.",
        "<think>The plank is dull.",
        edit(PLAIN, BETTER).removesuffix("@@@ end\n"),
        "",
    ],
)
async def test_a_draft_stands_whatever_useless_edits_its_editor_proposes(answer: str) -> None:
    desk = reads(answer)

    prose = await written(desk, payload(craft="edit"))

    assert desk.prose(prose).strip() == block(DRAFT)
    assert (prose.craft.edits, prose.craft.findings) == ((), ())
    assert prose.craft.unedited
    assert len(desk.turns) == 2
    assert f"nothing: {prose.craft.unedited}" in changelog_entry(at=NOON, words=1, craft=prose.craft)


async def test_edits_of_a_reply_that_was_cut_off_are_not_made() -> None:
    desk = reads(edit(PLAIN, BETTER))
    desk.model = CutOff(desk.model)

    prose = await written(desk, payload(craft="edit"))

    assert desk.prose(prose).strip() == block(DRAFT)


async def test_what_an_editor_thinks_is_no_edit() -> None:
    desk = reads(f"<think>\n{edit('Mara counted', 'Somebody counted')}</think>\n{edit(PLAIN, BETTER)}")

    prose = await written(desk, payload(craft="edit"))

    assert desk.prose(prose).strip() == block(DRAFT.replace(PLAIN, BETTER))


async def test_an_editor_makes_no_more_edits_than_it_may() -> None:
    words = ["counted", "door", "rail", "morning", "plank", "gap", "boat"]
    desk = reads("".join(edit(f" {each} ", f" {each}s ") for each in words))

    prose = await written(desk, payload(craft="edit"))

    assert len(prose.craft.edits) <= MOST_EDITS
    assert "boats" not in desk.prose(prose)


@for_each("craft, turns", [("edit", 1 + ROUNDS + 1), ("mend", 1 + ROUNDS)])
async def test_a_session_asks_its_writer_and_its_editor_for_each_thing_once(craft: str, turns: int) -> None:
    short = "\n\n".join(OLD.split("\n\n")[1:])
    desk = writers_desk(
        ScriptedAnswer(call=1, text=block(short) + END),
        ScriptedAnswer(text="Sure! Here is the next scene:"),
        book=EARLIER,
    )

    prose = await written(desk, payload("make it shorter", craft=craft))

    assert len(desk.turns) == turns <= 5
    assert desk.prose(prose).strip() == block(short)
    assert "unanswered" in [each.rule for each in prose.craft.findings]


async def test_an_edit_takes_no_beat_away_that_was_told() -> None:
    told = END.replace("arcs closed", f'told:\n- a plank came by boat — "{PLAIN}"\narcs closed')
    desk = writers_desk(
        ScriptedAnswer(op="*/editor#*", text=edit(PLAIN, "Nobody had come")),
        ScriptedAnswer(text=PLAN + block(DRAFT) + told),
        book=EARLIER,
    )

    prose = await written(desk, payload(craft="edit"))

    assert [each.beat for each in prose.craft.told] == ["a plank came by boat"]
    assert PLAIN in desk.prose(prose)


async def test_reworked_passages_are_not_the_editors() -> None:
    both = rework("make it shorter") + "\n\n" + block(DRAFT)
    desk = writers_desk(
        ScriptedAnswer(op="*/editor#*", text=edit(PLAIN, BETTER) + edit("I went down.", "I ran.")),
        ScriptedAnswer(text=both + END),
        book=EARLIER,
    )

    prose = await written(desk, payload("make it shorter", craft="edit"))

    assert desk.prose(prose).strip() == both.replace(PLAIN, BETTER)


async def test_the_editor_reads_soul_plan_the_end_of_the_book_and_the_draft() -> None:
    desk = writers_desk(
        ScriptedAnswer(op="*/editor#*", text="status: satisfied"),
        ScriptedAnswer(text=PLAN + block(DRAFT) + END),
        book=EARLIER,
    )

    await written(desk, payload(craft="edit"))

    assert desk.provider.attempts[-1].role == "writer-editor"
    text = desk.briefed[-1]
    kinds = [text.index(f'kind="{kind}"') for kind in ("style", "plan", "prose", "draft")]
    assert kinds == sorted(kinds)
    for said in ("close to the weather", "hidden: who came", "Tobias was waiting", NEW_ENDING):
        assert said in text


@pytest.mark.parametrize("blocks", [f"{block('One.')}\n\n{block('Two.')}\n", "Nothing marked.\n", "\n"])
def test_prose_that_is_not_one_block_at_the_end_is_not_edited(blocks: str) -> None:
    assert new_prose(blocks) == ""
