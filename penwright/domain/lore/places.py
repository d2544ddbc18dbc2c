"""Positions in a text, as it was written, of stretches of the form in which keys are looked for."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from unicodedata import is_normalized

import regex

from penwright.domain.lore.words import exact, folded

_TOKEN = re.compile(r"\S+")
_CLUSTER = regex.compile(r"\X")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a text and of its form; ``even``: each character of the one is one of the other."""

    start: int
    end: int
    form: str
    even: bool


@dataclass(frozen=True, slots=True)
class Placed:
    """A text in a form in which keys are looked for (``words.exact``, or ``words.folded`` of it)."""

    form: str
    pieces: tuple[Piece, ...]
    starts: tuple[int, ...]
    """Of the pieces, in the form."""

    def span(self, begin: int, end: int) -> tuple[int, int]:
        """Locate the characters ``begin`` to ``end`` of the form in the text; no edge is a space."""
        first, last = (bisect_right(self.starts, at) - 1 for at in (begin, end - 1))
        head, tail = self.pieces[first], self.pieces[last]
        return (
            head.start + (begin - self.starts[first]) * head.even,
            tail.start + end - self.starts[last] if tail.even else tail.end,
        )


def placed(text: str, *, folds: bool) -> Placed:
    """Bring a text into its form, with or without case, keeping where each part of it was."""
    pieces: list[Piece] = []
    starts: list[int] = []
    parts: list[str] = []
    length = 0
    for token in _TOKEN.finditer(text):
        if parts:
            parts.append(" ")
            length += 1
        for piece in _pieces(token.group(), token.start(), folds):
            pieces.append(piece)
            starts.append(length)
            parts.append(piece.form)
            length += len(piece.form)
    return Placed("".join(parts), tuple(pieces), tuple(starts))


def _pieces(token: str, at: int, folds: bool) -> Iterator[Piece]:
    """The token as one piece, or cluster by cluster if its form has other characters than it."""
    whole = _shape(token, folds)
    if _is_even(token, whole):
        yield Piece(at, at + len(token), whole, even=True)
        return
    for cluster in _CLUSTER.finditer(token):
        form = _shape(cluster.group(), folds)
        yield Piece(at + cluster.start(), at + cluster.end(), form, even=False)


def _shape(text: str, folds: bool) -> str:
    return folded(exact(text)) if folds else exact(text)


def _is_even(token: str, form: str) -> bool:
    if token.isascii():
        return True
    caseless = token.casefold()
    return (
        len(token) == len(form) == len(caseless)
        and is_normalized("NFC", token)
        and is_normalized("NFC", caseless)
    )
