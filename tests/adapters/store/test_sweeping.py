"""Texts that nothing names are deleted; one that anything names is not, whatever happens meanwhile."""

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from datetime import timedelta
from threading import Event as Flag

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penwright.adapters.sealing import Keys
from penwright.adapters.store import Store, open_store
from penwright.adapters.store.blobs import reference
from penwright.adapters.store.retention import PostgresRetention
from penwright.ports.retention import UnderWay
from schemas.agent import AgentMessage
from schemas.base import BlobRef
from schemas.drafts import NewDraft
from schemas.housekeeping import Cleared, RetentionDays
from schemas.worlds import Character
from tests.adapters.store.builders import SetClock, a_request, a_run, an_answer, an_event
from tests.adapters.store.test_retention import NO_RUN, has, keep_receipt

pytestmark = pytest.mark.server
KEY, OTHER_KEY = Keys([b"k" * 32]), Keys([b"o" * 32])
LONG = b"Night fell. " * 10_000
DAYS = RetentionDays(**{**dict.fromkeys(RetentionDays.model_fields, 0), "texts": 30})


@pytest.fixture
def opened(database_url: str, clock: SetClock) -> Iterator[Callable[[Keys | None], Store]]:
    with ExitStack() as stack:
        yield lambda keys: stack.enter_context(closing(open_store(database_url, clock=clock, keys=keys)))


@pytest.fixture
def store(opened: Callable[[Keys | None], Store]) -> Store:
    return opened(None)


def sweep(store: Store, clock: SetClock, under_way: UnderWay = NO_RUN) -> Cleared:
    *_, done = PostgresRetention(store.database, clock, store.keys).clear(DAYS, under_way)
    return done


def named(ref: BlobRef) -> dict[str, object]:
    return {"deep": [{"inside": ref.model_dump()}]}


def in_a_run(store: Store, ref: BlobRef) -> None:
    store.records.note(a_run().model_copy(update={"detail": named(ref)}), [])


def in_an_event(store: Store, ref: BlobRef) -> None:
    store.records.note(a_run(), [an_event().model_copy(update={"data": named(ref)})])


def in_a_card(store: Store, ref: BlobRef) -> None:
    store.worlds.create(Character(id="ada", name="Ada", card=ref))


def in_a_draft(store: Store, ref: BlobRef) -> None:
    store.drafts.open(NewDraft(draft_id="d", work="lamp", path="one.md", base="b1", text=ref))


def in_an_effect(store: Store, ref: BlobRef) -> None:
    keep_receipt(store, "book/lamp#1:1", named(ref))


def in_a_message(store: Store, ref: BlobRef) -> None:
    store.messages.append(None, [AgentMessage(role="tool", content=f"The text {ref.sha256} is long.")])


def in_an_answer(store: Store, ref: BlobRef) -> None:
    store.ledger.settle(a_request(), an_answer(store.blobs.get(ref).decode()))


def in_a_text_that_a_run_names(store: Store, ref: BlobRef) -> None:
    in_a_run(store, store.blobs.put(json.dumps(named(ref)).encode()))


@pytest.mark.parametrize("keys", [None, KEY], ids=["plain", "encrypted"])
@pytest.mark.parametrize(
    "name_it",
    [
        *(in_a_run, in_an_event, in_a_card, in_a_draft, in_an_effect, in_a_message, in_an_answer),
        in_a_text_that_a_run_names,
    ],
)
def test_a_text_stays_while_anything_names_it(
    opened: Callable[[Keys | None], Store],
    clock: SetClock,
    name_it: Callable[[Store, BlobRef], None],
    keys: Keys | None,
) -> None:
    store = opened(keys)
    ref, free = store.blobs.put(b"needed"), store.blobs.put(b"free")
    name_it(store, ref)
    clock.pass_time(days=400)

    sweep(store, clock)

    assert has(store, ref)
    assert not has(store, free)


def test_what_a_run_under_way_names_stays_and_what_that_names(store: Store, clock: SetClock) -> None:
    inner = store.blobs.put(b"record")
    outer = store.blobs.put(json.dumps([inner.model_dump()]).encode())
    clock.pass_time(days=400)
    recent = store.blobs.put(json.dumps({"all": outer.model_dump()}).encode())

    assert sweep(store, clock, UnderWay(digests=frozenset({recent.sha256, "0" * 64}))).rows == 0
    assert sweep(store, clock).rows == 2
    assert has(store, recent)
    assert not has(store, inner)


def test_nothing_goes_when_a_kept_text_cannot_be_read(
    opened: Callable[[Keys | None], Store], clock: SetClock
) -> None:
    store = opened(OTHER_KEY)
    in_a_run(store, store.blobs.put(b"under a key that is not set"))
    free = store.blobs.put(b"free")
    clock.pass_time(days=400)

    without = opened(KEY)
    done = sweep(without, clock)

    assert done.rows == 0
    assert done.failed.startswith("encryption-key-unknown: ")
    assert has(store, free)


def test_a_young_text_stays(store: Store, clock: SetClock) -> None:
    ref = store.blobs.put(b"young")
    clock.pass_time(days=30)

    assert sweep(store, clock).rows == 0
    clock.pass_time(seconds=1)
    assert sweep(store, clock).rows == 1
    assert not has(store, ref)


@pytest.mark.parametrize("content", [b"short", LONG])
def test_storing_a_text_again_makes_it_young(store: Store, clock: SetClock, content: bytes) -> None:
    ref = store.blobs.put(content)
    clock.pass_time(days=31)
    store.blobs.put(content)

    assert sweep(store, clock).rows == 0
    assert has(store, ref)


def test_a_sweep_of_many_texts_goes_on_in_batches(store: Store, clock: SetClock) -> None:
    refs = [store.blobs.put(str(number).encode()) for number in range(1_203)]
    in_a_run(store, refs[700])
    clock.pass_time(days=31)

    assert sweep(store, clock).rows == 1_202
    assert has(store, refs[700])


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(again=st.lists(st.integers(0, 11), min_size=1, unique=True), long=st.booleans())
def test_a_text_that_is_stored_while_the_sweep_runs_is_never_lost(
    store: Store, clock: SetClock, again: list[int], long: bool
) -> None:
    """Old texts are stored again by writers that run beside several sweeps."""
    contents = [f"{number} ".encode() * (40_000 if long else 1) for number in range(12)]
    for content in contents:
        store.blobs.put(content)
    clock.pass_time(days=31)
    ended = Flag()

    def sweep_on() -> None:
        while not ended.is_set():
            sweep(store, clock)

    with ThreadPoolExecutor(6) as pool:
        sweeping = [pool.submit(sweep_on) for _ in range(2)]
        refs = list(pool.map(lambda number: store.blobs.put(contents[number]), again))
        ended.set()
        for each in sweeping:
            each.result()
    sweep(store, clock)

    assert [has(store, ref) for ref in refs] == [True] * len(refs)
    assert sum(has(store, reference(content)) for content in contents) == len(again)
    clock.at += timedelta(days=31)
    sweep(store, clock)
