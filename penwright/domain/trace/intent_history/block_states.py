"""Locate recorded blocks in the current text."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Literal, Protocol

from penwright.domain.intents.governed import is_governed
from penwright.domain.text.chunks import BlockLocations, ChunkCache, Neighbours, locate_blocks
from penwright.domain.trace.source import TraceSource

BlockState = Literal["present", "moved", "superseded", "lost"]
"""Where it was recorded; elsewhere; replaced or removed by a later record; gone without one."""


class Recorded(Protocol):
    """A block, or a file as a whole, as a record left it."""

    @property
    def path(self) -> str: ...
    @property
    def block(self) -> str:
        """Its hash; empty for a file."""
        ...

    @property
    def ctx(self) -> Neighbours | None:
        """None where its place does not matter."""
        ...

    @property
    def deleted(self) -> bool: ...


def block_states(
    source: TraceSource,
    recorded: Iterable[Recorded],
    superseded: Callable[[Collection[str]], Collection[str]],
    chunks: ChunkCache | None = None,
) -> tuple[BlockState, ...]:
    """The state of each recorded block in the text at the tip.

    Args:
        superseded: which of the blocks that are in no file a later record removed.
        chunks: cache of the texts; without one, every text is parsed again.
    """
    cache = ChunkCache() if chunks is None else chunks
    each_one = tuple(recorded)
    files = {path: blob for path, blob in source.files().items() if is_governed(path)}
    wanted: dict[str, set[str]] = {}
    for each in each_one:
        wanted.setdefault(each.path, set()).add(each.block)
    own = {
        path: _located(source.blob(files[path]), cache).around(blocks)
        for path, blocks in wanted.items()
        if path in files
    }

    def places(each: Recorded) -> Sequence[Neighbours]:
        return own.get(each.path, {}).get(each.block, ())

    missing = {each.block for each in each_one if each.block and not places(each)}
    others = (_located(source.blob(blob), cache) for blob in files.values()) if missing else ()
    elsewhere = set[str]().union(*(other.among(missing) for other in others))
    gone = superseded(missing - elsewhere) if missing - elsewhere else ()

    def state(each: Recorded) -> BlockState:
        if not each.block:
            return "present" if each.path in files else "superseded" if each.deleted else "lost"
        if any(_beside(around, each.ctx) for around in places(each)):
            return "present"
        if places(each) or each.block in elsewhere:
            return "moved"
        return "superseded" if each.block in gone else "lost"

    return tuple(state(each) for each in each_one)


def _beside(now: Neighbours, then: Neighbours | None) -> bool:
    """Whether a block still has one of its neighbours: text that is added around it does not move it."""
    return then is None or now[0] == then[0] or now[1] == then[1]


def _located(content: bytes | None, cache: ChunkCache) -> BlockLocations:
    try:
        return locate_blocks(content or b"", cache=cache)
    except UnicodeDecodeError:
        return BlockLocations()
