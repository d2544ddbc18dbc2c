"""Origins of the blocks before a change, from the newest segments of the ledger."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from penwright.domain.text.blocks import Block
from penwright.domain.text.comparing.descent import blocks_at, may_be_copy
from penwright.domain.trace.authors import UNKNOWN_ORIGIN, Origin, doubtful
from penwright.domain.trace.live_blocks import LiveBlock, LiveBlocks, common_origin
from penwright.domain.trace.reading import concerns_whole_files, hashes_named, records_in

_PLACES = 40
"""Places of an equal line that are looked at, to count equal blocks."""


def recent_blocks(
    segments: Iterator[bytes], wanted: Collection[str], new: Collection[str] = ()
) -> LiveBlocks:
    """The wanted blocks by the newest records; segments are read only until each of them was found.

    Args:
        segments: contents of the segments, the newest first.
        new: blocks that are followed as well, but not searched for: nearly all are in no segment.
    """
    live = LiveBlocks({*wanted, *new})
    missing = {each.encode() for each in wanted}
    every = frozenset({*missing, *(each.encode() for each in new)})
    rows: list[bytes] = []
    for content in segments if every else ():
        held = [(row, every.intersection(hashes_named(row))) for row in content.split(b"\n")]
        rows[:0] = [row for row, found in held if found or concerns_whole_files(row)]
        missing.difference_update(*(found for _, found in held))
        if not missing:
            break
    for record in records_in([b"\n".join(rows)]):
        live.apply(record)
    return live


@dataclass(slots=True)
class Origins:
    """Answers for blocks as they were before a change."""

    blocks: LiveBlocks
    texts: Mapping[str, bytes | None]
    """Contents before the change, of the files that change."""
    _found: dict[tuple[str, str], Origin] = field(default_factory=dict)

    def of(self, path: str, block: Block) -> Origin:
        """The origin of a block; unknown as well where an equal one has another author."""
        key = path, block.hash
        if key not in self._found:
            self._found[key] = self._sought(path, block)
        return self._found[key]

    def newest(self, path: str, hashed: str) -> Origin:
        """The origin of the newest of equal blocks."""
        there = self.blocks.of(path, hashed) or self._elsewhere(hashed)
        return there[-1].origin if there else UNKNOWN_ORIGIN

    def copied(self, block: Block) -> Origin | None:
        """The origin of a text that the ledger knows from elsewhere; None if it does not, or it is short."""
        if not may_be_copy(block.text):
            return None
        known = self._elsewhere(block.hash)
        return common_origin(known) if known else None

    def _elsewhere(self, hashed: str) -> Sequence[LiveBlock]:
        """A text that was committed by hand may be what is live in another file, or was removed."""
        return list(self.blocks.anywhere(hashed)) or self.blocks.gone.get(hashed, ())

    def _sought(self, path: str, block: Block) -> Origin:
        # Not elsewhere: a text that came by hand may be a copy, and what is elsewhere mistaken for new.
        known = self.blocks.of(path, block.hash) or self._back(path, block)
        present = occurrences(block, self.texts.get(path) or b"")
        if known and present > len(known):
            return doubtful(each.author for each in known)
        return common_origin(known) if known else UNKNOWN_ORIGIN

    def _back(self, path: str, block: Block) -> Sequence[LiveBlock]:
        """Equal blocks that went from a file where one stands: put back by hand, or kept by a rebase."""
        gone = self.blocks.gone.get(block.hash, ()) if may_be_copy(block.text) else ()
        return [each for each in gone if each.path == path]


def occurrences(block: Block, content: bytes) -> int:
    """Count the blocks of a text that equal ``block``."""
    row = max(block.text.encode().split(b"\n"), key=len).strip()
    if not row or content.count(row) <= 1:
        return 1
    count, at = 0, content.find(row)
    for _ in range(_PLACES):
        if at < 0:
            break
        blocks, end = blocks_at(content, at)
        count += sum(each.hash == block.hash for each in blocks)
        at = content.find(row, end)
    return max(1, count)
