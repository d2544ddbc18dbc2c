"""What the house remembers, in PostgreSQL. Migrations stand in a module of their own: they load Alembic."""

from penwright.adapters.store.caps import Cap, Caps
from penwright.adapters.store.opening import Store, open_store

__all__ = ["Cap", "Caps", "Store", "open_store"]
