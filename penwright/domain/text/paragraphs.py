"""Paragraphs: what blank lines separate, code and comments in one piece."""

import re
from bisect import bisect_right
from collections.abc import Sequence

from penwright.domain.text.ink_comments import Span, parse_marked

_BLANK = re.compile(r"\n[ \t\r]*\n\s*")


def holds_marks(text: str) -> bool:
    """Whether there may be code or a comment in it, which blank lines do not divide."""
    return any(sign in text for sign in ("<!--", "`", "~~~"))


def paragraph_spans(text: str) -> tuple[Span, ...]:
    """Where each paragraph stands, without the blank lines around it; the first line keeps its indent."""
    return spans_between(text, parse_marked(text).opaque if holds_marks(text) else ())


def spans_between(text: str, opaque: Sequence[Span]) -> tuple[Span, ...]:
    """The same, where ``opaque`` says what blank lines do not divide, in order of place."""
    starts = [start for start, _ in opaque]
    spans: list[Span] = []
    begin = 0
    for blank in _BLANK.finditer(text):
        nearest = bisect_right(starts, blank.start()) - 1
        if nearest >= 0 and blank.start() < opaque[nearest][1]:
            continue
        _keep(text, begin, blank.start(), spans)
        begin = text.rfind("\n", 0, blank.end()) + 1
    _keep(text, begin, len(text), spans)
    return tuple(spans)


def paragraphs(text: str) -> tuple[str, ...]:
    """The paragraphs themselves."""
    return tuple(text[start:end] for start, end in paragraph_spans(text))


def _keep(text: str, start: int, end: int, spans: list[Span]) -> None:
    """Add what is there, without line ends in front and blanks behind."""
    while start < end and text[start] in "\r\n":
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        spans.append((start, end))
