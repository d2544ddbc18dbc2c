"""Attribute the blocks at the tip to the records that introduced them.

Records are replayed oldest first. A block takes a live occurrence of its hash, one with equal neighbours if
possible, else the newest. Each occurrence is used once.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from penwright.domain.text.blocks import Block, blocks_of, short_hash
from penwright.domain.trace.reading import read_records
from penwright.domain.trace.reports.introductions import Made
from penwright.domain.trace.source import TraceSource
from schemas.trace import Author, Conversation, Former, Node, Range, TracedFile, TraceRecord

_HASHES = re.compile(rb"prose1:[0-9a-f]{32}")
_WHOLE_FILES = re.compile(rb'"op":"(?:delete|rename)"')
_DISTINCT = 8
"""Words from which two authors do not write the same block by chance."""

Context = tuple[str, str]


@dataclass(frozen=True, slots=True)
class BlockAuthorship:
    """Who wrote a block, and the record that says so."""

    author: Author
    intent: str | None
    made: Made
    """The record it was written by."""
    moved: Made | None = None
    """The record that moved it last."""


@dataclass(frozen=True, slots=True)
class Attributed:
    """One block of the text and who wrote it; None if the ledger does not know it."""

    block: Block
    written: BlockAuthorship | None


@dataclass(frozen=True, slots=True)
class Attribution:
    """Every block of some files."""

    files: Mapping[str, tuple[Attributed, ...]]
    left_out: int
    """Damaged lines of the ledger, which were ignored."""


def attribute(source: TraceSource, texts: Mapping[str, str]) -> Attribution:
    """Attribute the blocks of ``texts``, the contents at the tip by path."""
    blocks = {path: blocks_of(text) for path, text in texts.items()}
    wanted = {block.hash.encode() for found in blocks.values() for block in found}
    reading = read_records(source, lambda row: _may_tell(row, wanted))
    remaining = _LiveBlocks({name.decode() for name in wanted})
    for record in reading.records:
        remaining.follow(record)
    left = _Elsewhere(source, {path: {block.hash for block in found} for path, found in blocks.items()})
    return Attribution(
        {path: tuple(_matched(path, found, remaining, left)) for path, found in blocks.items()},
        reading.left_out,
    )


def _may_tell(row: bytes, wanted: Collection[bytes]) -> bool:
    return any(found in wanted for found in _HASHES.findall(row)) or _WHOLE_FILES.search(row) is not None


@dataclass(slots=True, eq=False)
class _Occurrence:
    """One occurrence of a block in a file."""

    path: str
    node: Node
    ctx: Context
    written: BlockAuthorship


@dataclass(slots=True)
class _LiveBlocks:
    """Occurrences of the wanted blocks, live and removed, after replaying the records."""

    wanted: Collection[str]
    live: dict[str, list[_Occurrence]] = field(default_factory=dict)
    """By block hash, the oldest first."""
    gone: dict[str, list[_Occurrence]] = field(default_factory=dict)

    def follow(self, record: TraceRecord) -> None:
        for file in record.files:
            if file.path_before:
                self._rename(file.path_before, file.relative_path)
        # Removals first: two blocks may change places.
        for hashed, occurrence in [each for file in record.files for each in self._changed(record, file)]:
            self.live.setdefault(hashed, []).append(occurrence)

    def _changed(self, record: TraceRecord, file: TracedFile) -> Iterator[tuple[str, _Occurrence]]:
        """Remove what the file lost; yield what it gained."""
        for talk in file.conversations:
            for each in talk.removed:
                self._take(each.block_hash, file.relative_path, each.node)
            for found in talk.ranges:
                before = self._leave(file, found)
                if found.block_hash in self.wanted:
                    yield found.block_hash, _occurrence(record, file, talk, found, before)
        if file.op == "delete":
            self._empty(file.relative_path)

    def _leave(self, file: TracedFile, found: Range) -> _Occurrence | None:
        """Take the block that was replaced or moved."""
        hashed = found.block_hash if found.change == "moved" else found.before_block_hash
        if found.change == "added" or hashed is None:
            return None
        former = found.former or Former()
        heading = found.node.heading if former.heading is None else former.heading
        place = found.node.model_copy(update={"heading": heading})
        return self._take(hashed, former.path or file.relative_path, place)

    def _take(self, hashed: str, path: str, place: Node) -> _Occurrence | None:
        """Remove the nearest of the equal occurrences in a file."""
        there = [each for each in self.live.get(hashed, ()) if each.path == path]
        if not there:
            return None
        taken = min(
            there,
            key=lambda each: (each.node.heading != place.heading, abs(each.node.ordinal - place.ordinal)),
        )
        self.live[hashed].remove(taken)
        self.gone.setdefault(hashed, []).append(taken)
        return taken

    def _rename(self, before: str, after: str) -> None:
        for occurrence in (each for found in self.live.values() for each in found):
            if occurrence.path == before:
                occurrence.path = after

    def _empty(self, path: str) -> None:
        for hashed, found in self.live.items():
            self.gone.setdefault(hashed, []).extend(each for each in found if each.path == path)
            found[:] = [each for each in found if each.path != path]


def _occurrence(
    record: TraceRecord, file: TracedFile, talk: Conversation, found: Range, before: _Occurrence | None
) -> _Occurrence:
    moved = found.change == "moved"
    first = before.written if moved and before else None
    intent = record.intent.id if record.intent else None
    written = BlockAuthorship(
        author=found.contributor or talk.contributor,
        # A move keeps the intent as well as the author, and so may have none.
        intent=found.intent if moved and found.contributor else found.intent or intent,
        made=first.made if first else Made.of(record),
        moved=Made.of(record) if moved else None,
    )
    return _Occurrence(file.relative_path, found.node, found.ctx, written)


@dataclass(slots=True)
class _Elsewhere:
    """Blocks of other files at the tip, parsed when asked for."""

    source: TraceSource
    hashes: dict[str, set[str]]
    """By path."""

    def holds(self, path: str, hashed: str) -> bool:
        """Whether a file at the tip has such a block."""
        if path not in self.hashes:
            content = self.source.blob(self.source.files().get(path, "")) or b""
            self.hashes[path] = {block.hash for block in blocks_of(content.decode("utf-8", "replace"))}
        return hashed in self.hashes[path]


def _matched(
    path: str, blocks: Sequence[Block], remaining: _LiveBlocks, elsewhere: _Elsewhere
) -> Iterator[Attributed]:
    found: dict[int, BlockAuthorship] = {}
    for hashed, places in _by_hash(blocks).items():
        live = remaining.live.get(hashed, ())
        tiers = [
            [each for each in live if each.path == path],
            [each for each in live if each.path != path and not elsewhere.holds(each.path, hashed)],
        ]
        if len(blocks[places[0]].text.split()) >= _DISTINCT:
            tiers.append(remaining.gone.get(hashed, []))
        contexts = {at: _context(blocks, at) for at in places}
        for tier in tiers:
            found |= _taken(contexts, tier)
            contexts = {at: ctx for at, ctx in contexts.items() if at not in found}
    return (Attributed(block, found.get(at)) for at, block in enumerate(blocks))


def _by_hash(blocks: Iterable[Block]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for at, block in enumerate(blocks):
        found.setdefault(block.hash, []).append(at)
    return found


def _context(blocks: Sequence[Block], at: int) -> Context:
    before = short_hash(blocks[at - 1].hash) if at else ""
    after = short_hash(blocks[at + 1].hash) if at + 1 < len(blocks) else ""
    return before, after


def _taken(contexts: Mapping[int, Context], occurrences: Sequence[_Occurrence]) -> dict[int, BlockAuthorship]:
    """Give each block an occurrence: one with both neighbours equal, else with one, else the newest left."""
    found: dict[int, BlockAuthorship] = {}
    left, used = list(occurrences), set[int]()
    for same in (lambda ctx: ctx, lambda ctx: ctx[0], lambda ctx: ctx[1], lambda ctx: ""):
        offers: dict[object, list[_Occurrence]] = {}
        for occurrence in left:
            offers.setdefault(same(occurrence.ctx), []).append(occurrence)
        for at, ctx in contexts.items():
            if at not in found and offers.get(same(ctx)):
                taken = offers[same(ctx)].pop()
                found[at] = taken.written
                used.add(id(taken))
        left = [occurrence for occurrence in left if id(occurrence) not in used]
    return found
