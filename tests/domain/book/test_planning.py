"""Which chapter is to get an outline from the planner, and where the outline goes."""

import pytest

from penwright.domain.book.files.layout import CONFIG, OUTLINE, WHOLE_BOOK, chapter_path, proposed_path
from penwright.domain.book.planning import (
    chapter_to_plan,
    lacks_outline,
    outlines_to_plan,
    plan_outline,
    proposed_chapters,
    with_outline,
)
from penwright.domain.book.session_warnings import sync_warnings
from penwright.errors import Refused
from schemas.base import CommitSha
from schemas.workspace import Synced
from tests.support.books.memory_book import CONFIG_TEXT, PaperBook, numbered_words
from tests.support.each import for_each

STORM = "# The Storm\n\n1. It rains.\n2. It stops.\n"
TEMPLATE = "# Chapter 2\n\n## Beats\n\n1. [First scene]\n"


def a_book(planning: str, words: int = 0) -> PaperBook:
    """A book in its first chapter, of 100 words in sessions of 50, with so many words."""
    book = PaperBook().put(CONFIG, f"{CONFIG_TEXT}planning: {planning}\n")
    book.put(CONFIG, "\n".join(_lengths(book.files[CONFIG])) + "\n")
    if words:
        book.write(numbered_words(0, words))
    return book


def _lengths(text: str) -> list[str]:
    own = ("words_per_chapter", "words_per_session", "chapter_count")
    kept = [line for line in text.splitlines() if not line.startswith(own)]
    return [*kept, "words_per_chapter: 100", "words_per_session: 30", "chapter_count: 4"]


@for_each(
    "planning, words, next_one, planned",
    [
        ("off", 95, None, 0),
        ("propose", 40, None, 0),
        ("propose", 80, None, 2),
        ("propose", 80, "# Chapter 2\n\nShe comes.\n", 0),
        ("propose", 80, TEMPLATE, 2),
        ("auto", 70, None, 2),
        ("auto", 95, None, 2),
    ],
)
def test_the_next_chapter_is_planned_when_this_one_is_nearly_full_and_it_has_no_outline(
    planning: str, words: int, next_one: str | None, planned: int
) -> None:
    book = a_book(planning, words).drop(chapter_path(2))
    if next_one is not None:
        book.put(chapter_path(2), next_one)

    assert chapter_to_plan(book.view()) == planned


def test_a_chapter_that_was_begun_without_an_outline_is_planned_first() -> None:
    book = a_book("auto").put(chapter_path(1), TEMPLATE)

    assert chapter_to_plan(book.view()) == 1
    assert chapter_to_plan(a_book("propose").put(chapter_path(1), TEMPLATE).view()) == 0


def test_a_proposal_that_waits_is_not_made_again() -> None:
    book = a_book("propose", 95).drop(chapter_path(2)).put(proposed_path(2), STORM)

    assert chapter_to_plan(book.view()) == 0
    assert proposed_chapters(book.view()) == (2,)


def test_what_the_author_wrote_meanwhile_is_never_replaced() -> None:
    book = a_book("auto", 95)

    plan = plan_outline(book.view(), 2, STORM)

    assert plan.operations == ()
    assert "has an outline by now" in plan.warning


def test_an_outline_of_the_planner_is_in_the_payload_of_the_session_that_it_was_made_in() -> None:
    book = a_book("auto", 95).drop(chapter_path(2))
    opening = book.open()

    plan = plan_outline(book.view(), 2, STORM)
    payload = with_outline(opening.payload, book.view(), plan)
    book.publish(plan.operations)

    assert payload.chapters.next is not None
    assert payload.chapters.next.content == STORM == book.files[chapter_path(2)]


def test_a_proposal_lies_beside_the_place_of_the_outline() -> None:
    book = a_book("propose", 95).drop(chapter_path(2))

    plan = plan_outline(book.view(), 2, STORM)
    book.publish(plan.operations)

    assert book.files[proposed_path(2)] == STORM
    assert chapter_path(2) not in book.files
    assert "penwright book plan" in plan.warning


def test_a_proposal_that_was_answered_is_no_loss() -> None:
    synced = Synced(
        tip=CommitSha("0" * 40), remote="none", emptied={proposed_path(2): 77, "Global Material/Lore.md": 5}
    )

    (told,) = sync_warnings(synced, "tide")

    assert "Lore.md" in told


PREMISE = "# Outline of Tide\n\n## Premise\n\nMara keeps the light.\n\n## Act one\n\n[The world as it is]\n"
BOOK = "## Act one\n\nThe sea comes.\n\n## Chapters\n\n1. It comes.\n"


def test_the_premise_stays_word_for_word_in_the_outline_that_the_planner_makes_of_it() -> None:
    book = a_book("auto").put(OUTLINE, PREMISE)
    assert lacks_outline(book.view(), WHOLE_BOOK)

    book.publish(plan_outline(book.view(), WHOLE_BOOK, BOOK).operations)

    assert book.files[OUTLINE] == f"# Outline of Tide\n\n## Premise\n\nMara keeps the light.\n\n{BOOK}"
    assert not lacks_outline(book.view(), WHOLE_BOOK)


def test_a_premise_that_is_given_stands_in_the_outline_that_is_proposed() -> None:
    book = a_book("off")

    book.publish(plan_outline(book.view(), WHOLE_BOOK, BOOK, premise="She waits.\n").operations)

    assert OUTLINE not in book.files
    assert book.files[proposed_path(WHOLE_BOOK)].startswith("# Outline\n\n## Premise\n\nShe waits.\n\n## Act")
    assert proposed_chapters(book.view()) == (WHOLE_BOOK,)


def test_a_wish_for_outlines_leaves_out_what_has_one_or_a_proposal() -> None:
    book = a_book("propose").put(OUTLINE, PREMISE).drop(chapter_path(1))
    book.put(chapter_path(2), STORM).put(proposed_path(3), STORM)

    assert outlines_to_plan(book.view(), 9, premise=False) == (WHOLE_BOOK, 1, 4)
    assert outlines_to_plan(book.view(), 1, premise=False) == (WHOLE_BOOK, 1)
    book.put(chapter_path(1), STORM)
    assert outlines_to_plan(book.view(), 2, premise=False) == (WHOLE_BOOK,)


@for_each(
    "outline, proposed, premise, code",
    [
        ("", "", False, "no-premise"),
        ("# Outline\n\nShe leaves.\n", "", True, "outline-written"),
        (PREMISE, "", True, "premise-written"),
        ("", BOOK, True, "outline-proposed"),
    ],
)
def test_a_wish_that_cannot_be_met_is_refused_by_name(
    outline: str, proposed: str, premise: bool, code: str
) -> None:
    book = a_book("propose").drop(chapter_path(1)).put(OUTLINE, outline)
    if proposed:
        book.put(proposed_path(WHOLE_BOOK), proposed)

    with pytest.raises(Refused) as refused:
        outlines_to_plan(book.view(), 1, premise=premise)

    assert refused.value.code == code
    assert "penwright book plan" in str(refused.value.details["hint"])
