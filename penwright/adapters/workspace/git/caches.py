"""Objects read before. An id always means the same content, so nothing here goes out of date."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Generic, TypeVar

from cachetools import LRUCache

from penwright.adapters.workspace.git.commits import Commit
from penwright.adapters.workspace.git.entries import Entry
from schemas.trace import LedgerFile

_Value = TypeVar("_Value")
_OVERHEAD = 256
"""Bytes that a blob takes beside its content."""


class BoundedCache(Generic[_Value]):
    """Thread-safe LRU cache of values by object id."""

    def __init__(self, limit: int, weigh: Callable[[_Value], int] = lambda _: 1) -> None:
        self._values: LRUCache[str, _Value] = LRUCache(limit, weigh)
        self._lock = Lock()

    def get(self, sha: str) -> _Value | None:
        """The value; None if it is not held."""
        with self._lock:
            return self._values.get(sha)

    def keep(self, sha: str, value: _Value) -> _Value:
        """Hold ``value``, unless it is larger than the whole cache; returns it."""
        with self._lock:
            if self._values.getsizeof(value) <= self._values.maxsize:
                self._values[sha] = value
        return value


def _weigh_blob(content: bytes) -> int:
    return len(content) + _OVERHEAD


def _weigh_tree(names: Mapping[str, Entry]) -> int:
    return len(names) + 1


@dataclass(frozen=True, slots=True)
class ObjectCaches:
    """One for all repositories of a process."""

    commits: BoundedCache[Commit] = field(default_factory=lambda: BoundedCache(4096))
    trees: BoundedCache[Mapping[str, Entry]] = field(
        default_factory=lambda: BoundedCache(100_000, _weigh_tree)
    )
    """By their names, for one folder may hold thousands."""
    blobs: BoundedCache[bytes] = field(default_factory=lambda: BoundedCache(32 * 1024 * 1024, _weigh_blob))
    """By their bytes: most files of a book are the same from one session to the next."""
    ledgers: BoundedCache[tuple[LedgerFile, ...]] = field(default_factory=lambda: BoundedCache(16))
    """Segments by tree of the ledger's folder."""
    files: BoundedCache[Mapping[str, str]] = field(default_factory=lambda: BoundedCache(4))
    """Blob ids of all plain files, by tree."""
