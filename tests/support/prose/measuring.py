"""How many faults put into prose are found, and how much of untouched prose is taken for faulty."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from penwright.domain.prose.findings import findings
from penwright.domain.prose.indexing import extended
from penwright.domain.text.paragraphs import paragraphs
from penwright.domain.text.words import count_words
from schemas.prose import BookIndex, Finding
from tests.support.prose.mutations import MUTATIONS, Mutation, Session, Spoilt

STORY = Path(__file__).parent / "salt_road.txt"
"""Five thousand words of our own."""
EACH = 40
"""Faults of each family."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured on one text."""

    words: int
    found: Mapping[str, int]
    """Of the faults of each family, how many were found at their place by the rule that names them."""
    tried: int
    alarms: tuple[Finding, ...]
    """Findings in the untouched text."""

    def rate(self, rule: str) -> float:
        """False alarms of a rule in 10,000 words."""
        return 10_000 * sum(1 for each in self.alarms if each.rule == rule) / self.words


def measure(text: str, *, words: int, language: str = "English", each: int = EACH) -> Figures:
    """Write a text again in sessions of so many words, untouched and spoilt.

    Faults are put into sessions of the last half, so that there is a book before them.
    """
    written = tuple(sessions(text, words, language))
    later = written[len(written) // 2 :]
    found = {
        name: sum(_is_found(*_spoilt(mutation, Random(f"{name}/{seed}"), later)) for seed in range(each))
        for name, mutation in MUTATIONS.items()
    }
    alarms = tuple(one for session in written for one in findings(session.draft, session.index))
    total = sum(count_words(session.prose) for session in written)
    return Figures(total, found, each, alarms)


def sessions(text: str, words: int, language: str) -> Iterator[Session]:
    """The text in sessions of whole paragraphs, each with the book before it."""
    index = BookIndex(language=language)
    before: tuple[str, ...] = ()
    for part in _parts(paragraphs(text), words):
        prose = "\n\n".join(part)
        yield Session(prose, before, index)
        index, before = extended(index, [prose]), (*before, *part)


def _parts(texts: Iterable[str], words: int) -> Iterator[tuple[str, ...]]:
    part: list[str] = []
    for text in texts:
        part.append(text)
        if sum(map(count_words, part)) >= words:
            yield tuple(part)
            part = []


def _spoilt(mutation: Mutation, chance: Random, later: Sequence[Session]) -> tuple[Spoilt, Session]:
    """A fault in one of the sessions that can have it."""
    while True:
        session = chance.choice(later)
        if spoilt := mutation(chance, session):
            return spoilt, session


def _is_found(spoilt: Spoilt, session: Session) -> bool:
    return any(
        each.rule == spoilt.rule
        and (spoilt.end == 0 or (each.start < spoilt.end and spoilt.start < each.end))
        for each in findings(spoilt.draft, session.index)
    )


def table(figures: Figures) -> str:
    """The figures, for people."""
    lines = [f"{'of ' + str(figures.tried):>8}  faults found"]
    lines += [f"{count:>8}  {name}" for name, count in figures.found.items()]
    lines += [f"\n{'':>8}  false alarms in 10,000 words ({figures.words:,} words)"]
    rules = sorted({(not each.hard, each.rule) for each in figures.alarms})
    return "\n".join(lines + [f"{figures.rate(rule):>8.2f}  {rule}" for _, rule in rules])
