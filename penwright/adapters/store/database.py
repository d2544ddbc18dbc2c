"""Connections to PostgreSQL: one pool for the activities of a process."""

from collections.abc import Iterator
from contextlib import contextmanager
from selectors import EVENT_READ, DefaultSelector
from time import monotonic

import psycopg
from psycopg.conninfo import make_conninfo
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DisconnectionError
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

from penwright.adapters.store.failures import mapped
from penwright.errors import UsageMistake

_IDLE_S = 5.0
"""A connection idle for longer is asked for a sign of life before it is used."""

# A host that vanished without a word is noticed within half a minute, not after the kernel's two hours.
_NETWORK = {
    "connect_timeout": "5",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "30000",
    "application_name": "penwright",
}
_SESSION = (
    "set timezone to 'UTC'; set lock_timeout to '10s'; set statement_timeout to '60s'; "
    "set idle_in_transaction_session_timeout to '60s'"
)


def parsed(url: str) -> URL:
    """``url`` for SQLAlchemy with psycopg; ``postgres://`` and ``postgresql://`` are understood alike."""
    try:
        known = make_url(url)
    except ArgumentError as error:
        raise _bad_url("it is no URL") from error
    if known.drivername not in ("postgres", "postgresql", "postgresql+psycopg"):
        raise _bad_url(f"its scheme is {known.drivername!r}")
    return known.set(drivername="postgresql+psycopg")


def _conninfo(url: str) -> str:
    """``url`` as psycopg itself takes it, password included: never show it."""
    plain = parsed(url).set(drivername="postgresql").render_as_string(hide_password=False)
    return make_conninfo(plain, **_NETWORK)


def _bad_url(why: str) -> UsageMistake:
    return UsageMistake(
        "bad-database-url",
        f"The database URL cannot be used: {why}. Write postgresql://user:password@host:5432/name.",
    )


class Database:
    """The pool, and the two ways to use it."""

    def __init__(self, url: str, *, pool_size: int) -> None:
        self.url = url
        self._engine = create_engine(
            parsed(url), pool_size=pool_size, max_overflow=2, pool_timeout=10, connect_args=dict(_NETWORK)
        )
        _watch(self._engine)
        # Shares the pool. A single statement is atomic without BEGIN and COMMIT: one round trip, not three.
        self._single = self._engine.execution_options(isolation_level="AUTOCOMMIT")

    @contextmanager
    def statement(self) -> Iterator[Connection]:
        """A connection on which every statement is its own transaction."""
        with mapped(), self._single.connect() as connection:
            yield connection

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A connection whose statements take effect together, or not at all."""
        with mapped(), self._engine.begin() as connection:
            yield connection

    async def listener(self) -> psycopg.AsyncConnection[tuple[object, ...]]:
        """A connection of its own, outside the pool, for LISTEN."""
        with mapped():
            return await psycopg.AsyncConnection.connect(_conninfo(self.url), autocommit=True)

    def ping(self) -> None:
        with self.statement() as connection:
            connection.execute(text("select 1"))

    def close(self) -> None:
        self._engine.dispose()


def _watch(engine: Engine) -> None:
    @event.listens_for(engine, "connect")
    def _prepare(connection: DBAPIConnection, entry: ConnectionPoolEntry) -> None:
        connection.execute(_SESSION)
        connection.commit()

    @event.listens_for(engine, "checkin")
    def _rest(connection: DBAPIConnection | None, entry: ConnectionPoolEntry) -> None:
        entry.info["rests_since"] = monotonic()

    @event.listens_for(engine, "checkout")
    def _wake(connection: DBAPIConnection, entry: ConnectionPoolEntry, proxy: PoolProxiedConnection) -> None:
        rested_s = monotonic() - entry.info.get("rests_since", monotonic())
        if (rested_s > _IDLE_S or _spoken_to(connection)) and not _lives(connection):
            # The pool discards it, and every connection as old, and takes a new one.
            raise DisconnectionError


def _spoken_to(connection: DBAPIConnection) -> bool:
    """Whether the server sent something unasked: as a rule, that it is going. Costs no round trip."""
    with DefaultSelector() as selector:
        selector.register(connection.fileno(), EVENT_READ)
        return bool(selector.select(timeout=0))


def _lives(connection: DBAPIConnection) -> bool:
    try:
        connection.execute("select 1")
        connection.rollback()
    except psycopg.Error:
        return False
    return True
