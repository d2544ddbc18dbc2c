"""PostgreSQL failures have a code, and the store recovers without a new process."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, closing
from threading import Event as Flag

import pytest
import sqlalchemy.exc
from sqlalchemy import text

from penwright.adapters.store import Store, open_store
from penwright.adapters.store.failures import map_errors
from penwright.errors import PenwrightError, StoreUnavailable, UsageMistake
from schemas.model import BudgetScope
from tests.adapters.store.builders import NOON, SetClock, a_request, a_run, an_answer, an_event
from tests.adapters.store.test_feed import following, take
from tests.support.each import for_each
from tests.support.engine.postgres import Cluster, Template, migrated_template

pytestmark = pytest.mark.server


@pytest.fixture
def postgres(database_url: str, clock: SetClock) -> Iterator[Store]:
    with closing(open_store(database_url, clock=clock)) as store:
        yield store


@pytest.fixture
def mortal(mortal_cluster: Cluster, clock: SetClock) -> Iterator[Store]:
    """A store on a server that the test may kill."""
    with (
        migrated_template(mortal_cluster.url) as template,
        closing(open_store(template.url("template"), clock=clock)) as store,
    ):
        yield store


def test_a_killed_server_is_named_and_its_return_noticed(mortal: Store, mortal_cluster: Cluster) -> None:
    mortal.records.note(a_run(), [an_event("1")])
    ref = mortal.blobs.put(b"kept")
    mortal_cluster.kill()

    for _ in range(3):
        with pytest.raises(StoreUnavailable) as caught:
            mortal.records.note(a_run(), [an_event("2")])
        assert caught.value.code == "store-unreachable"
    with pytest.raises(StoreUnavailable):
        mortal.blobs.get(ref)
    with pytest.raises(StoreUnavailable):
        mortal.ping()
    mortal_cluster.start()

    mortal.records.note(a_run(), [an_event("2")])
    assert [event.op_id for event in mortal.records.events_after(0)] == ["1", "2"]
    assert mortal.blobs.get(ref) == b"kept"


def test_an_unnoticed_restart_of_the_server_fails_no_call(mortal: Store, mortal_cluster: Cluster) -> None:
    ref = mortal.blobs.put(b"kept")
    mortal_cluster.kill()
    mortal_cluster.start()

    assert mortal.blobs.get(ref) == b"kept"


async def test_a_follower_gets_the_failure_and_can_continue(mortal: Store, mortal_cluster: Cluster) -> None:
    mortal.records.note(a_run(), [an_event("1")])
    async with aclosing(following(mortal)) as events:
        (first,) = await take(events, 1)
        waiting = asyncio.create_task(take(events, 1))
        await asyncio.to_thread(mortal_cluster.kill)

        with pytest.raises(StoreUnavailable):
            await waiting
    await asyncio.to_thread(mortal_cluster.start)
    mortal.records.note(a_run(), [an_event("2")])

    async with aclosing(following(mortal, first.cursor)) as events:
        assert [event.op_id for event in await take(events, 1)] == ["2"]


def test_a_server_killed_under_load_neither_loses_nor_doubles(mortal: Store, mortal_cluster: Cluster) -> None:
    down, back = Flag(), Flag()

    def work(number: int) -> None:
        if number == 60:
            mortal_cluster.kill()
            down.set()
            mortal_cluster.start()
            back.set()
        while True:
            try:
                return _one_step(mortal, number)
            except StoreUnavailable:
                down.wait(30)
                back.wait(30)

    with ThreadPoolExecutor(6) as workers:
        list(workers.map(work, range(120)))

    events = mortal.records.events_after(0)
    assert sorted(int(event.op_id) for event in events) == list(range(120))
    used = mortal.ledger.spending(BudgetScope(run="book/lamp#1", subject="lamp"), day=NOON)["run"]
    assert (used.calls, used.cost_micros) == (120, 120 * 500)


def _one_step(store: Store, number: int) -> None:
    """One attempt of an activity, from its beginning."""
    request = a_request(str(number))
    if store.ledger.stored(request.effect) is None:
        store.ledger.reserve(request, estimate_micros=1, estimate_tokens=1)
        store.ledger.settle(request, an_answer(f"answer {number}"))
    store.records.note(a_run(), [an_event(str(number))])


@for_each(
    "state, code",
    [
        ("53100", "store-disk-full"),
        ("53200", "store-crowded"),
        ("53300", "store-crowded"),
        ("40001", "store-busy"),
        ("40P01", "store-busy"),
        ("57014", "store-busy"),
        ("42501", "store-not-allowed"),
        ("58030", "store-io"),
        ("57P01", "store-unreachable"),
    ],
)
def test_server_errors_have_codes_and_may_be_retried(postgres: Store, state: str, code: str) -> None:
    report = text(f"do $$ begin raise exception 'as the server says' using errcode = '{state}'; end $$")

    with pytest.raises(StoreUnavailable) as caught, postgres.database.transaction() as connection:
        connection.execute(report)

    assert caught.value.code == code
    assert caught.value.retryable
    postgres.ping()


def test_a_read_only_database_is_named(postgres: Store) -> None:
    with postgres.database.statement() as connection:
        connection.execute(text("set default_transaction_read_only = on"))

        with pytest.raises(StoreUnavailable) as caught, map_errors():
            connection.execute(text("insert into notices (key, claimed_at) values ('k', now())"))

    assert caught.value.code == "store-read-only"


def test_a_database_without_our_tables_is_named(database_template: Template, clock: SetClock) -> None:
    name = database_template.empty()
    store = open_store(database_template.url(name), clock=clock)
    with closing(store), pytest.raises(StoreUnavailable) as caught:
        store.records.books()
    database_template.drop(name)

    assert caught.value.code == "store-not-migrated"


def test_a_pool_that_is_used_up_is_named() -> None:
    with pytest.raises(StoreUnavailable) as caught, map_errors():
        raise sqlalchemy.exc.TimeoutError

    assert caught.value.code == "store-busy"


def test_a_mistake_in_our_own_sql_is_not_dressed_up(postgres: Store) -> None:
    with pytest.raises(sqlalchemy.exc.ProgrammingError), postgres.database.statement() as connection:
        connection.execute(text("selec 1"))


@pytest.mark.parametrize("url", ["", "nonsense", "sqlite:///x.db", "mysql://h/d"])
def test_a_url_that_is_not_ours_is_refused(url: str, clock: SetClock) -> None:
    with pytest.raises(UsageMistake) as caught:
        open_store(url, clock=clock)

    assert caught.value.code == "bad-database-url"


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_every_way_to_write_the_scheme_is_understood(scheme: str, database_url: str, clock: SetClock) -> None:
    url = f"{scheme}://{database_url.partition('://')[2]}"

    with closing(open_store(url, clock=clock)) as store:
        store.ping()


def test_a_password_is_never_shown(clock: SetClock) -> None:
    store = open_store("postgresql://me:hunter2@127.0.0.1:1/penwright", clock=clock)
    with closing(store), pytest.raises(PenwrightError) as caught:
        store.ping()

    assert "hunter2" not in f"{caught.value} {caught.value.details} {caught.value.__cause__}"


def test_closing_twice_is_closing_once(database_url: str, clock: SetClock) -> None:
    store = open_store(database_url, clock=clock)
    store.ping()

    store.close()
    store.close()
