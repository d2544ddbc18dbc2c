"""The store of scenes in PostgreSQL: worlds and their people, what is played, what is remembered."""

from penwright.adapters.store.scenes.played import PostgresScenes
from penwright.adapters.store.scenes.remembering.memories import PostgresMemories
from penwright.adapters.store.scenes.seats import PostgresSeats
from penwright.adapters.store.scenes.setting.worlds import PostgresWorlds

__all__ = ["PostgresMemories", "PostgresScenes", "PostgresSeats", "PostgresWorlds"]
