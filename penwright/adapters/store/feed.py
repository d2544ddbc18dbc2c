"""Events as they happen."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from weakref import WeakKeyDictionary

import psycopg
from psycopg.sql import SQL, Identifier

from penwright.adapters.store.database import CHANNEL, Database
from penwright.adapters.store.failures import map_errors
from penwright.adapters.store.records import PostgresRecords
from schemas.records import Event

_BATCH = 500
_POLL_S = 2.0
"""Seconds after which a follower looks by itself: a writer may have died before it rang the bell."""


class PostgresFeed:
    """Implements ``EventFeed`` by LISTEN and polling. Followers of one event loop share a connection."""

    def __init__(self, database: Database, records: PostgresRecords) -> None:
        self._database = database
        self._records = records
        self._listeners: WeakKeyDictionary[asyncio.AbstractEventLoop, _Listener] = WeakKeyDictionary()

    async def follow(self, cursor: int, *, run: str | None = None) -> AsyncIterator[Event]:
        """See the port. Raises ``StoreUnavailable``; then follow again from the last cursor."""
        async with self._listener().subscribed() as subscriber:
            while True:
                subscriber.reset()
                batch = await asyncio.to_thread(self._records.events_after, cursor, run=run, limit=_BATCH)
                for event in batch:
                    cursor = event.cursor
                    yield event
                if len(batch) < _BATCH:
                    await subscriber.wait()

    def _listener(self) -> "_Listener":
        loop = asyncio.get_running_loop()
        return self._listeners.setdefault(loop, _Listener(self._database))


class _Subscriber:
    """Wakes one follower when an event was noted or the connection failed."""

    def __init__(self) -> None:
        self._noted = asyncio.Event()
        self._failure: BaseException | None = None

    def reset(self) -> None:
        self._noted.clear()

    def notify(self) -> None:
        self._noted.set()

    def fail(self, error: BaseException) -> None:
        self._failure = error
        self._noted.set()

    async def wait(self) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._noted.wait(), _POLL_S)
        if self._failure is not None:
            with map_errors():
                raise self._failure


class _Listener:
    """Owns the LISTEN connection: opens it for the first subscriber, closes it after the last."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._subscribers: set[_Subscriber] = set()
        self._lock = asyncio.Lock()
        self._listening: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def subscribed(self) -> AsyncIterator[_Subscriber]:
        subscriber = _Subscriber()
        async with self._lock:
            # A failed listener has notified its subscribers; later ones need a new connection.
            if self._listening is None or self._listening.done():
                self._listening = asyncio.create_task(self._listen(await self._connected()))
            self._subscribers.add(subscriber)
        try:
            yield subscriber
        finally:
            self._subscribers.discard(subscriber)
            await self._close_if_unused()

    async def _connected(self) -> psycopg.AsyncConnection[tuple[object, ...]]:
        connection = await self._database.listener()
        try:
            with map_errors():
                await connection.execute(SQL("listen {}").format(Identifier(CHANNEL)))
        except BaseException:
            await connection.close()
            raise
        return connection

    async def _listen(self, connection: psycopg.AsyncConnection[tuple[object, ...]]) -> None:
        try:
            async with connection:
                async for _ in connection.notifies():
                    for subscriber in self._subscribers:
                        subscriber.notify()
        except psycopg.Error as error:
            for subscriber in self._subscribers:
                subscriber.fail(error)

    async def _close_if_unused(self) -> None:
        async with self._lock:
            if self._subscribers or self._listening is None:
                return
            self._listening.cancel()
            await asyncio.wait({self._listening})
            self._listening = None
