"""Numbers that a writer cites become entries of the works behind them; no entry comes from a model."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from penwright.domain.citations.references import References, cited
from penwright.domain.text.citation_tokens import tokens_of
from penwright.domain.text.inline_citations import NO_SOURCE
from schemas.patching import Operation
from schemas.section_evidence import EvidencePassage

_CITED: Final = re.compile(
    r"[ \t]*(?<![\w\]!\\])\[(\d{1,3}(?:\s*[,;]\s*\d{1,3}|\s*[-–]\s*\d{1,3})*)\](?![(\[:])"
)
_PART: Final = re.compile(r"(\d+)(?:\s*[-–]\s*(\d+))?")
_MISPLACED: Final = re.compile(rf"([.!?…]+[\"”’)]*)[ \t]*{re.escape(NO_SOURCE)}", re.IGNORECASE)
"""A mark behind the full stop of its sentence."""


@dataclass(frozen=True, slots=True)
class Cited:
    """Operations with entries in place of numbers."""

    operations: tuple[Operation, ...]
    added: tuple[str, ...] = ()
    """The citations, as they stand in the text."""
    unknown: tuple[int, ...] = ()
    """Numbers that no passage has; they are left out."""


def with_entries_for(
    operations: Sequence[Operation],
    passages: Sequence[EvidencePassage],
    references: References,
    today: date,
) -> Cited:
    """Put entries in place of the numbers in what ``operations`` write; a work has one entry throughout."""
    desk = _Desk({each.number: each for each in passages}, references, today)
    made = tuple(each.model_copy(update={"replace": desk.written(each.replace)}) for each in operations)
    return Cited(made, tuple(dict.fromkeys(desk.added)), tuple(sorted(desk.unknown)))


class _Desk:
    """Writes entries, and remembers which."""

    def __init__(self, passages: dict[int, EvidencePassage], references: References, today: date) -> None:
        self.passages = passages
        self.references = references
        self.today = today
        self.added: list[str] = []
        self.unknown: set[int] = set()

    def written(self, text: str) -> str:
        """A text with entries; what stands in code, formulas and citations is none of its numbers."""
        kept, behind = list[str](), 0
        for token in tokens_of(text):
            kept += [self._plain(text[behind : token.start]), text[token.start : token.end]]
            behind = token.end
        return "".join([*kept, self._plain(text[behind:])])

    def _plain(self, text: str) -> str:
        text = _MISPLACED.sub(rf" {NO_SOURCE}\1", text)
        return _CITED.sub(lambda found: self._entries(found[1]), text)

    def _entries(self, numbers: str) -> str:
        entries = dict.fromkeys(entry for number in _numbers(numbers) for entry in self._entry(number))
        return "".join(f" {each}" for each in entries)

    def _entry(self, number: int) -> Iterator[str]:
        if number not in self.passages:
            self.unknown.add(number)
            return
        self.references, known = cited(self.references, self.passages[number].record, self.today)
        self.added.append(f"[[{known.text}]]")
        yield self.added[-1]


def _numbers(written: str) -> Iterator[int]:
    """The numbers of ``1, 3`` and ``2-4``."""
    for first, last in _PART.findall(written):
        yield from range(int(first), int(last or first) + 1)
