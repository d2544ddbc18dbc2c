"""Which entries of a lorebook a text mentions, and where: for people who read it.

A mention is a key that occurs, found as for a prompt. It makes no entry fire: timers, groups, chance,
secondary keys and the budget belong to the prompts of scenes.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from unicodedata import is_normalized

import regex

from penwright.domain.lore.index import BookIndex, slot_of
from penwright.domain.lore.texts import Patience, occurrences
from penwright.domain.lore.words import exact, folded, is_whole
from schemas.lore import LoreEntry

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


MOST_MENTIONS = 2_000
"""In one text."""
_MOST_OCCURRENCES = 50_000
"""Places that are looked at: keys may stand in one another."""

Spans = dict[tuple[int, int], set[int]]
"""From character to character: the places of entries in the index."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of the text in which keys occur; keys that overlap are one."""

    start: int
    end: int
    """Characters of the text."""
    entries: tuple[LoreEntry, ...]
    """Whose keys these are; the one whose key begins first, then the one with the longer key, comes first."""


def mentions(index: BookIndex, text: str) -> tuple[Mention, ...]:
    """The first ``MOST_MENTIONS`` mentions of entries that are switched on, in the order of the text."""
    spans: Spans = {}
    for span, entry in (*_plain(index, text), *_expressions(index, text)):
        spans.setdefault(span, set()).add(entry)
    return tuple(islice(_merged(index, spans), MOST_MENTIONS))


def _plain(index: BookIndex, text: str) -> Iterator[tuple[tuple[int, int], int]]:
    for folds, automaton in enumerate(index.automata):
        if automaton.machine is None:
            continue
        there = placed(text, folds=bool(folds))
        for needle, begin, end in islice(occurrences(automaton, there.form), _MOST_OCCURRENCES):
            for whole in (False, True):
                having = index.by_slot.get(slot_of(needle, folds=bool(folds), whole=whole), ())
                if having and (not whole or is_whole(there.form, begin, end)):
                    span = there.span(begin, end)
                    yield from ((span, entry) for entry in having)


def _expressions(index: BookIndex, text: str) -> Iterator[tuple[tuple[int, int], int]]:
    patience = Patience.of(len(index.expressions))
    for entry in index.expressions:
        for key in index.keys[entry].primary:
            for start, end in patience.spans(key, text, MOST_MENTIONS):
                if start < end:
                    yield (start, end), entry


def _merged(index: BookIndex, spans: Spans) -> Iterator[Mention]:
    open_: list[tuple[tuple[int, int], set[int]]] = []
    reached = 0
    for span, entries in sorted(spans.items(), key=lambda each: (each[0][0], -each[0][1])):
        if open_ and span[0] >= reached:
            yield _mention(index, open_)
            open_ = []
        open_.append((span, entries))
        reached = max(reached, span[1])
    if open_:
        yield _mention(index, open_)


def _mention(index: BookIndex, spans: list[tuple[tuple[int, int], set[int]]]) -> Mention:
    entries = dict.fromkeys(entry for _, each in spans for entry in sorted(each))
    start, end = spans[0][0][0], max(end for (_, end), _ in spans)
    return Mention(start, end, tuple(index.entries[entry] for entry in entries))
