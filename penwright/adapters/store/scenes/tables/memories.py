"""Tables of memories; in the metadata of the store."""

from pgvector.sqlalchemy import Vector
from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Identity,
    Index,
    Integer,
    Table,
    Text,
    cast,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY

from penwright.adapters.store.scenes.tables.setting import of
from penwright.adapters.store.tables import key, metadata, when

memories = Table(
    "memories",
    metadata,
    key("id", primary_key=True),
    Column("number", BigInteger, Identity(), nullable=False),
    of("scene", "scenes"),
    of("world", "worlds"),
    of("character", "characters"),
    Column("round", Integer, nullable=False),
    Column("text", JSON, nullable=False),
    Column("messages", JSON, nullable=False),
    Column("words", ARRAY(Text), nullable=False),
    when("at"),
    Index("memories_by_character", "world", "character", "number"),
    Index("memories_by_owner", "character"),
    Index("memories_by_round", "scene", "round", "number"),
    Index("memories_by_words", "words", postgresql_using="gin"),
)

# Only on servers that have pgvector.
memory_vectors = Table(
    "memory_vectors",
    metadata,
    of("memory", "memories", primary_key=True),
    Column("model", Text, nullable=False),
    Column("dimensions", Integer, nullable=False),
    Column("vector", Vector(), nullable=False),
    Index("memory_vectors_by_model", "model"),
)

Index(
    "memory_vectors_nearest",
    cast(memory_vectors.c.vector, Vector(256)).label("nearest"),
    postgresql_using="hnsw",
    postgresql_ops={"nearest": "vector_cosine_ops"},
    postgresql_where=text("dimensions = 256"),
)
