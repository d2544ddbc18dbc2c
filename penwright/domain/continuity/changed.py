"""Facts that a commit took out of a book, and the later passages that still rest on them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from penwright.domain.continuity.checking import ONE_VALUE, differ
from penwright.domain.continuity.known import Known, KnownFact, folded
from penwright.domain.continuity.passages import ToldBlock
from penwright.domain.text.blocks import blocks_of

_PASSING = frozenset({"place"})
"""Traits of a moment, on which no later passage rests."""


@dataclass(frozen=True, slots=True)
class ChangedFact:
    """A fact that was changed, and the later facts that agree with what it was."""

    was: KnownFact
    now: str
    """Its value in the new text; empty if that states none."""
    later: tuple[KnownFact, ...]

    @property
    def note(self) -> str:
        """Write the note for the later passages."""
        new = f"is {self.now} now" if self.now else f"is {self.was.value} no more"
        said = f"{self.was.entity}, {self.was.trait}: was {self.was.value}, {new}; make this passage agree"
        return " ".join(said.replace("--", "-").replace(">", "").split())


@dataclass(frozen=True, slots=True)
class ReadText:
    """A book at one commit: its paragraphs, and what was read of them."""

    told: Sequence[ToldBlock]
    known: Known


def changed_facts(before: ReadText, after: ReadText, tip: ReadText) -> tuple[ChangedFact, ...]:
    """Return the facts of the paragraphs that a commit took out, as far as a later passage rests on them.

    Args:
        before: the book before the commit; ``after`` it; ``tip``: as it is now.
    """
    old, new = _hashes(before.told), _hashes(after.told)
    fresh = [each for each in after.known.facts if each.place.block in new - old and _holds(each)]
    stays = [each for each in after.known.facts if each.place.block in new & old and _holds(each)]
    places = _places(before.told, tip.told)
    found = []
    for fact in before.known.facts:
        if fact.place.block in new or not _holds(fact):
            continue
        names = _names(before.known, fact)
        restated = [each for each in fresh if _same(each, fact, names)]
        earlier = (each for each in stays if each.place.order < fact.place.order)
        if any(not differ(each.value, fact.value) for each in restated) or (
            not restated and any(_agrees(each, fact, names) for each in earlier)
        ):
            continue
        now = restated[-1].value if restated else ""
        behind = (each for each in tip.known.facts if each.place.order > places[fact.place.block])
        later = tuple(
            each for each in behind if each.place.block not in new - old and _rests(each, fact, names, now)
        )
        if later:
            found.append(ChangedFact(fact, now, later))
    return tuple(found)


def with_notes(text: str, changed: Iterable[ChangedFact]) -> tuple[str, int]:
    """Return a text with a note behind each paragraph that rests on a changed fact, and how many were put in.

    A note that stands there already is not put in again.
    """
    wanted: dict[str, list[str]] = {}
    for each in changed:
        for fact in each.later:
            notes = wanted.setdefault(fact.place.block, [])
            notes += [each.note] if each.note not in notes else []
    lines, put = text.split("\n"), 0
    for block in reversed(blocks_of(text)):
        notes = wanted.pop(block.hash, [])
        note = f"<!-- INK: {'. '.join(notes)} -->"
        if notes and note not in "\n".join(lines[block.end_line : block.end_line + 3]):
            lines[block.end_line : block.end_line] = ["", note]
            put += 1
    return "\n".join(lines), put


def _hashes(told: Sequence[ToldBlock]) -> frozenset[str]:
    return frozenset(each.hash for each in told)


def _places(before: Sequence[ToldBlock], tip: Sequence[ToldBlock]) -> dict[str, int]:
    """The place at the tip of each paragraph of before; of one that is gone, of the last one before it."""
    order: dict[str, int] = {}
    for at, each in enumerate(tip):
        order.setdefault(each.hash, at)
    found: dict[str, int] = {}
    last = -1
    for each in before:
        last = order.get(each.hash, last)
        found.setdefault(each.hash, last)
    return found


def _holds(fact: KnownFact) -> bool:
    return fact.mode == "told" and fact.trait not in _PASSING


def _names(known: Known, fact: KnownFact) -> frozenset[str]:
    """All names of the one that a fact is about."""
    names = (each.names for each in known.entities if each.name == fact.entity)
    return frozenset(folded(name) for each in names for name in each) | {folded(fact.entity)}


def _same(one: KnownFact, other: KnownFact, names: frozenset[str]) -> bool:
    return one.trait == other.trait and folded(one.entity) in names


def _agrees(one: KnownFact, other: KnownFact, names: frozenset[str]) -> bool:
    return _same(one, other, names) and not differ(one.value, other.value)


def _rests(later: KnownFact, was: KnownFact, names: frozenset[str], now: str) -> bool:
    """Whether a fact states the old value, or another one of what can have the new one only."""
    if not _holds(later) or not _same(later, was, names):
        return False
    only = later.trait in ONE_VALUE and bool(now) and differ(later.value, now)
    return only or not differ(later.value, was.value)
