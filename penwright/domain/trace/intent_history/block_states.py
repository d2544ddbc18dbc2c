"""Locate recorded blocks in the current text."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from penwright.domain.intents.governed import GovernedPaths
from penwright.domain.text.blocks import Block, blocks_in, neighbours_of
from penwright.domain.text.comparing.stretches import Stretch, changed_stretch
from penwright.domain.trace.live_blocks import Neighbours, beside
from penwright.domain.trace.source import TraceSource
from schemas.trace import Author, Node, Range, Removed, TracedFile, TraceRecord

BlockState = Literal["present", "moved", "superseded", "lost"]
"""State of a recorded block: where it was; elsewhere; replaced or removed by a later record; gone without
one.
"""


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
    def blob(self) -> str:
        return self.file.blob_after or ""

    @property
    def line(self) -> int:
        return self.row.start_line if isinstance(self.row, Range) else 0

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
        """Change of the block; of a file as a whole, the operation."""
        if self.row is None:
            return self.file.op
        return self.row.change if isinstance(self.row, Range) else "removed"


def block_states(
    source: TraceSource,
    recorded: Iterable[TouchedBlock],
    superseded: Callable[[Collection[str]], Collection[str]],
) -> tuple[BlockState, ...]:
    """The state of each recorded block, the newest first, in the text at the tip.

    Args:
        superseded: which of the blocks that are not in their files any more a later record removed.
    """
    governed = GovernedPaths(source.profile)
    files = {path: blob for path, blob in source.files().items() if path in governed}
    by_path: dict[str, list[TouchedBlock]] = {}
    blocks = tuple(recorded)
    for each in blocks:
        by_path.setdefault(each.path, []).append(each)
    own = {path: _around(source, files.get(path, ""), there) for path, there in by_path.items()}
    missing = {each.block for each in blocks if each.block and each.block not in own[each.path]}
    gone = superseded(missing) if missing else ()
    elsewhere = _hashes(source, files.values()) if missing.difference(gone) else ()
    return tuple(
        _state(each, own[each.path].get(each.block, ()), elsewhere, gone)
        if each.block
        else _file_state(each, files)
        for each in blocks
    )


def _around(
    source: TraceSource, blob: str, recorded: Sequence[TouchedBlock]
) -> Mapping[str, Sequence[Neighbours]]:
    """By hash, the neighbours of each block of a file that may be one of the recorded ones.

    Whatever changed since the oldest of them lies in the stretch between its file and today's; what that
    record brought in outside of the stretch stands where it stood.
    """
    now, then = source.blob(blob) if blob else None, source.blob(recorded[-1].blob)
    if now is None or then is None:
        return _by_hash(blocks_in(now))
    stretch = Stretch((), ()) if then == now else changed_stretch(then, now)
    if stretch is None:
        return {}
    changed = {block.start_line for block in stretch.before}
    found = _by_hash(stretch.after)
    for each in recorded:
        if each.blob == recorded[-1].blob and each.ctx and each.line not in changed:
            found.setdefault(each.block, []).append(each.ctx)
    return found


def _by_hash(blocks: Sequence[Block]) -> dict[str, list[Neighbours]]:
    found: dict[str, list[Neighbours]] = {}
    for block, around in zip(blocks, neighbours_of(blocks), strict=True):
        found.setdefault(block.hash, []).append(around)
    return found


def _hashes(source: TraceSource, blobs: Iterable[str]) -> Collection[str]:
    """Of every block of some files."""
    return {block.hash for blob in blobs for block in blocks_in(source.blob(blob))}


def _file_state(recorded: TouchedBlock, files: Mapping[str, str]) -> BlockState:
    if recorded.path in files:
        return "present"
    return "superseded" if recorded.deleted else "lost"


def _state(
    recorded: TouchedBlock, places: Sequence[Neighbours], elsewhere: Collection[str], gone: Collection[str]
) -> BlockState:
    if any(recorded.ctx is None or beside(around, recorded.ctx) for around in places):
        return "present"
    if recorded.block in gone:
        return "superseded"
    return "moved" if places or recorded.block in elsewhere else "lost"
