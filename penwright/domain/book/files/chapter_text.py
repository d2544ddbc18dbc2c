"""Locate chapters in the validated book by their headings."""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_HEADING = re.compile(r"^(#{1,3})[ \t]+(\S.*?)[ \t#]*$", re.MULTILINE)
_NUMBERED = re.compile(
    r"\A\W*(?:chapter|kapitel|cap[ií]tulo|chapitre|capitolo|hoofdstuk|rozdział|глава|第)?"
    r"\s*0*(\d{1,4})(?:\b|(?=章))",
    re.IGNORECASE,
)
_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class ChapterStart:
    """The heading of a chapter."""

    number: int
    position: int
    """Index in the text of the book."""


def chapter_starts(book: str, titles: Mapping[int, str]) -> tuple[ChapterStart, ...]:
    """Return the chapters that headings name, by outline title or by number, in book order.

    ``titles``: outline titles by chapter number. Numbers must rise; other headings are ignored.
    """
    by_title: dict[str, list[int]] = {}
    for number in sorted(titles):
        for key in {_key(titles[number]), _bare(titles[number])} - {""}:
            by_title.setdefault(key, []).append(number)
    starts: list[ChapterStart] = []
    for heading in _HEADING.finditer(book):
        before = starts[-1].number if starts else 0
        number = _number(heading[2], by_title, before)
        if number in titles and number > before:
            starts.append(ChapterStart(number, heading.start()))
    return tuple(starts)


def _number(heading: str, by_title: Mapping[str, Sequence[int]], before: int) -> int:
    """Return the number of the chapter that a heading names; 0 if it names none.

    Of several chapters with one title, as where the parts of a book count from 1, it is the next.
    """
    numbered = _NUMBERED.match(heading)
    for key in (_key(heading), _bare(heading)):
        if named := by_title.get(key):
            return next((number for number in named if number > before), named[-1])
    return int(numbered[1]) if numbered else 0


def _bare(title: str) -> str:
    return _key(_NUMBERED.sub("", title))


def _key(text: str) -> str:
    return " ".join(_WORDS.findall(text.casefold()))


def chapter_text(book: str, starts: Sequence[ChapterStart], number: int) -> str:
    """Return a chapter's text from its heading to the next chapter; empty if no heading names it."""
    ends = [start.position for start in starts[1:]] + [len(book)]
    for start, end in zip(starts, ends, strict=True) if starts else ():
        if start.number == number:
            return book[start.position : end].strip()
    return ""


def chapter_at(starts: Sequence[ChapterStart], position: int) -> int | None:
    """Return the chapter at ``position``; None before the first chapter heading."""
    at = bisect_right([start.position for start in starts], position)
    return starts[at - 1].number if at else None
