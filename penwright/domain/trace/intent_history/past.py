"""What has been done for an intent, read from the index or, without one, from the ledger itself."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, islice

from penwright.domain.text.chunks import ChunkCache
from penwright.domain.trace.chain import canonical
from penwright.domain.trace.indexing import covered_at, heads_of
from penwright.domain.trace.intent_history.block_states import BlockState, block_states
from penwright.domain.trace.mentions import instant, newest_first, superseded_by
from penwright.domain.trace.reading import read_records
from penwright.domain.trace.source import TraceIndex, TraceSource
from schemas.trace import Author, Node, Range, Removed, TracedFile, TraceRecord

_RECORDS = 50
"""Newest records of an intent that are looked at."""
_NODES = 20


@dataclass(frozen=True, slots=True)
class TouchedBlock:
    """A block, or a file as a whole, by the newest record of an intent that changed it."""

    record: TraceRecord
    file: TracedFile
    author: Author
    row: Range | Removed | None = None
    """None: the file as a whole."""

    @property
    def path(self) -> str:
        return self.file.relative_path

    @property
    def node(self) -> Node | None:
        return self.row.node if self.row else None

    @property
    def block(self) -> str:
        return self.row.block_hash if self.row else ""

    @property
    def ctx(self) -> tuple[str, str] | None:
        return self.row.ctx if isinstance(self.row, Range) else None

    @property
    def deleted(self) -> bool:
        return self.file.op == "delete"

    @property
    def change(self) -> str:
        """What was done to it; of a file as a whole, the operation."""
        if self.row is None:
            return self.file.op
        return self.row.change if isinstance(self.row, Range) else "removed"


@dataclass(frozen=True, slots=True)
class Past:
    """The newest of what was done for an intent, and what became of it."""

    intent: str
    touched: tuple[TouchedBlock, ...]
    """Newest first, each place once."""
    states: tuple[BlockState, ...]
    """Of each touched one."""
    total: int
    """Records of the intent."""
    heads: tuple[str, ...]
    """Newest records of the ledger."""
    whole: bool
    """Nothing older is left out."""


def past_from_index(
    source: TraceSource, index: TraceIndex, subject: str, intent: str, chunks: ChunkCache | None = None
) -> Past:
    """The past of an intent; the index is brought up to the source's tip first."""
    heads = covered_at(source, index, subject)
    records = index.history(subject, intent, limit=_RECORDS)
    return _past(
        source,
        intent,
        records,
        total=len(records) if len(records) < _RECORDS else index.count(subject, intent),
        heads=heads,
        superseded=partial(index.superseded, subject),
        chunks=chunks,
    )


def past_from_ledger(source: TraceSource, intent: str, chunks: ChunkCache | None = None) -> Past:
    """The same without an index; the whole ledger is looked through."""
    named = _mentioning(source, [canonical({"id": intent})[1:-1]])
    records = newest_first(each for each in named if each.intent and each.intent.id == intent)
    return _past(
        source,
        intent,
        records[:_RECORDS],
        total=len(records),
        heads=heads_of(source),
        superseded=lambda blocks: superseded_by(
            _mentioning(source, [block.encode() for block in blocks]), blocks
        ),
        chunks=chunks,
    )


def _past(
    source: TraceSource,
    intent: str,
    records: Sequence[TraceRecord],
    *,
    total: int,
    heads: tuple[str, ...],
    superseded: Callable[[Collection[str]], Collection[str]],
    chunks: ChunkCache | None,
) -> Past:
    places = _once(each for record in _in_turn(records) for each in _touched_by(record))
    found = tuple(islice(places, _NODES + 1))
    shown = found[:_NODES]
    return Past(
        intent=intent,
        touched=shown,
        states=block_states(source, shown, superseded, chunks),
        total=total,
        heads=heads,
        whole=len(shown) == len(found) and total == len(records),
    )


def _mentioning(source: TraceSource, words: Collection[bytes]) -> Sequence[TraceRecord]:
    """Records whose lines hold one of the words."""
    return read_records(source, lambda row: any(word in row for word in words)).records


def _in_turn(records: Sequence[TraceRecord]) -> Iterator[TraceRecord]:
    """Newest first; of one second, whatever follows another before that."""
    for _, group in groupby(records, key=instant):
        together = {each.integrity.hash: each for each in group}
        while together:
            followed = {named for each in together.values() for named in each.integrity.prev}
            yield together.pop(next((own for own in together if own not in followed), next(iter(together))))


def _touched_by(record: TraceRecord) -> Iterator[TouchedBlock]:
    for file in record.files:
        talks = file.conversations
        for talk in talks:
            yield from (
                TouchedBlock(record, file, row.contributor or talk.contributor, row) for row in talk.ranges
            )
            # Of a removed block it matters who removed it.
            yield from (TouchedBlock(record, file, talk.contributor, row) for row in talk.removed)
        if not any(talk.ranges or talk.removed for talk in talks):
            yield TouchedBlock(record, file, talks[0].contributor if talks else Author(entity_type="UNKNOWN"))


def _once(touched: Iterable[TouchedBlock]) -> Iterator[TouchedBlock]:
    """The first of each place, and of each block wherever it was by then."""
    places, blocks = set[tuple[str, Node | None]](), set[str]()
    for each in touched:
        if (each.path, each.node) in places or each.block in blocks:
            continue
        places.add((each.path, each.node))
        blocks |= {each.block} - {""}
        yield each
