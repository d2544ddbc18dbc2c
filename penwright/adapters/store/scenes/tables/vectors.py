"""The table of vectors, on servers that have the extension pgvector."""

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from penwright.errors import Refused

ADVICE = (
    "install pgvector on the database server, let its administrator run `create extension vector` in this "
    "database, then run `penwright up`"
)
"""Advice for a database without vectors."""
NEAREST_DIMENSIONS = 256
"""Vectors of this size have an index; others are compared one by one within their character's memories."""

_INSTALLED = text("select exists (select from pg_extension where extname = 'vector')")
_AVAILABLE = text("select exists (select from pg_available_extensions where name = 'vector')")
_MADE = text("select to_regclass('memory_vectors') is not null")

# HNSW, not ivfflat: it needs no rows to train on, stays good as rows come one by one, and takes no tuning of
# lists. A memory is written once and read many times, so its slower insertion is no matter.
_TABLE = text(
    """
    create table memory_vectors (
        memory text collate "C" not null references memories (id) on delete cascade, model text not null,
        dimensions integer not null, vector vector not null, primary key (memory)
    );
    create index memory_vectors_by_model on memory_vectors (model);
    create index memory_vectors_nearest on memory_vectors
        using hnsw ((vector::vector(256)) vector_cosine_ops) where dimensions = 256;
    """
)


def has_vectors(connection: Connection) -> bool:
    """Whether vectors of memories can be stored."""
    return bool(connection.execute(_MADE).scalar_one())


def add_vectors(connection: Connection) -> bool:
    """Make the table if the server has pgvector, and the user may create it; False otherwise. Idempotent."""
    if has_vectors(connection):
        return True
    if not connection.execute(_AVAILABLE).scalar_one():
        return False
    if not connection.execute(_INSTALLED).scalar_one() and not _installed(connection):
        return False
    connection.execute(_TABLE)
    return True


def _installed(connection: Connection) -> bool:
    """Whether the extension could be created: its files may be missing, or the user may not."""
    try:
        with connection.begin_nested():
            connection.execute(text("create extension if not exists vector"))
    except DBAPIError:
        return False
    return True


def no_vectors() -> Refused:
    return Refused(
        "no-pgvector",
        "the database has no extension pgvector, so memories are found by words, not by meaning",
        hint=ADVICE,
    )
