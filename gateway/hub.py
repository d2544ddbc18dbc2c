"""The events of the store for many readers in one process: followed once, and queued for each of them."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager

from gateway.desk.scene.events import numbered
from gateway.desk.services import Services
from gateway.typing_hub import Typing
from penwright.errors import PenwrightError
from schemas.records import Event

QUEUE = 256
"""Events that a slow reader may be behind; then it is told to begin anew."""
REPLAYED = 5_000
"""Events that a reader may have missed; then it is told to begin anew."""
PATIENCE_S = 15.0
"""Time a reader waits for an event before it is told that there is none."""
_PAGE = 500
_AGAIN_S = 1.0

_log = logging.getLogger(__name__)


class Lagging(Exception):
    """A reader was too slow, or was away for too long; events for it were dropped."""


class Subscription:
    """The events that one reader has not taken yet."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[Event | PenwrightError] = asyncio.Queue(QUEUE)
        self._lagging = False

    def offer(self, event: Event) -> None:
        """Put an event into the queue; a full queue is emptied, and its reader is lagging."""
        try:
            self._queue.put_nowait(event)
        except asyncio.QueueFull:
            self._lagging = True
            while not self._queue.empty():
                self._queue.get_nowait()
            self._queue.put_nowait(event)

    def fail(self, error: PenwrightError) -> None:
        """Tell the reader that events cannot be followed now."""
        if self._queue.full():
            self._lagging = True
            self._queue.get_nowait()
        self._queue.put_nowait(error)

    async def next(self, patience_s: float) -> Event | None:
        """The next event; None if none came in time.

        Raises:
            Lagging: events were dropped; the reader goes on with the newest.
            PenwrightError: events cannot be followed now; the reader begins again from its cursor.
        """
        try:
            event = await asyncio.wait_for(self._queue.get(), patience_s)
        except TimeoutError:
            return None
        if self._lagging:
            self._lagging = False
            raise Lagging
        if isinstance(event, PenwrightError):
            raise event
        return event


class Hub:
    """Follows the feed while it has readers, from one event loop."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._readers: set[Subscription] = set()
        self._following: asyncio.Task[None] | None = None
        self.typing = Typing(services)
        """Pieces of replies while they are written."""

    @property
    def readers(self) -> int:
        """Number of readers now."""
        return len(self._readers)

    async def newest(self) -> int:
        """Cursor of the newest event in the store; 0 if there is none."""
        return await asyncio.to_thread(self._newest)

    @contextmanager
    def subscribed(self, newest: int) -> Iterator[Subscription]:
        """A queue of the events after ``newest``, which is the newest that the store had a moment ago."""
        subscription = Subscription()
        self._readers.add(subscription)
        if self._following is None or self._following.done():
            self._following = asyncio.create_task(self._follow(newest))
        try:
            yield subscription
        finally:
            self._readers.discard(subscription)
            if not self._readers and self._following is not None:
                self._following.cancel()
                self._following = None

    async def after(self, cursor: int) -> AsyncGenerator[Event | None]:
        """Every event after ``cursor`` once, first those of the store, then new ones; None now and then.

        Raises:
            Lagging: too many were missed, some of them are deleted by now, or the reader is too slow.
            PenwrightError: the store does not answer.
        """
        newest = await self.newest()
        if cursor > newest:
            raise Lagging  # the cursor is of another store
        with self.subscribed(newest) as subscription:
            replayed = 0
            while missed := await asyncio.to_thread(self._stored, cursor):
                if cursor and missed[-1].cursor - cursor != len(missed):
                    raise Lagging  # cursors have no gaps, so what is missing was deleted
                for event in missed:
                    cursor = event.cursor
                    yield event
                replayed += len(missed)
                if replayed > REPLAYED:
                    raise Lagging
            if 0 < cursor < newest:
                raise Lagging
            while True:
                found = await subscription.next(PATIENCE_S)
                # What came while the store was read is in the queue, too.
                if found is None or found.cursor > cursor:
                    cursor = found.cursor if found else cursor
                    yield found

    async def _follow(self, cursor: int) -> None:
        while True:
            try:
                with self._services.open_store() as store:
                    async for event in store.feed.follow(cursor):
                        cursor = event.cursor
                        told = (
                            (await asyncio.to_thread(numbered, store, [event]))[0]
                            if event.data.get("round")
                            else event
                        )
                        for reader in tuple(self._readers):
                            reader.offer(told)
            except PenwrightError as error:
                _log.warning("events cannot be followed: %s", error.message)
                for reader in tuple(self._readers):
                    reader.fail(error)
            await asyncio.sleep(_AGAIN_S)

    def _stored(self, cursor: int) -> tuple[Event, ...]:
        with self._services.open_store() as store:
            return numbered(store, store.records.events_after(cursor, limit=_PAGE))

    def _newest(self) -> int:
        with self._services.open_store() as store:
            return store.records.newest_event()
