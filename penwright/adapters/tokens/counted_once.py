"""Remembers counts: most of a prompt stood in the one before."""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from threading import Lock

from cachetools import LRUCache

from penwright.ports.scenes import TokenCounter

MOST = 50_000
"""Texts whose counts are kept; some 10 MB."""


class CountedOnce:
    """Implements ``TokenCounter`` over another one; a text is counted once for each way of counting."""

    def __init__(self, counter: TokenCounter, *, most: int = MOST) -> None:
        self._counter = counter
        self._counts: LRUCache[tuple[str, bytes], int] = LRUCache(most)
        self._lock = Lock()

    def name(self, role: str) -> str:
        return self._counter.name(role)

    def count(self, role: str, texts: Sequence[str]) -> tuple[int, ...]:
        """Same as the counter below, which is asked only for texts that are new."""
        name = self._counter.name(role)
        keys = [(name, _digest(text)) for text in texts]
        known = self._known(keys)
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        known |= dict(zip(new, self._counter.count(role, tuple(new.values())), strict=True)) if new else {}
        self._keep({key: known[key] for key in new})
        return tuple(known[key] for key in keys)

    def sizes(self, role: str) -> Mapping[str, int]:
        return self._counter.sizes(role)

    def _known(self, keys: Sequence[tuple[str, bytes]]) -> dict[tuple[str, bytes], int]:
        with self._lock:
            return {key: self._counts[key] for key in keys if key in self._counts}

    def _keep(self, counts: Mapping[tuple[str, bytes], int]) -> None:
        with self._lock:
            for key, count in counts.items():
                self._counts[key] = count


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
