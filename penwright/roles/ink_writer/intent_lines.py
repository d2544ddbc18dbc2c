"""The part of an intent's context that tells a writer something: three lines, without its provenance."""

import re
from collections.abc import Mapping
from html import unescape

from penwright.roles.book_text import escaped

_LONGEST = 400
"""Characters of one line."""
_LINES: Mapping[str, str] = {
    "constraint": "the author asks of every session",
    "criterion": "the book is done when",
    "lesson": "learnt from sessions that failed",
}
"""Element of the context -> begin of the line that its texts are told in."""


def intent_lines(context: str) -> tuple[str, ...]:
    """Constraints, criteria and lessons of an ``<intent_context>``, each on one line; none if it has none."""
    told = ((begin, _texts(context, element)) for element, begin in _LINES.items())
    return tuple(f"- {begin}: {_shortened('; '.join(texts))}" for begin, texts in told if texts)


def _texts(context: str, element: str) -> list[str]:
    found = re.findall(rf"<{element}(?:\s[^<>]*)?>([^<]*)</{element}>", context)
    return [escaped(" ".join(unescape(text).split())) for text in found]


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
