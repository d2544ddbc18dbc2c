"""The contract of ``EventFeed``: a follower sees every event once, in order."""

import asyncio
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, closing
from typing import cast

import psycopg
import pytest

from penwright.adapters.store import open_store
from schemas.records import Event
from tests.adapters.store.builders import NOON, AnyStore, SetClock, a_run, an_event


def following(store: AnyStore, cursor: int = 0, run: str | None = None) -> AsyncGenerator[Event, None]:
    return cast(AsyncGenerator[Event, None], store.feed.follow(cursor, run=run))


async def take(events: AsyncGenerator[Event, None], count: int) -> list[Event]:
    async with asyncio.timeout(20):
        return [await anext(events) for _ in range(count)]


async def test_a_follower_gets_past_and_new_events(store: AnyStore) -> None:
    store.records.note(a_run(), [an_event("1")])
    async with aclosing(following(store)) as events:
        before = await take(events, 1)
        coming = asyncio.create_task(take(events, 2))

        await asyncio.to_thread(store.records.note, a_run(), [an_event("2"), an_event("3")])

        assert [event.op_id for event in before + await coming] == ["1", "2", "3"]


async def test_a_follower_that_reconnects_misses_nothing(store: AnyStore) -> None:
    store.records.note(a_run(), [an_event("1"), an_event("2")])
    async with aclosing(following(store)) as events:
        (first,) = await take(events, 1)
    store.records.note(a_run(), [an_event("3")])

    async with aclosing(following(store, first.cursor)) as events:
        rest = await take(events, 2)

    assert [event.op_id for event in rest] == ["2", "3"]


async def test_a_follower_receives_events_of_its_run_only(store: AnyStore) -> None:
    async with aclosing(following(store, run="book/lamp#2")) as events:
        coming = asyncio.create_task(take(events, 1))
        store.records.note(a_run("book/lamp#1"), [an_event("1")])
        store.records.note(a_run("book/lamp#2"), [an_event("2", run="book/lamp#2")])

        assert [event.op_id for event in await coming] == ["2"]


async def test_a_long_past_is_read_to_its_end(store: AnyStore) -> None:
    store.records.note(a_run(), [an_event(str(number)) for number in range(1_203)])

    async with aclosing(following(store)) as events:
        seen = await take(events, 1_203)

    assert [event.op_id for event in seen] == [str(number) for number in range(1_203)]


async def test_several_followers_each_see_everything(store: AnyStore) -> None:
    async with aclosing(following(store)) as one, aclosing(following(store)) as two:
        waiting = asyncio.gather(take(one, 2), take(two, 2))
        await asyncio.to_thread(store.records.note, a_run(), [an_event("1"), an_event("2")])

        first, second = await waiting

    assert first == second


async def test_writers_at_once_never_make_a_follower_skip(store: AnyStore) -> None:
    def write(writer: int) -> None:
        for number in range(20):
            store.records.note(a_run(f"book/lamp#{writer}"), [an_event(f"{writer}/{number}")])

    async with aclosing(following(store)) as events:
        coming = asyncio.create_task(take(events, 160))
        with ThreadPoolExecutor(8) as writers:
            await asyncio.gather(
                *(asyncio.get_running_loop().run_in_executor(writers, write, number) for number in range(8))
            )
            seen = await coming

    assert len({event.op_id for event in seen}) == 160
    assert [event.cursor for event in seen] == sorted(event.cursor for event in seen)


@pytest.mark.server
async def test_a_slow_commit_delays_later_cursors(database_url: str, clock: SetClock) -> None:
    """The cursor of a transaction that is still open must not be passed by a later one."""
    insert = "insert into events (run, subject, kind, at, op_id, data) values ('r', 's', 'k', %s, %s, '{}')"
    with closing(open_store(database_url, clock=clock)) as store:
        async with aclosing(following(store)) as events:
            with psycopg.connect(database_url) as slow:
                slow.execute(insert, (NOON, "slow"))
                quick = asyncio.create_task(
                    asyncio.to_thread(store.records.note, a_run(), [an_event("quick")])
                )
                await _until_it_waits(database_url)
                unseen = store.records.events_after(0)
                slow.commit()
            await quick

            seen = await take(events, 2)

    assert unseen == ()
    assert [event.op_id for event in seen] == ["slow", "quick"]


@pytest.mark.server
async def test_followers_share_one_connection_and_give_it_back(database_url: str, clock: SetClock) -> None:
    with closing(open_store(database_url, clock=clock)) as store:
        store.records.note(a_run(), [an_event()])
        async with aclosing(following(store)) as one, aclosing(following(store)) as two:
            await take(one, 1)
            await take(two, 1)
            assert await _listeners(database_url) == 1

        # The server notices a little later that a connection was closed.
        async with asyncio.timeout(20):
            while await _listeners(database_url):
                pass


_LISTENERS = """
select count(*) from pg_stat_activity
where datname = current_database() and query ilike 'listen %'
"""


async def _listeners(url: str) -> int:
    async with await psycopg.AsyncConnection.connect(url) as connection:
        row = await (await connection.execute(_LISTENERS)).fetchone()
    assert row is not None
    return int(row[0])


async def _until_it_waits(url: str) -> None:
    """Wait until a statement waits for the lock of an open transaction."""
    asked = """
        select count(*) from pg_locks join pg_database as here on here.oid = pg_locks.database
        where locktype = 'advisory' and not granted and here.datname = current_database()
    """
    async with asyncio.timeout(20), await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
        while True:
            row = await (await connection.execute(asked)).fetchone()
            if row is not None and row[0]:
                return
