"""Rows of memories."""

from sqlalchemy import Connection
from sqlalchemy.dialects.postgresql import insert as upsert

from penwright.adapters.store.scenes.remembering.ranking import words_of
from penwright.adapters.store.scenes.tables.memories import memories
from schemas.memory import Memory


def add_memory(connection: Connection, memory: Memory) -> int:
    """Store a memory; 0 if it was stored before."""
    row = memory.model_dump(exclude={"undone"}) | {"words": list(words_of(memory.text))}
    row["messages"] = list(memory.messages)
    added = upsert(memories).values(row).on_conflict_do_nothing().returning(memories.c.id)
    return len(connection.execute(added).all())
