"""A text with what typography varies made alike, and where its characters stood.

Quotes, dashes and spaces become the ASCII ones, a run of whitespace one space, an ellipsis three full stops;
letters are composed (NFC), invisible characters are left out.
"""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from unicodedata import is_normalized, normalize

import regex

from schemas.patching import Span

_ALIKE = (
    (" ", "\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008"),
    (" ", "\u2009\u200a\u2028\u2029\u202f\u205f\u3000"),
    ("'", "‘’‚‛′ʼ‹›"),
    ('"', "“”„‟″«»"),
    ("-", "\u2010\u2011‒–—―−"),
)
_RUN = re.compile("   *")
"""Two spaces or more. The two literal ones at its start let the search skip quickly."""
_UNEQUAL = regex.compile(
    "   *|…|[\u00ad\u200b\u2060\ufeff]+|[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|\\P{M}\\p{M}+"
)
"""Text whose length may change: runs of spaces, ellipses, invisible characters, Korean parts, accents."""
_SPECIAL = "…\u00ad\u200b\u2060\ufeff"


@dataclass(frozen=True, slots=True)
class NormalForm:
    """The normal form of a text, and its pieces whose length differs from the original's."""

    text: str
    starts: tuple[int, ...]
    """Offset in the normal form at which each such piece begins; rising."""
    ends: tuple[int, ...]
    """Offset in the normal form at which it ends."""
    originals: tuple[tuple[int, int], ...]
    """Start and end of the same pieces in the original."""

    def original(self, span: Span) -> Span:
        """The span of the original; a piece is taken whole even if only a part of it is in ``span``."""
        return Span(start=self._start(span.start), end=self._end(span.end))

    def _start(self, place: int) -> int:
        at = bisect_right(self.starts, place) - 1
        if at < 0:
            return place
        inside = self.starts[at] <= place < self.ends[at]
        return self.originals[at][0] if inside else self.originals[at][1] + place - self.ends[at]

    def _end(self, place: int) -> int:
        at = bisect_left(self.starts, place) - 1
        return place if at < 0 else self.originals[at][1] + max(0, place - self.ends[at])


def normal_form(text: str) -> NormalForm:
    """The normal form of a text."""
    plain = text
    for sign, others in _ALIKE:
        for other in others:
            plain = plain.replace(other, sign)
    is_plain = is_normalized("NFC", plain) and not any(sign in plain for sign in _SPECIAL)
    originals = tuple(found.span() for found in (_RUN if is_plain else _UNEQUAL).finditer(plain))
    pieces, starts, ends = [], [], []
    at = length = 0
    for start, end in originals:
        piece = _normal_piece(plain[start:end])
        pieces += [plain[at:start], piece]
        length += start - at
        starts.append(length)
        length += len(piece)
        ends.append(length)
        at = end
    return NormalForm("".join([*pieces, plain[at:]]), tuple(starts), tuple(ends), originals)


def _normal_piece(piece: str) -> str:
    if piece[0] == " ":
        return " " + normalize("NFC", piece.lstrip(" "))
    if piece[0] in _SPECIAL:
        return "..." if piece == "…" else ""
    return normalize("NFC", piece)
