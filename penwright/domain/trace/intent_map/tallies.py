"""Count the blocks of each intent by file, heading and author, for the intent map.

Counted from the records alone, under the headings the blocks had when they last changed: a block that is
older than the ledger is not counted, and one whose heading alone changed is counted under the old one.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import takewhile
from typing import Final, NamedTuple, get_args

from pydantic import ValidationError

from penwright.domain.trace.authors import origin_of
from penwright.domain.trace.chain import Raw
from schemas.trace import Author, Conversation, EntityType, Former, Range, TracedFile, TraceRecord

KINDS: Final[tuple[EntityType, ...]] = get_args(EntityType)
"""Order of a tally's counts."""
_UNKNOWN = Author(entity_type="UNKNOWN")
_NONE = (0,) * len(KINDS)


class MapRow(NamedTuple):
    """One intent's part of one section of a file."""

    intent: str | None
    """None for what people wrote without one."""
    path: str
    heading: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tally:
    """Blocks of one row of the map."""

    last: datetime
    """When it last changed, UTC, whole seconds."""
    counts: tuple[int, ...] = _NONE
    """Blocks by ``KINDS``."""

    @property
    def blocks(self) -> int:
        """All of them."""
        return sum(self.counts)


@dataclass(frozen=True, slots=True)
class MapState:
    """The tally of every place; not to be changed in place."""

    tallies: Mapping[MapRow, Tally] = field(default_factory=dict)

    def applied(self, *records: Raw | TraceRecord) -> "MapState":
        """The state after ``records``; what is not a record of this schema is ignored."""
        return _counted(self, records)


def fold(records: Iterable[Raw]) -> MapState:
    """The state after ``records``, in the order given."""
    return _counted(MapState(), records)


def _counted(state: MapState, records: Iterable[Raw | TraceRecord]) -> MapState:
    count = _TallyChanges(dict(state.tallies))
    for raw in records:
        try:
            record = raw if isinstance(raw, TraceRecord) else TraceRecord.model_validate(raw)
            at = _whole_second(record.timestamp)
        except (ValidationError, OverflowError):
            # Whether the ledger is sound is for the verifier to say.
            continue
        intent = record.intent.id if record.intent else None
        for file in record.files:
            _File(count, file, intent, at).count()
    return MapState(count.tallies)


def _whole_second(at: datetime) -> datetime:
    aware = at if at.tzinfo else at.replace(tzinfo=UTC)
    return aware.astimezone(UTC).replace(microsecond=0)


@dataclass(frozen=True, slots=True)
class _TallyChanges:
    """Tallies while they change."""

    tallies: dict[MapRow, Tally]

    def touch(self, place: MapRow, at: datetime) -> None:
        old = self.tallies.get(place)
        self.tallies[place] = Tally(max(old.last, at), old.counts) if old else Tally(at)

    def add(self, place: MapRow, author: Author, at: datetime) -> None:
        self.touch(place, at)
        self._change(place, author, 1)

    def decrement(self, place: MapRow, author: Author, at: datetime) -> None:
        """Subtract one block; never below zero.

        If this heading has none, subtract from the nearest one that has, so that file totals stay right.
        """
        kind = KINDS.index(author.entity_type)
        holder = place if self._holds(place, kind) else self._nearest(place, kind)
        if holder is not None:
            self.touch(holder, at)
            self._change(holder, author, -1)

    def _nearest(self, place: MapRow, kind: int) -> MapRow | None:
        around = (each for each in self.tallies if (each.intent, each.path) == (place.intent, place.path))
        holders = [each for each in around if self._holds(each, kind)]
        return min(holders, key=lambda each: _distance(each, place), default=None)

    def _holds(self, place: MapRow, kind: int) -> bool:
        return place in self.tallies and self.tallies[place].counts[kind] > 0

    def _change(self, place: MapRow, author: Author, by: int) -> None:
        old = self.tallies[place]
        counts = list(old.counts)
        counts[KINDS.index(author.entity_type)] += by
        self.tallies[place] = Tally(old.last, tuple(counts))

    def rename(self, old: tuple[str, tuple[str, ...]], new: tuple[str, tuple[str, ...]]) -> None:
        """Move everything at a path and under a heading to another."""
        path, heading = old
        for place in self._under(path, heading):
            tally = self.tallies.pop(place)
            goal = MapRow(place.intent, new[0], (*new[1], *place.heading[len(heading) :]))
            there = self.tallies.get(goal, Tally(tally.last))
            counts = tuple(a + b for a, b in zip(tally.counts, there.counts, strict=True))
            self.tallies[goal] = Tally(max(tally.last, there.last), counts)

    def empty(self, path: str, at: datetime) -> None:
        for place in self._under(path, ()):
            old = self.tallies[place]
            self.tallies[place] = Tally(max(old.last, at)) if old.blocks else old

    def _under(self, path: str, heading: tuple[str, ...]) -> list[MapRow]:
        return [
            place for place in self.tallies if place.path == path and place.heading[: len(heading)] == heading
        ]


def _distance(place: MapRow, other: MapRow) -> tuple[int, tuple[str, ...]]:
    """The more headings two rows share, the nearer they are; ties are broken by heading."""
    pairs = zip(place.heading, other.heading, strict=False)
    shared = len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))
    return -shared, place.heading


@dataclass(frozen=True, slots=True)
class _File:
    """One changed file of a record."""

    tallies: _TallyChanges
    file: TracedFile
    intent: str | None
    """The record's."""
    at: datetime

    def count(self) -> None:
        """Removals first, by the old headings; then renames; then additions, by the new headings."""
        path = self.file.relative_path
        for place, author in (*self._removed(), *self._replaced()):
            self.tallies.decrement(place, author, self.at)
        if self.file.path_before:
            self.tallies.rename((self.file.path_before, ()), (path, ()))
        for old, new in self._headings():
            self.tallies.rename((path, old), (path, new))
        for conversation, range_ in self._ranges():
            author, intent = self._owner(conversation, range_)
            self.tallies.add(MapRow(intent, path, range_.node.heading), author, self.at)
        if self.file.op == "delete":
            self.tallies.empty(path, self.at)

    def _ranges(self) -> Iterator[tuple[Conversation, Range]]:
        return ((each, range_) for each in self.file.conversations for range_ in each.ranges)

    def _owner(self, conversation: Conversation, range_: Range) -> tuple[Author, str | None]:
        """Author and intent of the block now."""
        origin = origin_of(conversation, range_, self.intent)
        return origin.author, origin.intent

    def _removed(self) -> Iterator[tuple[MapRow, Author]]:
        for conversation in self.file.conversations:
            for gone in conversation.removed:
                # The intent that removes a block worked here, even if it has no blocks left.
                self.tallies.touch(MapRow(self.intent, self.file.relative_path, gone.node.heading), self.at)
                place = MapRow(gone.intent, self.file.relative_path, gone.node.heading)
                yield place, gone.contributor or _UNKNOWN

    def _replaced(self) -> Iterator[tuple[MapRow, Author]]:
        for conversation, range_ in self._ranges():
            former = range_.former or (Former() if range_.change == "replaced" else None)
            if former is None:
                continue
            author, intent = self._owner(conversation, range_)
            if former.contributor is not None:
                author, intent = former.contributor, former.intent
            path = former.path or self.file.relative_path
            heading = range_.node.heading if former.heading is None else former.heading
            yield MapRow(intent, path, heading), author

    def _headings(self) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
        """Reworded headings, before and after."""
        for _, range_ in self._ranges():
            former = range_.former.heading if range_.former else None
            if range_.node.kind == "heading" and range_.change == "replaced" and former:
                yield former, range_.node.heading
