"""Match reworks to instructions and to the passages they replace; an ambiguous one stays unmatched."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from penwright.domain.book.review.delivery import Rework
from penwright.domain.book.review.markers import annotation_readings
from penwright.domain.book.review.waiting_prose import Note, WaitingProse
from penwright.domain.text.ink_comments import Span

_TOKEN = re.compile(r"\S+")
_PLAIN = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "—": "-", "–": "-", "…": "."})
_QUOTES = " \t\"'`*_"


@dataclass(frozen=True, slots=True)
class Replacement:
    """A rework, the instruction it answers and the passage it replaces."""

    note: Note
    passage: Span
    """In the clean waiting text."""
    text: str


@dataclass(frozen=True, slots=True)
class Matched:
    """The reworks of a delivery, matched."""

    replacements: tuple[Replacement, ...]
    """In story order; their passages do not overlap."""
    unmatched: tuple[Rework, ...]
    """They replace nothing."""
    warnings: tuple[str, ...]


def match_reworks(reworks: Sequence[Rework], waiting: WaitingProse) -> Matched:
    """Find the open instruction of each rework; without exactly one, the rework stays unmatched."""
    taken: list[Replacement] = []
    unmatched = []
    alone = len(reworks) == 1
    tokens = _Tokens(waiting.text) if any(rework.original for rework in reworks) else None
    for rework in reworks:
        found = _replacement(rework, waiting, tokens, alone=alone)
        if found is None or any(_clash(found, other) for other in taken):
            unmatched.append(rework)
        else:
            taken.append(found)
    taken.sort(key=lambda replacement: (replacement.passage, replacement.note.position))
    return Matched(tuple(taken), tuple(unmatched), tuple(_warning(rework) for rework in unmatched))


def _warning(rework: Rework) -> str:
    opening = " ".join(rework.body.split()[:12])
    return (
        f"A rework answers no instruction, or more than one: {opening!r}. It was kept in Review/current.md "
        "beside the old text; move it where it belongs, or delete it."
    )


def _clash(one: Replacement, other: Replacement) -> bool:
    """Whether both answer one instruction, or their passages overlap."""
    if one.note is other.note or one.passage == other.passage:
        return True
    return one.passage[0] < other.passage[1] and other.passage[0] < one.passage[1]


def _replacement(
    rework: Rework, waiting: WaitingProse, tokens: "_Tokens | None", *, alone: bool
) -> Replacement | None:
    if not rework.closed:
        return None
    candidates, text = _candidates(rework, waiting, alone=alone)
    quoting = _quoting(rework.original, candidates, tokens)
    if len(quoting) == 1:
        return Replacement(*quoting[0], text)
    if len(candidates) == 1 and (rework.annotated or alone):
        return Replacement(candidates[0], waiting.passage(candidates[0]), text)
    return None


def _quoting(
    original: str, candidates: Sequence[Note], tokens: "_Tokens | None"
) -> tuple[tuple[Note, Span], ...]:
    """Return the instructions nearest to the end of the quoted text, each with the span of that text."""
    if tokens is None:
        return ()
    found = [(note, tokens.touching(original, note.position)) for note in candidates]
    touching = [(match[0], note, match[1]) for note, match in found if match is not None]
    nearest = min((distance for distance, _, _ in touching), default=0)
    return tuple((note, span) for distance, note, span in touching if distance == nearest)


def _candidates(rework: Rework, waiting: WaitingProse, *, alone: bool) -> tuple[tuple[Note, ...], str]:
    """Return the instructions that the rework may answer, and its text without the annotation."""
    for quoted, rest in annotation_readings(rework.body):
        named = tuple(note for note in waiting.instructions if same_wording(note.text, quoted))
        if named:
            return named, rest.strip("\n")
    if rework.annotated:
        return (), rework.text
    if rework.original or (alone and len(waiting.instructions) == 1):
        return waiting.instructions, rework.body
    return (), rework.body


def same_wording(one: str, other: str) -> bool:
    """Whether two texts are equal up to white space, quotes, dashes and case."""
    return _comparable(one) == _comparable(other)


def _comparable(text: str) -> str:
    return " ".join(text.split()).translate(_PLAIN).strip(_QUOTES).casefold()


class _Tokens:
    """The words of a text with their spans; finds quotations despite different white space and quotes."""

    def __init__(self, text: str) -> None:
        self._spans = [found.span() for found in _TOKEN.finditer(text)]
        self._words = [text[start:end].translate(_PLAIN) for start, end in self._spans]

    def touching(self, quotation: str, position: int) -> tuple[int, Span] | None:
        """Find ``quotation`` around ``position``; returns its distance and span.

        Distance: 0 if it ends at ``position``, 1 if it spans it, 2 if it begins there.
        """
        wanted = [word.translate(_PLAIN) for word in quotation.split()]
        if not wanted:
            return None
        before = self._before(position)
        for first in range(before - len(wanted), before + 1):
            if first >= 0 and self._words[first : first + len(wanted)] == wanted:
                end = first + len(wanted)
                distance = 0 if end == before else 2 if first == before else 1
                return distance, (self._spans[first][0], self._spans[end - 1][1])
        return None

    def _before(self, position: int) -> int:
        """Count the words that begin before ``position``."""
        low, high = 0, len(self._spans)
        while low < high:
            middle = (low + high) // 2
            if self._spans[middle][0] < position:
                low = middle + 1
            else:
                high = middle
        return low
