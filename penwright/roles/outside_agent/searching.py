"""Search a book for words: passages with a little around them, the newest first."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

import regex

from penwright.agents.files.filesystem import Filesystem
from penwright.domain.book.files.layout import (
    BOOK_FOLDER,
    CHANGELOG_FOLDER,
    CHAPTERS_FOLDER,
    MATERIAL_FOLDER,
    REVIEW_FOLDER,
)
from penwright.errors import Refused
from penwright.roles.outside_agent.reading import decoded
from schemas.outside_agent import SearchHit, SearchHits

_FOLDERS: Final = (REVIEW_FOLDER, BOOK_FOLDER, CHAPTERS_FOLDER, MATERIAL_FOLDER, CHANGELOG_FOLDER)
"""The newest prose first; what says how the book came about last."""
_BETWEEN_WORDS: Final = r"(?:[^\S\n]|\n(?!\s*\n))+"
"""Blanks, or the end of a line inside a paragraph."""
_LONGEST_PASSAGE = 600
"""Characters of a paragraph that are shown of it."""
_AROUND = 160
"""Characters that are shown of the paragraph before, and of the one behind."""
_COMMENT = regex.compile(r"<!--.*?-->", regex.DOTALL)


def search(files: Filesystem, text: str, most: int) -> SearchHits:
    """Paragraphs that hold ``text``, each once, from the newest back; case and line ends do not count."""
    rule = regex.compile(
        _BETWEEN_WORDS.join(map(regex.escape, text.split())) or regex.escape(text), regex.IGNORECASE
    )
    found: list[SearchHit] = []
    passed_over: list[str] = []
    for path in _newest_first(files):
        try:
            whole = decoded(path, files.read(path)).replace("\r\n", "\n")
        except Refused:
            passed_over.append(path)
            continue
        found += islice(_hits(path, whole, rule), most + 1 - len(found))
        if len(found) > most:
            break
    return SearchHits(places=tuple(found[:most]), more=len(found) > most, passed_over=tuple(passed_over))


def _newest_first(files: Filesystem) -> Iterator[str]:
    for folder in _FOLDERS:
        yield from reversed(files.glob(f"{folder}/**").paths)


def _hits(path: str, whole: str, rule: "regex.Pattern[str]") -> Iterator[SearchHit]:
    """The paragraphs of one text that match, from its end on."""
    begin = len(whole) + 1
    for at in reversed([found.start() for found in rule.finditer(whole)]):
        if at < begin:
            blank = whole.rfind("\n\n", 0, at)
            begin = blank + 2 if blank >= 0 else 0
            yield SearchHit(path=path, line=whole.count("\n", 0, at) + 1, excerpt=_excerpt(whole, begin, at))


def _excerpt(whole: str, begin: int, at: int) -> str:
    """The paragraph that begins at ``begin``, around ``at``, with the ends of its neighbours."""
    end = whole.find("\n\n", at)
    end = end if end >= 0 else len(whole)
    parts = (
        _cut(_neighbour(whole[max(0, begin - 4 * _AROUND) : begin], -1), _AROUND, from_end=True),
        _middle(whole[begin:end].strip(), at - begin),
        _cut(_neighbour(whole[end : end + 4 * _AROUND], 0), _AROUND),
    )
    return "\n\n".join(part for part in parts if part)


def _neighbour(text: str, which: int) -> str:
    """The last (-1) or first (0) paragraph of ``text`` that is not a comment; empty if there is none."""
    told = [part.strip() for part in _COMMENT.sub("", text).split("\n\n") if part.strip()]
    return told[which] if told else ""


def _cut(text: str, most: int, *, from_end: bool = False) -> str:
    if len(text) <= most:
        return text
    return f"… {text[-most:].partition(' ')[2]}" if from_end else f"{text[:most].rpartition(' ')[0]} …"


def _middle(paragraph: str, at: int) -> str:
    if len(paragraph) <= _LONGEST_PASSAGE:
        return paragraph
    begin = max(0, min(at - _LONGEST_PASSAGE // 2, len(paragraph) - _LONGEST_PASSAGE))
    shown = paragraph[begin : begin + _LONGEST_PASSAGE]
    return f"{'…' if begin else ''}{shown}{'…' if begin + len(shown) < len(paragraph) else ''}"
