"""Connections to PostgreSQL: one pool per process."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from selectors import EVENT_READ, DefaultSelector
from threading import Event, Lock, Thread
from time import monotonic

import psycopg
from psycopg.conninfo import make_conninfo
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DisconnectionError
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

from penwright.adapters.store.failures import map_errors
from penwright.errors import PenwrightError, UsageMistake

_PAUSE_S = 0.05
"""Shortest time between two rings of one process."""

_log = logging.getLogger(__name__)


class EventNotifier:
    """Rings soon after each call of ``ring``, once for all calls within a pause.

    Of transactions with a notification, PostgreSQL lets one commit at a time, in the whole cluster. So no
    writer of events notifies; a thread does, in its own transaction, and ends when there is no more to tell.
    A process that dies before it has rung delays its followers until they look by themselves.
    """

    def __init__(self, announce: Callable[[], None]) -> None:
        self._announce = announce
        self._lock = Lock()
        self._wanted = False
        self._thread: Thread | None = None
        self._closing = Event()

    def ring(self) -> None:
        """Have the bell rung; returns at once and never raises."""
        with self._lock:
            self._wanted = True
            if self._thread is None and not self._closing.is_set():
                self._thread = Thread(target=self._work, name="penwright-bell", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Ring for what was wanted until now, and end. Idempotent."""
        self._closing.set()
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join()

    def _work(self) -> None:
        while self._is_wanted():
            try:
                self._announce()
            except PenwrightError as error:
                _log.warning("followers of events are told late: %s", error.message)
            self._closing.wait(_PAUSE_S)

    def _is_wanted(self) -> bool:
        with self._lock:
            wanted, self._wanted = self._wanted, False
            if not wanted:
                self._thread = None
            return wanted


_IDLE_S = 5.0
"""A connection that was idle for longer is tested before use."""

# Detect a vanished host within half a minute; the kernel's default takes two hours.
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


def parse_url(url: str) -> URL:
    """Parse ``url`` for SQLAlchemy with psycopg; takes ``postgres://`` and ``postgresql://``."""
    try:
        known = make_url(url)
    except ArgumentError as error:
        raise _bad_url("it is not a URL") from error
    if known.drivername not in ("postgres", "postgresql", "postgresql+psycopg"):
        raise _bad_url(f"its scheme is {known.drivername!r}")
    return known.set(drivername="postgresql+psycopg")


def _conninfo(url: str) -> str:
    """Convert ``url`` for psycopg, including the password: never show the result."""
    plain = parse_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    return make_conninfo(plain, **_NETWORK)


def _bad_url(why: str) -> UsageMistake:
    return UsageMistake(
        "bad-database-url",
        f"The database URL cannot be used: {why}. Write postgresql://user:password@host:5432/name.",
    )


CHANNEL = "penwright_events"
"""Channel on which followers of events listen."""


class Database:
    """The connection pool, single connections for LISTEN, and the bell for those who listen."""

    def __init__(self, url: str, *, pool_size: int) -> None:
        self.url = url
        self._engine = create_engine(
            parse_url(url), pool_size=pool_size, max_overflow=2, pool_timeout=10, connect_args=dict(_NETWORK)
        )
        _watch(self._engine)
        # A single statement is atomic without BEGIN and COMMIT: one round trip instead of three.
        self._single = self._engine.execution_options(isolation_level="AUTOCOMMIT")
        self._bell = EventNotifier(self._announce)
        self._joined: ContextVar[Connection | None] = ContextVar("joined", default=None)

    @contextmanager
    def statement(self) -> Iterator[Connection]:
        """Yield a connection on which every statement is its own transaction, or that of ``together``."""
        if (joined := self._joined.get()) is not None:
            with map_errors():
                yield joined
            return
        with map_errors(), self._single.connect() as connection:
            yield connection

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Yield a connection whose statements are one transaction, or that of ``together``."""
        if (joined := self._joined.get()) is not None:
            with map_errors():
                yield joined
            return
        with map_errors(), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def together(self) -> Iterator[None]:
        """Have all changes of the caller be one transaction: all or none, for few changes at once.

        A refusal in it that is caught does not undo what was changed before.
        """
        with self.transaction() as connection:
            token = self._joined.set(connection)
            try:
                yield
            finally:
                self._joined.reset(token)
        self.ring()

    async def listener(self) -> psycopg.AsyncConnection[tuple[object, ...]]:
        """Open a separate connection, outside the pool, for LISTEN."""
        with map_errors():
            return await psycopg.AsyncConnection.connect(_conninfo(self.url), autocommit=True)

    def ring(self) -> None:
        """Tell followers of events, soon, that there are new ones; call it after the commit."""
        self._bell.ring()

    def ping(self) -> None:
        with self.statement() as connection:
            connection.execute(text("select 1"))

    def close(self) -> None:
        self._bell.close()
        self._engine.dispose()

    def _announce(self) -> None:
        with self.statement() as connection:
            connection.execute(text(f"notify {CHANNEL}"))


def _watch(engine: Engine) -> None:
    @event.listens_for(engine, "connect")
    def _prepare(connection: DBAPIConnection, entry: ConnectionPoolEntry) -> None:
        connection.execute(_SESSION)
        connection.commit()

    @event.listens_for(engine, "checkin")
    def _idle(connection: DBAPIConnection | None, entry: ConnectionPoolEntry) -> None:
        entry.info["idle_since"] = monotonic()

    @event.listens_for(engine, "checkout")
    def _test(connection: DBAPIConnection, entry: ConnectionPoolEntry, proxy: PoolProxiedConnection) -> None:
        idle_s = monotonic() - entry.info.get("idle_since", monotonic())
        if (idle_s > _IDLE_S or _has_message(connection)) and not _is_alive(connection):
            # The pool then discards it and all connections of the same age, and opens a new one.
            raise DisconnectionError


def _has_message(connection: DBAPIConnection) -> bool:
    """Whether the server has sent something, usually that it shuts down. Takes no round trip."""
    with DefaultSelector() as selector:
        selector.register(connection.fileno(), EVENT_READ)
        return bool(selector.select(timeout=0))


def _is_alive(connection: DBAPIConnection) -> bool:
    try:
        connection.execute("select 1")
        connection.rollback()
    except psycopg.Error:
        return False
    return True
