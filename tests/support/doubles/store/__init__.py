"""In-memory double of the PostgreSQL store, for one process."""

from tests.support.doubles.store.messages import MemoryMessageGroups
from tests.support.doubles.store.notices import MemoryNotices
from tests.support.doubles.store.store import MemoryStore, memory_store

__all__ = [
    "MemoryMessageGroups",
    "MemoryNotices",
    "MemoryStore",
    "memory_store",
]
