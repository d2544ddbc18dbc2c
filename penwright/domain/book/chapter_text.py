"""Where a chapter begins and ends in the validated book: its headings tell, as far as it has any."""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

_HEADING = re.compile(r"^(#{1,3})[ \t]+(\S.*?)[ \t#]*$", re.MULTILINE)
_NUMBERED = re.compile(r"\A\W*(?:chapter|kapitel|cap[ií]tulo|chapitre)?\s*0*(\d{1,4})\b", re.IGNORECASE)
_WORDS = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class ChapterStart:
    """The heading of a chapter."""

    number: int
    position: int
    """In the text of the book."""


def chapter_starts(book: str, titles: Mapping[int, str]) -> tuple[ChapterStart, ...]:
    """The chapters that headings name, by the title of an outline or by number, in the order of the book."""
    by_title = {key: number for number, title in titles.items() for key in (_key(title), _bare(title)) if key}
    starts: list[ChapterStart] = []
    for heading in _HEADING.finditer(book):
        number = _number(heading[2], by_title)
        if number in titles and number > (starts[-1].number if starts else 0):
            starts.append(ChapterStart(number, heading.start()))
    return tuple(starts)


def _number(heading: str, by_title: Mapping[str, int]) -> int:
    """Of the chapter that a heading names; 0 for any other heading."""
    numbered = _NUMBERED.match(heading)
    named = by_title.get(_key(heading)) or by_title.get(_bare(heading))
    return named or (int(numbered[1]) if numbered else 0)


def _bare(title: str) -> str:
    return _key(_NUMBERED.sub("", title))


def _key(text: str) -> str:
    return " ".join(_WORDS.findall(text.casefold()))


def chapter_text(book: str, starts: Sequence[ChapterStart], number: int) -> str:
    """The text of a chapter from its heading to the next one; empty if no heading names it."""
    ends = [start.position for start in starts[1:]] + [len(book)]
    for start, end in zip(starts, ends, strict=True) if starts else ():
        if start.number == number:
            return book[start.position : end].strip()
    return ""


def chapter_at(starts: Sequence[ChapterStart], position: int) -> int | None:
    """The chapter that the text at ``position`` belongs to; None in front of the first heading."""
    at = bisect_right([start.position for start in starts], position)
    return starts[at - 1].number if at else None
