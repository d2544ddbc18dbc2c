"""Locate recorded blocks in the current text."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Literal, Protocol

from penwright.domain.intents.governed import GovernedPaths
from penwright.domain.text.chunks import BlockLocations, ChunkCache, Neighbours, locate_blocks
from penwright.domain.trace.source import TraceSource

BlockState = Literal["present", "moved", "superseded", "lost"]
"""Where it was recorded; elsewhere; replaced or removed by a later record; gone without one."""


class RecordedBlock(Protocol):
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
    recorded: Iterable[RecordedBlock],
    superseded: Callable[[Collection[str]], Collection[str]],
    chunks: ChunkCache | None = None,
) -> tuple[BlockState, ...]:
    """The state of each recorded block in the text at the tip.

    Args:
        superseded: which of the blocks that are in no file a later record removed.
        chunks: cache of the texts; without one, every text is parsed again.
    """
    cache = ChunkCache() if chunks is None else chunks
    governed = GovernedPaths(source.profile)
    files = {path: blob for path, blob in source.files().items() if path in governed}
    blocks = tuple(recorded)
    own = _around(source, files, blocks, cache)
    missing = {each.block for each in blocks if each.block and not own[each.path].get(each.block)}
    others = (_located(source.blob(blob), cache) for blob in files.values()) if missing else ()
    elsewhere = set[str]().union(*(other.among(missing) for other in others))
    gone = superseded(missing - elsewhere) if missing - elsewhere else ()
    return tuple(
        _file_state(each, files)
        if not each.block
        else _state(each, own[each.path].get(each.block, ()), elsewhere=elsewhere, gone=gone)
        for each in blocks
    )


def _around(
    source: TraceSource, files: Mapping[str, str], blocks: Iterable[RecordedBlock], cache: ChunkCache
) -> Mapping[str, Mapping[str, Sequence[Neighbours]]]:
    """By path and block hash, the neighbours of each occurrence in the file where it was recorded."""
    wanted: dict[str, set[str]] = {}
    for each in blocks:
        wanted.setdefault(each.path, set()).add(each.block)
    return {
        path: _located(source.blob(files[path]), cache).around(hashes) if path in files else {}
        for path, hashes in wanted.items()
    }


def _file_state(recorded: RecordedBlock, files: Mapping[str, str]) -> BlockState:
    if recorded.path in files:
        return "present"
    return "superseded" if recorded.deleted else "lost"


def _state(
    recorded: RecordedBlock,
    places: Sequence[Neighbours],
    *,
    elsewhere: Collection[str],
    gone: Collection[str],
) -> BlockState:
    if any(_beside(around, recorded.ctx) for around in places):
        return "present"
    if places or recorded.block in elsewhere:
        return "moved"
    return "superseded" if recorded.block in gone else "lost"


def _beside(now: Neighbours, then: Neighbours | None) -> bool:
    """Whether a block still has one of its neighbours: text that is added around it does not move it."""
    return then is None or now[0] == then[0] or now[1] == then[1]


def _located(content: bytes | None, cache: ChunkCache) -> BlockLocations:
    try:
        return locate_blocks(content or b"", cache=cache)
    except UnicodeDecodeError:
        return BlockLocations()
