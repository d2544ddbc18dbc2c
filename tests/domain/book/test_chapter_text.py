"""Where chapters begin in a book: by the titles of their outlines, or by number."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penwright.domain.book.files.chapter_text import chapter_at, chapter_starts, chapter_text
from penwright.domain.text.chapter_names import chapter_name
from tests.support.sweeps import examples

TITLES = {1: "The Pier", 2: "Chapter 2: The Boat", 3: "The Sea"}
BOOK = (
    "# A Tide\n\nBefore.\n\n## The Pier\n\nHe waits.\n\n## Boat and Sail\n\nOn.\n\n"
    "## Chapter 2\n\nShe comes.\n"
)


def test_a_chapter_reaches_from_its_heading_to_that_of_the_next_one() -> None:
    starts = chapter_starts(BOOK, TITLES)

    assert [start.number for start in starts] == [1, 2]
    assert chapter_text(BOOK, starts, 1) == "## The Pier\n\nHe waits.\n\n## Boat and Sail\n\nOn."
    assert chapter_text(BOOK, starts, 2) == "## Chapter 2\n\nShe comes."
    assert chapter_text(BOOK, starts, 3) == ""


@pytest.mark.parametrize(("words", "number"), [("Before", None), ("He waits", 1), ("On.", 1), ("She", 2)])
def test_a_position_belongs_to_the_chapter_of_the_heading_above_it(words: str, number: int | None) -> None:
    assert chapter_at(chapter_starts(BOOK, TITLES), BOOK.index(words)) == number


@pytest.mark.parametrize("heading", ["## The Boat", "# 2. The Boat", "### chapter 2 – the boat", "## 2"])
def test_a_chapter_is_known_by_its_title_or_its_number(heading: str) -> None:
    assert [start.number for start in chapter_starts(f"{heading}\n\nShe.\n", TITLES)] == [2]


@pytest.mark.parametrize(
    "language", ["", "German", "es-MX", "Dutch", "Polish", "Russian", "日本語", "Klingon"]
)
def test_the_name_of_a_chapter_is_known_in_its_language(language: str) -> None:
    named, titled = chapter_name(2, language), f"{chapter_name(2, language)}: Ebb"

    assert [start.number for start in chapter_starts(f"## {named}\n\nShe.\n", TITLES)] == [2]
    assert [start.number for start in chapter_starts(f"## {titled}\n\nShe.\n", TITLES)] == [2]


def test_a_number_without_a_chapter_begins_no_chapter() -> None:
    assert chapter_starts("# 1914\n\nWar.\n\n## The Pier\n", TITLES)[0].number == 1
    assert chapter_text("No heading.", (), 1) == ""


@settings(max_examples=examples(40))
@given(st.lists(st.sampled_from(["## The Pier", "## 2", "## The Sea", "Text.", "", "# Other"]), max_size=12))
def test_chapters_ascend_and_do_not_overlap(lines: list[str]) -> None:
    book = "\n".join(lines)

    starts = chapter_starts(book, TITLES)

    numbers = [start.number for start in starts]
    assert numbers == sorted(set(numbers))
    assert sum(len(chapter_text(book, starts, number)) for number in numbers) <= len(book)


def test_of_two_chapters_with_one_title_the_next_is_meant() -> None:
    book = "# PART ONE\n\n## Chapter 1\n\nFog.\n\n# PART TWO\n\n## Chapter 1\n\nLight.\n"

    starts = chapter_starts(book, {1: "Chapter 1", 2: "Chapter 1"})

    assert [start.number for start in starts] == [1, 2]
    assert chapter_text(book, starts, 2).endswith("Light.")
