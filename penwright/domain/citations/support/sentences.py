"""Sentences of a source that speak for it, with their places; references, titles and quotations do not."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from penwright.domain.citations.abbreviations import is_abbreviation

_END = re.compile(r"(?<=[.!?])[\"'”’»)\]]*\s+(?=[\"'“‘«(\[]*[^\W_])")
_BREAK = re.compile(r"\n\s*\n")
_WORD_BEFORE = re.compile(r"[^\s(\[“\"]*$")
_CLOSED = re.compile(r"[.!?…][\"'”’»)\]]*$")
_QUOTED = re.compile(r"“[^”]{8,300}”|«[^»]{8,300}»|‘[^’]{12,300}’(?!\w)|\"[^\"\n]{8,300}\"")
_ASIDE = re.compile(r"\([^()]*[^\W\d_][^()]*\)")
_AUTHOR: Final = r"\b[A-Z][\w'’-]+,\s+(?:[A-Z]\.[\s-]?)+|^\s*\[\d+\]\s*(?:[A-Z]\.\s?)+[A-Z]\w+|10\.\d{4,9}/\S"
_VOLUME: Final = r"\b\d+\s*\(\d{1,4}\)[:,]?\s*\d+\s*[–-]\s*\d+|\b\d+\s*[,:]\s*\d+\s*[–-]\s*\d+"
_REFERENCE = re.compile(f"{_AUTHOR}|{_VOLUME}")
_BY = re.compile(_AUTHOR)
_IN = re.compile(_VOLUME)
_LONGEST: Final = 90
"""Words of a sentence at most; more is a table or a list without points, which has every word somewhere."""
_TITLE_WORDS: Final = 3
"""A title of fewer words may stand in any sentence."""


class Spoken(NamedTuple):
    """A sentence of a text."""

    start: int
    end: int
    own: str
    """Its words, without those in quotation marks, which are another's."""
    after: str
    """The sentence behind it."""


def spoken_in(text: str, titles: Iterable[str], *, whole: bool = True) -> Iterator[Spoken]:
    """The sentences that assert something, in order.

    Args:
        titles: of the work and of the section, which may stand among its sentences.
        whole: a sentence without its point is a heading or a caption, and left out.
    """
    spans = list(_spans(text, [each for each in map(_pattern, titles) if each]))
    said = [text[start:end] for start, end in spans]
    bare = [_ASIDE.sub(" ", each) for each in said]
    for at, (start, end) in enumerate(spans):
        if whole and not _CLOSED.search(said[at]):
            continue
        if len(said[at].split()) > _LONGEST or _is_of_reference(bare, at):
            continue
        after = said[at + 1] if at + 1 < len(said) else ""
        yield Spoken(start, end, _QUOTED.sub(lambda found: " " * len(found[0]), said[at]), after)


def _is_of_reference(sentences: Sequence[str], at: int) -> bool:
    """Whether a sentence is part of a reference: its authors stand before it, its volume behind it."""
    if _REFERENCE.search(sentences[at]):
        return True
    before = sentences[at - 1] if at else ""
    after = " ".join(sentences[at + 1 : at + 3])
    return bool(_BY.search(before)) or bool(_IN.search(after[:80]))


def _pattern(title: str) -> re.Pattern[str] | None:
    words = re.findall(r"\w+", title)
    if len(words) < _TITLE_WORDS:
        return None
    return re.compile(r"\W+".join(map(re.escape, words)) + r"\b", re.IGNORECASE)


def _spans(text: str, titles: Sequence[re.Pattern[str]]) -> Iterator[tuple[int, int]]:
    """Places of sentences; a title and an empty line end one."""
    cuts = sorted(
        (each.start(), each.end()) for pattern in (*titles, _BREAK) for each in pattern.finditer(text)
    )
    start = 0
    for cut, behind in (*cuts, (len(text), len(text))):
        if cut > start:
            yield from _sentences(text, start, cut)
        start = max(start, behind)


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    begin = start
    for found in _END.finditer(text, start, end):
        before = _WORD_BEFORE.search(text[begin : found.start()].rstrip(".!?"))
        ended = text[found.start() - 1] != "." or before is None or not is_abbreviation(before[0])
        if ended:
            yield from _trimmed(text, begin, found.end())
            begin = found.end()
    yield from _trimmed(text, begin, end)


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    part = text[start:end]
    begin = start + len(part) - len(part.lstrip())
    if part.strip():
        yield begin, begin + len(part.strip())
