"""Tables of own sources; in the metadata of the store."""

from sqlalchemy import JSON, REAL, BigInteger, Boolean, Column, ForeignKey, Index, Integer, Table, Text
from sqlalchemy.dialects.postgresql import ARRAY, TSVECTOR

from penwright.adapters.store.tables import metadata, when

library_texts = Table(
    "library_texts",
    metadata,
    Column("blob", Text, primary_key=True),
    Column("rules", Integer, nullable=False),
    Column("model", Text, nullable=False),
    Column("work", JSON, nullable=False),
    Column("pages", Integer),
    Column("without_text", JSON, nullable=False),
    Column("words", BigInteger, nullable=False),
    Column("passages", Integer, nullable=False),
    when("used_at"),
)

# Vectors are plain numbers, so that a database without pgvector has the table too.
library_passages = Table(
    "library_passages",
    metadata,
    Column("blob", Text, ForeignKey("library_texts.blob", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("page", Integer),
    Column("section", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("is_reference_list", Boolean, nullable=False),
    Column("words", TSVECTOR, nullable=False),
    Column("vector", ARRAY(REAL)),
    Index("library_passages_by_words", "words", postgresql_using="gin"),
)
