"""Scripts that Alembic runs; ``penwright.adapters.store.migration`` is the way in."""
