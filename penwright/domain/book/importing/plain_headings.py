"""Headings of a plain text: a paragraph of its own that says `CHAPTER 12. The Boat`, `Prologue` or `XII`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from penwright.domain.book.importing.heading_words import (
    CHAPTER_FIRST,
    CHAPTER_LAST,
    EASTERN_HEADING,
    EASTERN_SECTION,
    PART,
    SECTION,
    eastern_number,
    is_part,
)
from penwright.domain.book.importing.numerals import NUMBER, number_of
from penwright.domain.book.importing.values import Candidate

Block = tuple[int, int]
"""Lines between blank ones: index of the first, index after the last."""

_CHAPTER = r"CHAPTER|Chapter"
_NAMES = (
    "prologue|epilogue|preface|foreword|introduction|afterword|interlude|appendix|postscript|conclusion"
    "|acknowledge?ments|dedication|vorwort|nachwort|einleitung"
)
CONTENTS_TITLE = re.compile(
    r"\W*(?:table of )?contents\W*|\W*inhalt(?:sverzeichnis)?\W*|\W*table des mati[èe]res\W*"
    r"|\W*[íi]ndice\W*|\W*sommaire\W*|\W*inhoud\W*",
    re.IGNORECASE,
)
NUMBERED_CHAPTER = re.compile(
    rf"(?:(?:{_CHAPTER}|{CHAPTER_FIRST})[ \t]+(?P<after>{NUMBER})"
    rf"|(?:{CHAPTER_FIRST})[ \t]+(?P<word>[^\W\d_]\w*(?:[ \t]\w+)?)(?=[.:]?$)"
    rf"|(?P<before>\d{{1,3}})[.)]?[ \t]+{CHAPTER_LAST}"
    rf"|(?P<ordinal>[^\W\d_a-zà-ÿ]\w+)[ \t]+{CHAPTER_LAST}(?=\W*$))"
)
_NUMBERED_PART = re.compile(rf"{PART}[ \t]+(?P<after>{NUMBER})")
_NAMED = re.compile(rf"(?:(?i:{_NAMES})|{SECTION})\b")
_BARE = re.compile(r"(?P<number>\d{1,3}|[IVXLC]{1,7})\.?")
_COUNTED = re.compile(r"(?P<number>\d{1,3}|[IVXLC]{1,7})\.[ \t]+(?=[^\W\d_])\S.{0,77}")
_WRAPS_AT = 50
"""A title that is continued on the next line fills its own line at least so far."""
_LONGEST = 240
_MOST_LINES = 3
_KEY = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class _Named:
    """Beginning of a line that may be a heading."""

    kind: Literal["part", "chapter", "section"]
    key: str
    number: int
    bare: bool
    """It says nothing after its number or name."""


def blocks(lines: Sequence[str]) -> Iterator[Block]:
    """Yield the paragraphs of a text."""
    first = None
    for index, line in enumerate(lines):
        if line.strip():
            first = index if first is None else first
        elif first is not None:
            yield first, index
            first = None
    if first is not None:
        yield first, len(lines)


def key_of(title: str) -> str:
    """Return what two spellings of one title have in common: its words, in small letters."""
    return " ".join(_KEY.findall(title.casefold()))


def plain_headings(lines: Sequence[str]) -> list[Candidate]:
    """Return the paragraphs that look like headings, those of a list of contents too, in text order."""
    found = []
    for first, end in blocks(lines):
        eastern = list(_eastern_headings(lines, first, end))
        if eastern and eastern[0].first == first:
            found += eastern
            continue
        if heading := _heading(lines, first, end):
            found.append(heading)
        found += eastern
    return found


def counted_headings(lines: Sequence[str]) -> list[Candidate]:
    """Return paragraphs that count from 1 on, such as ``I`` or ``2. The Boat``; at least two, or none."""
    for form in (_BARE, _COUNTED):
        found = _rising(lines, form)
        if len(found) > 1:
            return found
    return []


def heading_like(title: str) -> Literal["part", "chapter", "section"] | None:
    """Return what a heading in Markdown calls itself; None if it is a title only."""
    named = _named(title)
    if named is None and _BARE.fullmatch(title):
        return "chapter"
    return named.kind if named else None


def _rising(lines: Sequence[str], form: re.Pattern[str]) -> list[Candidate]:
    found: list[Candidate] = []
    for first, end in blocks(lines):
        title = bared(lines[first])
        match = form.fullmatch(title) if end == first + 1 else None
        if match and number_of(match["number"]) == len(found) + 1:
            number = len(found) + 1
            found.append(Candidate(first, end, title, "chapter", f"chapter {number}", number=number))
    return found


def _heading(lines: Sequence[str], first: int, end: int) -> Candidate | None:
    named = _named(bared(lines[first]))
    if named is None:
        return None
    count = _heading_lines(lines[first:end], named)
    if not count:
        return None
    title = " ".join(bared(line) for line in lines[first : first + count])
    wraps = count > 1 and not named.bare
    return Candidate(first, first + count, title, named.kind, named.key, number=named.number, wraps=wraps)


def _heading_lines(block: Sequence[str], named: _Named) -> int:
    """Return how many lines of a paragraph that begins like a heading belong to it; 0 if it is prose."""
    if any(_named(bared(line)) for line in block[1:_MOST_LINES]):
        return 0  # a list of contents without blank lines
    if len(block) == 1 or named.kind == "section":
        return 1 if len(block[0].strip()) <= _LONGEST / 2 and (len(block) == 1 or named.bare) else 0
    if named.bare:
        return 2 if len(block) == 2 and _is_title(block[1]) else 1
    full = all(len(line.rstrip()) >= _WRAPS_AT for line in block[:-1])
    if full:
        short = len(block) <= _MOST_LINES and sum(map(len, block)) <= _LONGEST
        return len(block) if short else 0
    return 1


def _is_title(line: str) -> bool:
    text = line.strip()
    plain = text.strip("\"'“”‘’*_")
    return len(text) <= 80 and not plain[:1].islower() and (text.isupper() or text[-1] not in '.!?,;:”"’')


def _named(text: str) -> _Named | None:
    """Return how ``text`` begins, if like a heading: a capital, a number or name, no sentence after it."""
    if eastern := _eastern(text):
        return eastern
    patterns: tuple[tuple[Literal["part", "chapter"], re.Pattern[str]], ...] = (
        ("chapter", NUMBERED_CHAPTER),
        ("part", _NUMBERED_PART),
    )
    for kind, pattern in patterns:
        match = pattern.match(text)
        if match and _is_rest(text[match.end() :]):
            figures = next((value for value in match.groupdict().values() if value), "")
            number = number_of(figures)
            key = f"{kind} {number}" if number else key_of(match[0])
            return _Named(kind, key, number, not text[match.end() :].strip(" .:\t"))
    match = _NAMED.match(text)
    if match and not text[0].islower() and _is_rest(text[match.end() :]):
        rest = text[match.end() :].strip(" .:\t")
        if not rest or len(text) <= 80:
            return _Named("section", key_of(match[0]), 0, not rest)
    return None


def _eastern(text: str) -> _Named | None:
    """The beginning of a heading in Chinese, Japanese or Korean; there its whole line tells."""
    if match := EASTERN_HEADING.fullmatch(text):
        kind: Literal["part", "chapter"] = "part" if is_part(match) else "chapter"
        number = eastern_number(match["eastern"] or "")
        key = f"{kind} {number}" if number else key_of(text)
        return _Named(kind, key, number, not match["title"].strip(" \u3000.:：、"))
    if EASTERN_SECTION.fullmatch(text):
        return _Named("section", key_of(text), 0, bare=True)
    return None


def _eastern_headings(lines: Sequence[str], first: int, end: int) -> Iterator[Candidate]:
    """Chapters and parts in a paragraph: many texts in Chinese have no blank lines."""
    for index in range(first, end):
        title = bared(lines[index])
        if (named := _eastern(title)) and named.kind != "section":
            yield Candidate(index, index + 1, title, named.kind, named.key, number=named.number)


def _is_rest(rest: str) -> bool:
    """Whether a title can go on like this; in a sentence a comma or a small letter follows."""
    if not rest.strip():
        return True
    if not rest[0].isspace():
        return rest[0] in ".:)]—–-*_" and rest[1:2] != "’"
    return not rest.strip()[0].islower() and rest.strip()[0] not in ",;’'"


def bared(line: str) -> str:
    """Return a line without surrounding blanks and marks of emphasis."""
    text = line.strip()
    signs = len(text) - len(text.lstrip("*_"))
    return text[signs:-signs].strip() if signs and text.endswith(text[:signs]) else text
