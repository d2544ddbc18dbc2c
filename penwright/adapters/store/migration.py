"""Upgrade the tables of a database."""

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, create_engine, text
from sqlalchemy.pool import NullPool

from penwright.adapters.store.database import parse_url
from penwright.adapters.store.failures import map_errors
from penwright.adapters.store.scenes.tables.vectors import add_vectors, has_vectors
from penwright.errors import PermanentError

_LOCK = text("select pg_advisory_xact_lock(7307, 0)")


def upgrade(url: str) -> str:
    """Upgrade the tables to the newest revision in one transaction, and return it.

    The table of vectors is added as soon as the database has pgvector, whatever the revision.
    A lock orders processes that start together; the later ones find nothing to do.
    """
    head = head_revision()
    engine = _engine(url)
    with map_errors(), engine.connect() as connection:
        if _revision(connection) == head and has_vectors(connection):
            return head
        connection.rollback()
        with connection.begin():
            connection.execute(_LOCK)
            _upgrade(connection)
            add_vectors(connection)
    return head


def finds_by_meaning(url: str) -> bool:
    """Whether memories have vectors in this database."""
    with map_errors(), _engine(url).connect() as connection:
        return has_vectors(connection)


def current_revision(url: str) -> str | None:
    """Return the revision of a database; None if it has none yet."""
    with map_errors(), _engine(url).connect() as connection:
        return _revision(connection)


def limits(url: str) -> tuple[int, int]:
    """Return the server's version as PostgreSQL counts (17.2 is 170002), and its ``max_connections``."""
    with map_errors(), _engine(url).connect() as connection:
        row = connection.execute(
            text("select current_setting('server_version_num'), current_setting('max_connections')")
        )
        version, most = row.one()
    return int(version), int(most)


def head_revision() -> str:
    """Return the revision that this version needs."""
    head = ScriptDirectory.from_config(_config()).get_current_head()
    if head is None:
        raise PermanentError("no-migrations", "The migrations are missing. Install Penwright again.")
    return head


def _upgrade(connection: Connection) -> None:
    config = _config()
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, "head")
    except CommandError as error:
        raise PermanentError(
            "store-newer",
            f"The database is at revision {_revision(connection)!r}, which this version does not know. "
            "Run the newer Penwright that upgraded it, or restore an earlier backup.",
        ) from error


def _revision(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", "penwright.adapters.store:migrations")
    return config


def _engine(url: str) -> Engine:
    return create_engine(parse_url(url), poolclass=NullPool, connect_args={"connect_timeout": "5"})
