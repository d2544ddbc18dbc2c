"""Passages of a source: whole sentences, about 150 words, each with its page and section."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from penwright.domain.citations.sentences import is_reference_heading, sentences_of
from penwright.domain.library.running_text import Section
from penwright.domain.library.sections import sections_of
from penwright.domain.text.words import count_words, split_words
from schemas.library import LibraryPassage, ReadSource

RULES: Final = 3
"""Version of the rules by which a file becomes passages; what was read by others is read again."""
_WORDS = 150
_LEAST = 50
"""Words of a last passage; a shorter rest goes with the one before it."""
_LONGEST = 300
"""Words of one sentence; what is longer, such as the cells of a table, is divided between words."""
_FEWEST = 25
_SENTENCE_END = re.compile(r"[.!?…؟۔።。！？｡।॥][\"'”’»)\]]*$")
_YEAR = re.compile(r"(?<!\d)(?:1[89]\d\d|20\d\d)[a-z]?(?!\d)")
_INITIAL = re.compile(r"\b[A-Z]\.")
_PLACE = re.compile(r"\bdoi\b|\bpp\.|\bvol\.|\d+\(\d+\)|\d+[–-]\d+", re.IGNORECASE)
_OF_ENTRIES = 3.5
"""Years in 100 words from which a text may be a list of references; prose that cites much has fewer."""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A sentence of a section."""

    text: str
    page: int | None
    words: int


def passages_of(read: ReadSource, name: str) -> tuple[LibraryPassage, ...]:
    """Return the passages of a source in its order, without title pages and captions, which say nothing.

    Args:
        name: that of its file.
    """
    grouped = ((section, pieces) for section in sections_of(read) for pieces in _grouped(section))
    found = (each for each in grouped if not _is_front(each[1]))
    return tuple(_passage(name, number, section, pieces) for number, (section, pieces) in enumerate(found, 1))


def _passage(name: str, number: int, section: Section, pieces: Sequence[_Piece]) -> LibraryPassage:
    text = " ".join(piece.text for piece in pieces)
    return LibraryPassage(
        source=name,
        number=number,
        page=pieces[0].page,
        section=section.title,
        text=text,
        is_reference_list=is_reference_heading(section.title) or _looks_like_entries(text),
    )


def _is_front(pieces: Sequence[_Piece]) -> bool:
    """Whether it is a few words without a sentence, such as a title with its authors."""
    words = sum(piece.words for piece in pieces)
    return words < _FEWEST and not any(_SENTENCE_END.search(piece.text) for piece in pieces)


def _grouped(section: Section) -> Iterator[tuple[_Piece, ...]]:
    groups, group, words = list[list[_Piece]](), list[_Piece](), 0
    for piece in _pieces(section):
        # A passage stands on one page, so that a quote from it does.
        if group and (words + piece.words > _WORDS + _LEAST or piece.page != group[0].page):
            groups.append(group)
            group, words = [], 0
        group.append(piece)
        words += piece.words
        if words >= _WORDS:
            groups.append(group)
            group, words = [], 0
    if group and groups and words < _LEAST and group[0].page == groups[-1][0].page:
        groups[-1] += group
    elif group:
        groups.append(group)
    yield from map(tuple, groups)


def _pieces(section: Section) -> Iterator[_Piece]:
    for sentence in sentences_of(section.text):
        text = " ".join(sentence.text.split())
        for part in _parts(text):
            yield _Piece(part, section.page_at(sentence.start), count_words(part))


def _parts(text: str) -> Iterator[str]:
    if count_words(text) <= _LONGEST or len(text.split()) <= _LONGEST:
        yield text
        return
    words = text.split()
    for start in range(0, len(words), _WORDS):
        yield " ".join(words[start : start + _WORDS])


def _looks_like_entries(text: str) -> bool:
    """Whether a text without a heading that says so is a list of references."""
    words = len(split_words(text))
    if words < 30:
        return False
    years, initials, places = (len(each.findall(text)) for each in (_YEAR, _INITIAL, _PLACE))
    return 100 * years / words >= _OF_ENTRIES and initials >= 2 * years / 1.5 and places >= years / 2
