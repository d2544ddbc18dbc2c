"""In-memory double of the PostgreSQL store, for one process."""

from penwright.adapters.memory_store.messages import MemoryMessageGroups
from penwright.adapters.memory_store.notices import MemoryNotices
from penwright.adapters.memory_store.store import MemoryStore, memory_store

__all__ = [
    "MemoryMessageGroups",
    "MemoryNotices",
    "MemoryStore",
    "memory_store",
]
