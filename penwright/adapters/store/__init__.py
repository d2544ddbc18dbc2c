"""The store in PostgreSQL. Migrations are not imported here, because they load Alembic."""

from penwright.adapters.store.opening import Store, open_store

__all__ = ["Store", "open_store"]
