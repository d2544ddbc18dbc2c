"""The contract of ``EventFeed``: a follower sees every event once, in order."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, closing, contextmanager
from threading import Event as Flag
from typing import LiteralString, cast

import psycopg
import pytest

from penwright.adapters.store import Store, open_store
from schemas.records import Event
from tests.adapters.store.builders import AnyStore, SetClock, a_run, an_event

INSERT: LiteralString = (
    "insert into events (run, subject, kind, at, op_id, data) values ('r', %s, 'k', now(), %s, '{}')"
)


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
async def test_an_open_transaction_holds_nobody_up_and_is_not_skipped(
    database_url: str, clock: SetClock
) -> None:
    with closing(open_store(database_url, clock=clock)) as store:
        async with aclosing(following(store)) as events:
            with psycopg.connect(database_url) as slow:
                slow.execute(INSERT, ("s", "slow"))
                await asyncio.to_thread(store.records.note, a_run(), [an_event("quick")])
                first = await take(events, 1)
                slow.commit()
            # No process rings the bell for this one: the follower looks by itself.
            second = await take(events, 1)

        assert store.records.events_after(0) == (*first, *second)
    assert [event.op_id for event in first + second] == ["quick", "slow"]
    assert second[0].cursor > first[0].cursor


@pytest.mark.server
def test_many_writers_one_of_which_is_killed_skip_and_double_nothing(
    database_url: str, clock: SetClock
) -> None:
    """Transactions overlap in every way; the reader reads small pages all the time."""
    writers, rounds, done = 8, 25, Flag()
    with (
        closing(open_store(database_url, clock=clock)) as store,
        ThreadPoolExecutor(writers + 1) as pool,
        killed_in_mid_transaction(database_url),
    ):
        reading = pool.submit(_read_until, store, done)
        writing = [
            pool.submit(_write_crosswise, database_url, str(number), rounds) for number in range(writers)
        ]
        for each in writing:
            each.result(60)
        done.set()
        seen = reading.result(60)

        assert store.records.events_after(0, limit=10_000) == tuple(seen)
    assert [event.cursor for event in seen] == list(range(1, len(seen) + 1))
    # The long transaction of each round committed after the quick ones that began later.
    for subject, wanted in (("long", rounds), ("quick", 3 * rounds)):
        for number in range(writers):
            told = [event.op_id for event in seen if event.subject == f"{subject}-{number}"]
            assert told == [f"{subject}-{number}/{place}" for place in range(wanted)]
    assert [event.op_id for event in seen if event.subject == "killed"] == ["killed/committed"]


@pytest.mark.server
async def test_a_writer_that_dies_before_it_rings_delays_its_followers_only(
    database_url: str, clock: SetClock
) -> None:
    with closing(open_store(database_url, clock=clock)) as store:
        async with aclosing(following(store)) as events:
            coming = asyncio.create_task(take(events, 1))
            await asyncio.to_thread(_commit_and_die, database_url)

            assert [event.op_id for event in await coming] == ["killed/committed"]


def _read_until(store: Store, done: Flag) -> list[Event]:
    seen: list[Event] = []
    while True:
        last = done.is_set()
        page = store.records.events_after(seen[-1].cursor if seen else 0, limit=7)
        seen.extend(page)
        if last and not page:
            return seen


def _write_crosswise(url: str, writer: str, rounds: int) -> None:
    """One long transaction around three quick ones, again and again."""
    with psycopg.connect(url) as long, psycopg.connect(url, autocommit=True) as quick:
        for place in range(rounds):
            long.execute(INSERT, (f"long-{writer}", f"long-{writer}/{place}"))
            for number in range(3 * place, 3 * place + 3):
                quick.execute(INSERT, (f"quick-{writer}", f"quick-{writer}/{number}"))
            long.commit()


@contextmanager
def killed_in_mid_transaction(url: str) -> Iterator[None]:
    """A process with an open transaction that has stored an event, killed when the block ends."""
    process = _writer(url)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"open\n"
        yield
    finally:
        process.kill()
        process.communicate()


def _commit_and_die(url: str) -> None:
    with killed_in_mid_transaction(url):
        pass


def _writer(url: str) -> subprocess.Popen[bytes]:
    script = """
import sys, psycopg
insert = sys.argv[2]
with psycopg.connect(sys.argv[1]) as connection:
    connection.execute(insert, ("killed", "killed/committed"))
    connection.commit()
    connection.execute(insert, ("killed", "killed/open"))
    print("open", flush=True)
    sys.stdin.read()
"""
    return subprocess.Popen(
        [sys.executable, "-c", script, url, INSERT], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )


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
