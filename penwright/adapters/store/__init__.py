"""What the house remembers, in PostgreSQL."""

from penwright.adapters.store.caps import Cap, Caps
from penwright.adapters.store.migration import current_revision, head_revision, upgrade
from penwright.adapters.store.opening import Store, open_store

__all__ = ["Cap", "Caps", "Store", "current_revision", "head_revision", "open_store", "upgrade"]
