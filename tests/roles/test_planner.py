"""The planner of a book: its prompt, and the outline in its reply."""

import pytest

from penwright.adapters.clock import SystemClock
from penwright.agents.definition.reply_reading import RawReply
from penwright.errors import ModelMistake
from penwright.roles.ink_planner import briefing
from penwright.roles.ink_planner.answer import PlanningTask, read_outline
from schemas.book import ChapterOutline, Chapters, ConfigPayload, CurrentReview, MaterialFile, SessionPayload
from schemas.book_session import PlanChapter
from tests.support.doubles.store import memory_store
from tests.support.each import for_each

BEATS = "# 3: Der Sturm\n\n## Beats\n\n1. Es regnet.\n2. Er geht.\n"
BLOCK = f"=== OUTLINE ===\n{BEATS}=== END ===\n"
PLAIN = "## Beats\n\n- It rains.\n- He goes.\n"


def outline_in(reply: str, *, cut_off: bool = False) -> str:
    store = memory_store(clock=SystemClock())
    task = PlanningTask(language="German", chapter=3, chapters=9)
    arrival = RawReply(
        text=reply, params=(task,), before=None, model="m", demo=False, blobs=store.blobs, cut_off=cut_off
    )
    return store.blobs.get(read_outline(arrival).outline).decode()


@for_each(
    "reply",
    [
        BLOCK,
        f"Sure! Here is the outline:\n\n{BLOCK}\nShall I go on?",
        f"```markdown\n{BEATS}```\n",
        f"Here it is:\n\n{BEATS}",
        BLOCK.removesuffix("=== END ===\n"),
    ],
)
def test_only_the_outline_of_a_reply_is_kept(reply: str) -> None:
    assert outline_in(reply) == BEATS


def test_a_heading_is_added_where_there_is_none() -> None:
    assert outline_in("1. It rains.\n2. He goes.").startswith("# 3\n\n1. It rains.")
    assert outline_in(PLAIN) == PLAIN


@for_each(
    "reply, cut_off, code",
    [
        ("", False, "no-outline"),
        ("I cannot help with that.", False, "no-outline"),
        ('{"beats": ["a", "b"]}', False, "no-outline"),
        ("# 3\n\nA storm comes, and he goes.", False, "no-outline"),
        (f"# 3\n\n1. It rains.\n2. {'x' * 13_000}", False, "outline-too-long"),
        (BLOCK, True, "outline-cut"),
    ],
)
def test_a_reply_that_holds_no_outline_is_asked_for_again(reply: str, cut_off: bool, code: str) -> None:
    with pytest.raises(ModelMistake) as mistake:
        outline_in(reply, cut_off=cut_off)

    assert mistake.value.code == code


def prompt_of() -> str:
    store = memory_store(clock=SystemClock())
    payload = SessionPayload(
        config=ConfigPayload(
            target_length=9000,
            chapter_count=9,
            chapter_structure="linear",
            words_per_session=300,
            words_per_chapter=1000,
            current_chapter=2,
        ),
        global_material=(
            MaterialFile(filename="Craft.md", content="# Craft\n\n- No adverbs.\n"),
            MaterialFile(filename="Lore.md", content="# Lore\n\nThe sea is old.\n"),
            MaterialFile(filename="Outline.md", content="# Outline\n\nHe leaves, she stays.\n\n[The end]\n"),
        ),
        chapters=Chapters(
            current=ChapterOutline(path="Chapters material/Chapter_02.md", content="# The Pier\n")
        ),
        current_review=CurrentReview(content="The lamp went out."),
        beats_told=("He finds the lamp",),
    )
    order = PlanChapter(payload=store.blobs.put(payload.model_dump_json().encode()), chapter=3)
    return store.blobs.get(briefing.brief_of(order, store.blobs).task).decode()


def test_a_prompt_has_the_material_the_last_prose_and_what_was_told_and_no_rules_for_sentences() -> None:
    prompt = prompt_of()

    for said in (
        "He leaves, she stays.",
        "# The Pier",
        "The lamp went out.",
        "He finds the lamp",
        "chapter 3 of 9",
    ):
        assert said in prompt
    assert "adverbs" not in prompt
    assert "[The end]" not in prompt
