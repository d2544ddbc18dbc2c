"""Events as they happen."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from weakref import WeakKeyDictionary

import psycopg

from penwright.adapters.store.database import Database
from penwright.adapters.store.failures import mapped
from penwright.adapters.store.records import PostgresRecords
from schemas.records import Event

_BATCH = 500
_LOOK_ANYWAY_S = 30.0
"""A follower looks this often even when nothing rings: the net under a notification that got lost."""


class PostgresFeed:
    """LISTEN and a cursor; implements ``EventFeed``. All followers of an event loop share one connection."""

    def __init__(self, database: Database, records: PostgresRecords) -> None:
        self._database = database
        self._records = records
        self._bells: WeakKeyDictionary[asyncio.AbstractEventLoop, _Listener] = WeakKeyDictionary()

    async def follow(self, cursor: int, *, run: str | None = None) -> AsyncIterator[Event]:
        """As the port says. Ends only by ``StoreUnavailable``; follow again from the last cursor seen."""
        async with self._bell().heard() as ear:
            while True:
                ear.reset()
                batch = await asyncio.to_thread(self._records.events_after, cursor, run=run, limit=_BATCH)
                for event in batch:
                    cursor = event.cursor
                    yield event
                if len(batch) < _BATCH:
                    await ear.rung()

    def _bell(self) -> "_Listener":
        loop = asyncio.get_running_loop()
        return self._bells.setdefault(loop, _Listener(self._database))


class _Subscriber:
    """One follower's notice that something happened, or that the connection ended."""

    def __init__(self) -> None:
        self._happened = asyncio.Event()
        self._failure: BaseException | None = None

    def reset(self) -> None:
        self._happened.clear()

    def ring(self) -> None:
        self._happened.set()

    def fail(self, error: BaseException) -> None:
        self._failure = error
        self._happened.set()

    async def rung(self) -> None:
        with suppress(TimeoutError):
            await asyncio.wait_for(self._happened.wait(), _LOOK_ANYWAY_S)
        if self._failure is not None:
            with mapped():
                raise self._failure


class _Listener:
    """The LISTEN connection: opened for the first follower, closed after the last."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._ears: set[_Subscriber] = set()
        self._turn = asyncio.Lock()
        self._listening: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def heard(self) -> AsyncIterator[_Subscriber]:
        ear = _Subscriber()
        async with self._turn:
            # A failed listener was told to the ears it had; those who come now get a new one.
            if self._listening is None or self._listening.done():
                self._listening = asyncio.create_task(self._listen(await self._connected()))
            self._ears.add(ear)
        try:
            yield ear
        finally:
            self._ears.discard(ear)
            await self._rest()

    async def _connected(self) -> psycopg.AsyncConnection[tuple[object, ...]]:
        connection = await self._database.listener()
        try:
            with mapped():
                await connection.execute("listen penwright_events")
        except BaseException:
            await connection.close()
            raise
        return connection

    async def _listen(self, connection: psycopg.AsyncConnection[tuple[object, ...]]) -> None:
        try:
            async with connection:
                async for _ in connection.notifies():
                    for ear in self._ears:
                        ear.ring()
        except psycopg.Error as error:
            for ear in self._ears:
                ear.fail(error)

    async def _rest(self) -> None:
        async with self._turn:
            if self._ears or self._listening is None:
                return
            self._listening.cancel()
            await asyncio.wait({self._listening})
            self._listening = None
