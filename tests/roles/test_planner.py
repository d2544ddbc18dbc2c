"""The planner of a book: its prompt, and the outline in its reply."""

import pytest

from penwright.adapters.clock import SystemClock
from penwright.agents.definition.reply_reading import RawReply
from penwright.errors import ModelMistake
from penwright.roles.ink_planner import briefing
from penwright.roles.ink_planner.answer import PlanningTask, read_outline
from schemas.book import ChapterOutline, Chapters, ConfigPayload, CurrentReview, MaterialFile, SessionPayload
from schemas.book_session import PlanChapter
from schemas.continuity import ContinuityTold
from tests.support.doubles.store import memory_store
from tests.support.each import for_each

BEATS = "# 3: Der Sturm\n\n## Beats\n\n1. Es regnet.\n2. Er geht.\n"
BLOCK = f"=== OUTLINE ===\n{BEATS}=== END ===\n"
PLAIN = "## Beats\n\n- It rains.\n- He goes.\n"


BOOK = "## Act one\n\nThe sea comes.\n\n## Chapters\n\n1. It comes.\n2. It stays.\n3. It goes.\n"


def outline_in(reply: str, *, cut_off: bool = False, chapter: int = 3, chapters: int = 9) -> str:
    store = memory_store(clock=SystemClock())
    task = PlanningTask(language="German", chapter=chapter, chapters=chapters)
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
        f"{BEATS}\nLet me know if you would like any changes!",
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
        ("=== OUTLINE ===\n# 3\n\n1. It rains.\n2. He go", False, "outline-cut"),
        (BLOCK.replace("# 3:", "# 7:"), False, "wrong-chapter"),
        (BLOCK.replace("# 3: Der Sturm", "# Kapitel 12"), False, "wrong-chapter"),
        (f"{BEATS}\n# Kapitel 4\n\n1. Sie geht.\n", False, "wrong-chapter"),
        ("# 3\n\n## Beats\n\n## Hidden\n\n- a\n- b\n", False, "no-outline"),
    ],
)
def test_a_reply_that_holds_no_outline_is_asked_for_again(reply: str, cut_off: bool, code: str) -> None:
    with pytest.raises(ModelMistake) as mistake:
        outline_in(reply, cut_off=cut_off)

    assert mistake.value.code == code


def test_numbers_that_name_no_chapter_are_no_fault() -> None:
    numbered = "# 1984\n\n## 1. Goal\n\nHe goes.\n\n## 2. Beats\n\n1. It rains.\n2. He goes.\n"

    assert outline_in(numbered) == numbered


@for_each(
    "reply, code",
    [
        (BOOK.replace("3. It goes.", "4. It goes."), "wrong-chapter"),
        (BOOK.replace("3. It goes.", "2. It goes."), "wrong-chapter"),
        (BOOK.replace("2. It stays.\n3. It goes.\n", ""), "no-outline"),
        (BLOCK, "no-outline"),
    ],
)
def test_an_outline_of_the_book_names_the_chapters_that_it_is_to_have(reply: str, code: str) -> None:
    assert outline_in(f"=== OUTLINE ===\n{BOOK}=== END ===\n", chapter=0, chapters=3) == BOOK

    with pytest.raises(ModelMistake) as mistake:
        outline_in(reply, chapter=0, chapters=3)

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
        continuity=ContinuityTold(text="- Mara: eyes: grey (ch. 1)"),
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
        "Mara: eyes: grey",
    ):
        assert said in prompt
    assert "adverbs" not in prompt
    assert "[The end]" not in prompt
