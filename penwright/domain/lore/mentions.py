"""Which entries of a lorebook a text mentions, and where: for people who read it.

A mention is a key that occurs, found as for a prompt. It makes no entry fire: timers, groups, chance,
secondary keys and the budget belong to the prompts of scenes.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from penwright.domain.lore.index import BookIndex, slot_of
from penwright.domain.lore.places import placed
from penwright.domain.lore.texts import Patience, occurrences
from penwright.domain.lore.words import is_whole
from schemas.lore import LoreEntry

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
