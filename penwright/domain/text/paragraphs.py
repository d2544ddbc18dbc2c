"""Split text into paragraphs at blank lines; code and comments stay whole."""

import re
from bisect import bisect_right
from collections.abc import Sequence

from penwright.domain.text.ink_comments import Span, parse_marked

_BLANK = re.compile(r"\n[ \t\r]*\n\s*")


def holds_marks(text: str) -> bool:
    """Whether ``text`` may hold code or a comment, which blank lines do not divide."""
    return any(sign in text for sign in ("<!--", "`", "~~~"))


def paragraph_spans(text: str) -> tuple[Span, ...]:
    """Return the span of each paragraph, without surrounding blank lines; the first line keeps its indent."""
    return spans_between(text, parse_marked(text).opaque if holds_marks(text) else ())


def spans_between(text: str, opaque: Sequence[Span]) -> tuple[Span, ...]:
    """Return the spans of paragraphs; blank lines inside ``opaque`` spans (sorted) do not divide."""
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
    """Return the text of each paragraph."""
    return tuple(text[start:end] for start, end in paragraph_spans(text))


def _keep(text: str, start: int, end: int, spans: list[Span]) -> None:
    """Add the span without leading line ends and trailing white space, unless it is empty."""
    while start < end and text[start] in "\r\n":
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        spans.append((start, end))
