"""Two processes that tell the events of one database: each cursor exactly once, whichever a reader asks."""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, closing

import pytest

from penwright.adapters.clock import SystemClock
from penwright.adapters.store import Store, open_store
from tests.adapters.store.builders import a_run, an_event

ROUNDS, WRITTEN = 20, 5
PROCESS = """
import asyncio, sys
from contextlib import contextmanager
from gateway.hub import Hub
from penwright.adapters.clock import SystemClock
from penwright.adapters.store import open_store

class Services:
    def __init__(self, store):
        self.store = store
    @contextmanager
    def open_store(self):
        yield self.store

async def main():
    hub = Hub(Services(open_store(sys.argv[1], clock=SystemClock())))
    while line := await asyncio.to_thread(sys.stdin.readline):
        cursor, count = map(int, line.split())
        found = hub.after(cursor)
        while count:
            if (event := await anext(found)) is not None:
                print(event.cursor, flush=True)
                count -= 1
        await found.aclose()

asyncio.run(main())
"""


@asynccontextmanager
async def telling(url: str) -> AsyncIterator[Process]:
    """A process of its own with a hub over the database; it tells ``cursor count`` as so many cursors."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", PROCESS, url, stdin=PIPE, stdout=PIPE
    )
    try:
        yield process
    finally:
        process.kill()
        await process.wait()


async def told(process: Process, cursor: int, count: int) -> list[int]:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{cursor} {count}\n".encode())
    async with asyncio.timeout(60):
        return [int(await process.stdout.readline()) for _ in range(count)]


def note(store: Store, number: int) -> None:
    events = [an_event(f"{number}-{each}") for each in range(WRITTEN)]
    store.records.note(a_run(), events)


@pytest.mark.server
async def test_each_cursor_comes_once_over_twenty_reconnections_to_two_processes(
    database_url: str,
) -> None:
    cursor, seen = 0, list[int]()
    async with AsyncExitStack() as stack:
        store = stack.enter_context(closing(open_store(database_url, clock=SystemClock())))
        processes = [await stack.enter_async_context(telling(database_url)) for _ in range(2)]
        for number in range(ROUNDS):
            # Some are stored before the reader is back, some while it listens.
            writing = asyncio.create_task(asyncio.to_thread(note, store, number))
            found = await told(processes[number % 2], cursor, WRITTEN - number % 2)
            seen += found
            cursor = found[-1]
            await writing
        seen += await told(processes[0], cursor, ROUNDS * WRITTEN - len(seen))
        stored = [event.cursor for event in store.records.events_after(0, limit=500)]

    assert seen == stored
    assert len(set(seen)) == ROUNDS * WRITTEN
