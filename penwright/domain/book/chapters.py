"""The chapters of a book, in a list, and their words."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from penwright.domain.book.files.chapter_text import chapter_starts, chapter_text
from penwright.domain.text.chapter_names import chapter_name
from penwright.domain.text.words import count_words
from schemas.book import BookConfig

_TITLE = re.compile(r"^#{1,3}[ \t]+(\S.*?)[ \t#]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ChapterLine:
    """One chapter of a book in a list."""

    number: int
    title: str
    words: int
    """In the validated book."""
    target: int
    state: Literal["written", "current", "outlined", "planned"]
    """``current``: sessions write it; ``planned``: it has no outline yet."""


def chapter_lines(
    config: BookConfig, current: int, outlines: Mapping[int, str], book: str, *, sealed: bool
) -> tuple[ChapterLine, ...]:
    """Every chapter that the book is to have, or has.

    Args:
        outlines: by chapter number.
        book: the text of the validated book.
    """
    known = chapter_titles(config, current, outlines)
    starts = chapter_starts(book, known)

    def line(number: int) -> ChapterLine:
        words = count_words(chapter_text(book, starts, number))
        if number < current or sealed:
            return ChapterLine(number, known[number], words, config.words_per_chapter, "written")
        planned: Literal["outlined", "planned"] = "outlined" if number in outlines else "planned"
        state = "current" if number == current else planned
        return ChapterLine(number, known[number], words, config.words_per_chapter, state)

    return tuple(line(number) for number in known)


def chapter_titles(config: BookConfig, current: int, outlines: Mapping[int, str]) -> dict[int, str]:
    """The title of every chapter that the book is to have, or has: its outline's, or its number in words."""
    last = max((config.chapter_count, current, *outlines))
    return {
        number: _title(outlines.get(number, "")) or chapter_name(number, config.language)
        for number in range(1, last + 1)
    }


def _title(outline: str) -> str:
    """Empty without one."""
    found = _TITLE.search(outline)
    return found[1] if found else ""


def words_for(chapter: int, parts: tuple[tuple[int, str], ...]) -> int:
    """Count the words of the ``parts`` (chapter, text) that were written for ``chapter``."""
    return sum(count_words(text) for written_for, text in parts if written_for == chapter)
