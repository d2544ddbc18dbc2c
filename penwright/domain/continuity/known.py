"""The story of a book at one commit: its readings, as far as their blocks are in the text.

A pure function of the readings and the text: a rollback, a merge, a move or an edit needs no bookkeeping.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby
from typing import TypeVar

from penwright.domain.continuity.passages import ToldBlock
from schemas.continuity import Correction, Entity, Mode, Reading, Stated, Step, ThreadStep

_FEW = 10
"""A passage of fewer words than one in so many of its chapter is an edit."""
S = TypeVar("S", bound=Stated)


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a statement in the text."""

    chapter: int
    order: int
    """Of the block in the text, from 0."""
    quote: str
    block: str


@dataclass(frozen=True, slots=True)
class KnownEntity:
    """A person, place or thing, under all its names."""

    name: str
    kind: str
    """Empty if the prose only states facts of it."""
    names: tuple[str, ...]
    """All of them, the first one included."""
    first: Place


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A fact and where it stands."""

    entity: str
    """Name of the entity it is about."""
    trait: str
    value: str
    mode: Mode
    place: Place
    number: int = 0
    """Among the statements of the book, from 1; decisions of the author change no number."""
    misread: str = ""
    """The value as the clerk read it, if the author has corrected it."""


@dataclass(frozen=True, slots=True)
class KnownThread:
    """A question that the story opens, and its steps in the order of the text."""

    name: str
    steps: tuple[tuple[Step, Place], ...]

    @property
    def is_open(self) -> bool:
        """Whether its last step has not paid it."""
        return self.steps[-1][0] != "paid"


@dataclass(frozen=True, slots=True)
class ChapterStory:
    """The summaries of a chapter, as far as it was read."""

    chapter: int
    summaries: tuple[str, ...]
    """Of its passages, in the order of the text."""


@dataclass(frozen=True)
class Known:
    """The story as far as it was read."""

    chapters: tuple[ChapterStory, ...] = ()
    entities: tuple[KnownEntity, ...] = ()
    facts: tuple[KnownFact, ...] = ()
    threads: tuple[KnownThread, ...] = ()
    last_read: frozenset[str] = frozenset()
    """Blocks of the passage that is the last one in the text."""
    read: frozenset[str] = frozenset()
    """Blocks of the text that have a reading."""
    stated: int = 0
    lost: int = 0
    """Statements of the readings told here that were left out, as their quote was not in the text."""
    failures: tuple[str, ...] = ()
    """Reasons why passages of the text have no reading."""
    rejected: tuple[KnownFact, ...] = ()
    """Facts that the author has rejected; they are not among ``facts``."""
    corrections: tuple[Correction, ...] = ()
    """Those of the author that hold for this text."""

    @property
    def throughout(self) -> tuple[Correction, ...]:
        """Corrections that hold in all the book, and not of one statement."""
        return tuple(each for each in self.corrections if not each.quote)

    @cached_property
    def by_entity(self) -> Mapping[str, tuple[KnownFact, ...]]:
        """The facts of each entity, in the order of the text."""
        found: dict[str, list[KnownFact]] = {}
        for each in self.facts:
            found.setdefault(each.entity, []).append(each)
        return {name: tuple(facts) for name, facts in found.items()}


def known(readings: Iterable[Reading], told: Sequence[ToldBlock]) -> Known:
    """Fold the readings of a book over its text; the order of the readings is of no consequence."""
    text = _Text.of(told)
    chosen = _chosen(readings, text)
    alive = sorted({id(each): each for each in chosen.values()}.values(), key=text.begin)
    entities = _entities(text.stated(alive, chosen, lambda each: each.entities))
    names = {folded(name): each.name for each in entities for name in each.names}
    facts = tuple(
        KnownFact(names.get(folded(each.about), each.about), each.trait, each.value, each.mode, place, number)
        for number, (each, place) in enumerate(text.stated(alive, chosen, lambda each: each.facts), 1)
    )
    last = max(alive, key=text.end, default=None)
    return Known(
        chapters=tuple(_chapters(alive, text)),
        entities=(*entities, *_only_in_facts(facts, names)),
        facts=facts,
        threads=tuple(_threads(text.stated(alive, chosen, lambda each: each.threads))),
        last_read=frozenset(last.blocks) if last else frozenset(),
        read=frozenset(chosen),
        stated=sum(len(each.stated) for each in alive),
        lost=sum(each.lost for each in alive),
        failures=tuple(dict.fromkeys(each.failure for each in alive if each.failure)),
    )


@dataclass(frozen=True, slots=True)
class _Text:
    """The first place of each block, and the chapter of each place."""

    order: Mapping[str, int]
    chapters: Sequence[int]

    @classmethod
    def of(cls, told: Sequence[ToldBlock]) -> "_Text":
        order: dict[str, int] = {}
        for at, each in enumerate(told):
            order.setdefault(each.hash, at)
        return cls(order, [each.chapter for each in told])

    def begin(self, reading: Reading) -> int:
        return min(self.order[each] for each in reading.blocks if each in self.order)

    def end(self, reading: Reading) -> int:
        return max(self.order[each] for each in reading.blocks if each in self.order)

    def stated(
        self,
        alive: Iterable[Reading],
        chosen: Mapping[str, Reading],
        part: Callable[[Reading], tuple[S, ...]],
    ) -> tuple[tuple[S, Place], ...]:
        """One part of the readings, with its places, in the order of the text."""
        found = (
            (each, self._place(each))
            for reading in alive
            for each in part(reading)
            if chosen.get(each.block) is reading
        )
        return tuple(sorted(found, key=lambda pair: pair[1].order))

    def _place(self, stated: Stated) -> Place:
        at = self.order[stated.block]
        return Place(self.chapters[at], at, stated.quote, stated.block)


def _chosen(readings: Iterable[Reading], text: _Text) -> dict[str, Reading]:
    """The newest reading of each block that is in the text."""
    chosen: dict[str, Reading] = {}
    for reading in readings:
        for block in reading.blocks:
            if block in text.order and (block not in chosen or _is_newer(reading, chosen[block])):
                chosen[block] = reading
    return chosen


def _is_newer(one: Reading, other: Reading) -> bool:
    """Two clones may have read a block in the same moment; then their content decides."""
    if one.at != other.at:
        return one.at > other.at
    return one.model_dump_json() > other.model_dump_json()


def _chapters(alive: Iterable[Reading], text: _Text) -> Iterator[ChapterStory]:
    """A summary of which half the blocks are gone tells of another text; one of a few edited words tells
    nothing that the others do not. Both are left out."""
    told = [
        (text.chapters[text.begin(each)], each)
        for each in alive
        if each.summary and 2 * sum(block in text.order for block in each.blocks) >= len(each.blocks)
    ]
    for chapter, pairs in groupby(told, key=lambda pair: pair[0]):
        parts = [each for _, each in pairs]
        words = sum(each.words for each in parts)
        yield ChapterStory(chapter, tuple(each.summary for each in parts if each.words * _FEW >= words))


def _entities(stated: Iterable[tuple[Entity, Place]]) -> tuple[KnownEntity, ...]:
    """One for all that share a name; names that are only alike join no two."""
    owners: dict[str, int] = {}
    found: list[KnownEntity] = []
    for entity, place in stated:
        names = (entity.name, *entity.also)
        at = next((owners[folded(name)] for name in names if folded(name) in owners), len(found))
        if at == len(found):
            found.append(KnownEntity(entity.name, entity.kind, (), place))
        known_names = {folded(name): name for name in (*names, *found[at].names)}
        ordered = {folded(name): known_names[folded(name)] for name in (*found[at].names, *names)}
        found[at] = replace(found[at], names=tuple(ordered.values()))
        for name in names:
            owners.setdefault(folded(name), at)
    return tuple(found)


def _only_in_facts(facts: Iterable[KnownFact], names: Mapping[str, str]) -> Iterator[KnownEntity]:
    seen: set[str] = set()
    for each in facts:
        if (key := folded(each.entity)) not in names and key not in seen:
            seen.add(key)
            yield KnownEntity(each.entity, "", (each.entity,), each.place)


def _threads(stated: Iterable[tuple[ThreadStep, Place]]) -> Iterator[KnownThread]:
    steps: dict[str, list[tuple[Step, Place]]] = {}
    names: dict[str, str] = {}
    for each, place in stated:
        names.setdefault(folded(each.thread), each.thread)
        steps.setdefault(folded(each.thread), []).append((each.step, place))
    return (KnownThread(names[key], tuple(found)) for key, found in steps.items())


def folded(name: str) -> str:
    """A name or value as it is compared."""
    return " ".join(name.split()).casefold()
