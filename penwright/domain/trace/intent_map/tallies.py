"""Count the blocks of each intent by file, heading and author, for the intent map.

They are those that the fold over the ledger leaves, under the headings they had when they last changed: a
block that is older than the ledger is not counted, and one whose heading alone changed is under the old one.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple, get_args

from penwright.domain.trace.live_blocks import Heading, LiveBlock, LiveBlocks, reworded_headings
from penwright.domain.trace.mentions import instant
from penwright.domain.trace.reading import records_in
from schemas.trace import EntityType, TracedFile, TraceRecord

KINDS: Final[tuple[EntityType, ...]] = get_args(EntityType)
"""Order of a tally's counts."""


class MapRow(NamedTuple):
    """One intent's part of one section of a file."""

    intent: str | None
    """None for what people wrote without one."""
    path: str
    heading: Heading


class Tally(NamedTuple):
    """Blocks of one row of the map."""

    last: datetime
    """When it last changed, UTC, whole seconds."""
    counts: tuple[int, ...]
    """Blocks by ``KINDS``."""

    @property
    def blocks(self) -> int:
        """All of them."""
        return sum(self.counts)


@dataclass(slots=True)
class MapState:
    """Blocks after some records, and the time of each place's last change."""

    blocks: LiveBlocks = field(default_factory=lambda: LiveBlocks(counting=True))
    changed: dict[MapRow, datetime] = field(default_factory=dict)

    def __len__(self) -> int:
        return sum(1 for _ in self.blocks.every())

    def apply(self, record: TraceRecord) -> None:
        """Apply the next record."""
        self.blocks.apply(record)
        at, intent = instant(record).replace(microsecond=0), record.intent.id if record.intent else None
        for each in self.blocks.applied.gone:
            self._touch(_row_of(each), at)
        # An intent that removes a block worked here, even if it has no blocks left.
        for path, heading in _emptied(record.files):
            self._touch(MapRow(intent, path, heading), at)
        for file in record.files:
            if file.path_before:
                self._rename(file.path_before, (), file.relative_path, ())
        for path, old, new in reworded_headings(record.files):
            self._rename(path, old, path, new)
        for each in (*self.blocks.applied.come, *self.blocks.applied.confused):
            self._touch(_row_of(each), at)

    def tallies(self) -> dict[MapRow, Tally]:
        """The tally of every place."""
        counts = Counter((_row_of(each), each.origin.author.entity_type) for each in self.blocks.every())
        return {
            row: Tally(at, tuple(counts[row, kind] for kind in KINDS)) for row, at in self.changed.items()
        }

    def _touch(self, row: MapRow, at: datetime) -> None:
        self.changed[row] = max(self.changed.get(row, at), at)

    def _rename(self, path: str, old: Heading, new_path: str, new: Heading) -> None:
        """Everything at a path and under a heading goes to another."""
        for row in [each for each in self.changed if _is_under(each, path, old)]:
            at = self.changed.pop(row)
            self._touch(MapRow(row.intent, new_path, (*new, *row.heading[len(old) :])), at)


def map_state(segments: Iterable[bytes]) -> MapState:
    """Replay the records of a ledger, given the contents of its segments; damaged lines are left out."""
    state = MapState()
    for record in records_in(segments):
        state.apply(record)
    return state


def _row_of(block: LiveBlock) -> MapRow:
    return MapRow(block.origin.intent, block.path, block.node.heading)


def _emptied(files: Sequence[TracedFile]) -> Iterable[tuple[str, Heading]]:
    return (
        (file.relative_path, row.node.heading)
        for file in files
        for talk in file.conversations
        for row in talk.removed
    )


def _is_under(row: MapRow, path: str, heading: Heading) -> bool:
    return row.path == path and row.heading[: len(heading)] == heading
