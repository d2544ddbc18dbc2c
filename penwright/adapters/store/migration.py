"""Bringing the tables of a database up to date."""

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, create_engine, text
from sqlalchemy.pool import NullPool

from penwright.adapters.store.database import parsed
from penwright.adapters.store.failures import mapped
from penwright.errors import PermanentError

_TAKE_TURNS = text("select pg_advisory_xact_lock(7307, 0)")


def upgrade(url: str) -> str:
    """Bring the tables to the newest revision in one transaction, and return it.

    Processes that start together take turns; whoever comes second finds the work done.
    """
    head = head_revision()
    engine = _engine(url)
    with mapped(), engine.connect() as connection:
        if _revision(connection) == head:
            return head
        connection.rollback()
        with connection.begin():
            connection.execute(_TAKE_TURNS)
            _upgrade(connection)
    return head


def current_revision(url: str) -> str | None:
    """The revision a database is at; None when it was never upgraded."""
    with mapped(), _engine(url).connect() as connection:
        return _revision(connection)


def head_revision() -> str:
    """The revision this version of the house needs."""
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
            "Run the newer Penwright that upgraded it, or restore a backup from before.",
        ) from error


def _revision(connection: Connection) -> str | None:
    return MigrationContext.configure(connection).get_current_revision()


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", "penwright.adapters.store:migrations")
    return config


def _engine(url: str) -> Engine:
    return create_engine(parsed(url), poolclass=NullPool, connect_args={"connect_timeout": "5"})
