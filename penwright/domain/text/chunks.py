"""Parse long texts in cached chunks; when a book grows, only its end is parsed again."""

import hashlib
import re
from collections.abc import Iterator, Set
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from cachetools import LRUCache

from penwright.domain.text.blocks import (
    blocks_of,
    front_matter_bytes,
    is_settled,
    short_hash,
)

Neighbours = tuple[str, str]
"""Short hashes of the blocks around one; empty at an end of the text."""

LENGTH = 16 * 1024
"""Bytes after which the next blank line ends a chunk."""
_BLANK = re.compile(rb"\n[ \t\r]*\n\s*")


@dataclass(frozen=True, slots=True)
class TextChunk:
    """The text between two blank lines; no code or comment spans either."""

    hashes: tuple[str, ...]
    """Of its blocks, in order."""
    at: dict[str, tuple[int, ...]]
    """Block hash -> its indexes among them."""


@dataclass(frozen=True, slots=True)
class BlockLocations:
    """Locations of the blocks of one text."""

    chunks: tuple[TextChunk, ...] = ()
    edges: tuple[Neighbours, ...] = ()
    """Of each chunk: the neighbours before its first block and after its last."""

    def __len__(self) -> int:
        return sum(len(chunk.hashes) for chunk in self.chunks)

    def among(self, blocks: Set[str]) -> set[str]:
        """Those of ``blocks`` that are in the text."""
        return set().union(*(chunk.at.keys() & blocks for chunk in self.chunks))

    def around(self, blocks: Set[str]) -> dict[str, list[Neighbours]]:
        """The neighbours of each of ``blocks`` that is in the text, once for each occurrence."""
        found: dict[str, list[Neighbours]] = {}
        for chunk, (before, after) in zip(self.chunks, self.edges, strict=True):
            hashes = chunk.hashes
            for block in chunk.at.keys() & blocks:
                for at in chunk.at[block]:
                    left = short_hash(hashes[at - 1]) if at else before
                    right = short_hash(hashes[at + 1]) if at + 1 < len(hashes) else after
                    found.setdefault(block, []).append((left, right))
        return found


class ChunkCache:
    """Parsed chunks by their content, least recently used ones evicted first.

    Args:
        blocks: how many blocks the chunks may have in all; a block takes about 100 bytes.
        lock: held around each access; owners that are shared between threads pass a ``threading.Lock``.
    """

    def __init__(self, *, blocks: int = 100_000, lock: AbstractContextManager[object] | None = None) -> None:
        self._chunks: LRUCache[_Key, TextChunk | None] = LRUCache(blocks, getsizeof=_size)
        self._lock = lock or nullcontext()

    def parse(self, content: bytes, *, first: bool, last: bool) -> TextChunk | None:
        """The chunk; None if code or a comment goes on after its end."""
        key = hashlib.blake2b(content, digest_size=20).digest(), first, last
        with self._lock:
            if key in self._chunks:
                return self._chunks[key]
        chunk = _parsed(content.decode(), first=first, last=last)
        with self._lock:
            if _size(chunk) <= self._chunks.maxsize:
                self._chunks[key] = chunk
        return chunk


_Key = tuple[bytes, bool, bool]
"""Digest of the content; whether it begins the text, and whether it ends it."""


def _size(chunk: TextChunk | None) -> int:
    return max(1, len(chunk.hashes)) if chunk else 1


def _parsed(text: str, *, first: bool, last: bool) -> TextChunk | None:
    if not last and not is_settled(text):
        return None
    hashes = tuple(block.hash for block in blocks_of(text, first_line=1 if first else 2))
    at: dict[str, tuple[int, ...]] = {}
    for index, block in enumerate(hashes):
        at[block] = (*at.get(block, ()), index)
    return TextChunk(hashes, at)


def locate_blocks(content: bytes, *, cache: ChunkCache | None = None, length: int = LENGTH) -> BlockLocations:
    """Locate each block of a text, which is parsed in chunks of about ``length`` bytes.

    Raises ``UnicodeDecodeError`` for what is not UTF-8.
    """
    parsed = _chunks_of(content, length, ChunkCache() if cache is None else cache)
    found = tuple(chunk for chunk in parsed if chunk.hashes)
    ends = ["", *(short_hash(chunk.hashes[-1]) for chunk in found)]
    starts = [*(short_hash(chunk.hashes[0]) for chunk in found), ""]
    return BlockLocations(found, tuple(zip(ends, starts[1:], strict=False)))


def _chunks_of(content: bytes, length: int, cache: ChunkCache) -> Iterator[TextChunk]:
    begin = at = 0
    further = 1
    cuts = tuple(_cuts(content, length))
    while at < len(cuts):
        last = at == len(cuts) - 1
        chunk = cache.parse(content[begin : cuts[at]], first=not begin, last=last)
        if chunk is not None:
            yield chunk
            begin, further = cuts[at], 1
            at += 1
        else:
            # Twice as far each time: what never ends costs no more than the text.
            at = min(at + further, len(cuts) - 1)
            further *= 2


def _cuts(content: bytes, length: int) -> Iterator[int]:
    """Where chunks may end; a text that is only longer than another has the same ones before its end."""
    at, front = 0, front_matter_bytes(content)
    while blank := _BLANK.search(content, max(at + length, front)):
        at = content.rfind(b"\n", 0, blank.end()) + 1
        yield at
    if at < len(content):
        yield len(content)
