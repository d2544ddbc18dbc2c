"""The contract of ``TraceIndex``."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from schemas.trace import Anchor, TraceRecord
from tests.adapters.store.builders import AnyStore
from tests.support.ledgers.small_records import DAWN, a_chain, a_hash, a_range, a_record, a_removal, hash_of

BOOK = "lamp"
HOSTILE = ['"><x/>', "a\x00b", "\ufffd", "é", "x" * 5000, "' or 1=1 --", "", "\x01" + "0" * 64, "\\N"]


def an_anchor(entry: str, *, minute: int = 0) -> Anchor:
    return Anchor(
        entry=entry,
        clone="here",
        kind="record",
        at=DAWN + timedelta(minutes=minute),
        commit="c" * 40,
        heads=("sha256:1", "sha256:2"),
        ledger="b" * 40,
        op_id="book/lamp#1/2",
    )


def test_a_new_index_is_empty(store: AnyStore) -> None:
    assert store.trace.covered(BOOK) == ()
    assert store.trace.history(BOOK, "INT-001", limit=9) == ()
    assert store.trace.count(BOOK, "INT-001") == 0
    assert store.trace.origin(BOOK, a_hash("x")) == ()
    assert store.trace.superseded(BOOK, [a_hash("x")]) == frozenset()
    assert store.trace.anchors(BOOK) == ()


def test_records_round_trip_newest_first(store: AnyStore) -> None:
    records = a_chain(5)

    store.trace.extend(BOOK, [records[3], records[0], records[4], records[2], records[1]])

    assert store.trace.history(BOOK, "INT-001", limit=3) == tuple(reversed(records))[:3]
    assert store.trace.count(BOOK, "INT-001") == 5


def test_records_of_equal_time_are_ordered_by_hash(store: AnyStore) -> None:
    records = [a_record(f"r{number}", minute=1) for number in range(6)]

    store.trace.extend(BOOK, records)

    assert list(store.trace.history(BOOK, "INT-001", limit=9)) == sorted(records, key=hash_of, reverse=True)


def test_times_at_the_ends_of_the_calendar_keep_their_order(store: AnyStore) -> None:
    times = ["0001-01-01T00:00:00+14:00", "2026-03-01T00:00:00", "9999-12-31T23:59:59-14:00"]
    records = [
        TraceRecord.model_validate(a_record(at).model_dump(by_alias=True) | {"timestamp": at}) for at in times
    ]

    store.trace.extend(BOOK, records)

    assert store.trace.history(BOOK, "INT-001", limit=9) == tuple(reversed(records))


def test_covered_returns_the_records_without_successor(store: AnyStore) -> None:
    first, second, third = a_chain(3)
    left, right = (a_record(name, prev=[hash_of(third)]) for name in ("left", "right"))

    store.trace.extend(BOOK, [first, second])
    alone = store.trace.covered(BOOK)
    store.trace.extend(BOOK, [third, left, right])
    forked = store.trace.covered(BOOK)
    store.trace.extend(BOOK, [a_record("join", prev=list(forked))])

    assert alone == (hash_of(second),)
    assert forked == tuple(sorted([hash_of(left), hash_of(right)]))
    assert len(store.trace.covered(BOOK)) == 1


def test_a_record_is_indexed_once(store: AnyStore) -> None:
    records = a_chain(4)
    store.trace.extend(BOOK, [*records, *records])

    store.trace.extend(BOOK, records[1:3])

    assert store.trace.history(BOOK, "INT-001", limit=9) == tuple(reversed(records))
    assert store.trace.origin(BOOK, a_hash("p2")) == (records[2],)
    assert store.trace.covered(BOOK) == (hash_of(records[3]),)


def test_writers_that_come_together_leave_each_record_once(store: AnyStore) -> None:
    records = a_chain(40)

    with ThreadPoolExecutor(4) as writers:
        list(writers.map(lambda number: store.trace.extend(BOOK, records[number * 5 :]), range(8)))

    assert store.trace.count(BOOK, "INT-001") == 40
    assert store.trace.covered(BOOK) == (hash_of(records[-1]),)


def test_intents_and_books_are_kept_apart(store: AnyStore) -> None:
    mine, other, nobodys = a_record("a", intent="A"), a_record("b", intent="a"), a_record("c", intent=None)
    store.trace.extend(BOOK, [mine, other, nobodys])
    store.trace.extend("other", [mine])

    store.trace.forget(BOOK)

    assert store.trace.history(BOOK, "A", limit=9) == ()
    assert store.trace.covered(BOOK) == ()
    assert store.trace.history("other", "A", limit=9) == (mine,)


def test_forgotten_records_can_be_indexed_again(store: AnyStore) -> None:
    records = a_chain(3)
    store.trace.extend(BOOK, records)
    before = store.trace.history(BOOK, "INT-001", limit=9)
    store.trace.forget(BOOK)

    store.trace.extend(BOOK, records)

    assert store.trace.history(BOOK, "INT-001", limit=9) == before
    assert store.trace.origin(BOOK, a_hash("p1")) == (records[1],)


def test_a_block_is_found_by_its_adding_and_removing_records(store: AnyStore) -> None:
    born = a_record("born", a_range("x"), minute=1)
    gone = a_record("gone", a_range("y", before="x"), minute=2)
    other = a_record("other", a_range("z"), minute=3)
    store.trace.extend(BOOK, [born, gone, other])

    assert store.trace.origin(BOOK, a_hash("x")) == (gone, born)
    assert store.trace.origin(BOOK, a_hash("y")) == (gone,)
    assert store.trace.origin("other", a_hash("y")) == ()


def test_origin_of_a_block_returns_its_newest_twenty_records(store: AnyStore) -> None:
    records = [a_record(f"r{number}", a_range("***"), minute=number) for number in range(30)]

    store.trace.extend(BOOK, records)

    assert store.trace.origin(BOOK, a_hash("***")) == tuple(reversed(records))[:20]


def test_removed_blocks_are_superseded_until_added_again(store: AnyStore) -> None:
    store.trace.extend(
        BOOK,
        [
            a_record(
                "1", a_range("kept"), a_range("rewritten"), a_range("removed"), a_range("back"), minute=1
            ),
            a_record("2", a_range("new", before="rewritten"), a_removal("removed"), minute=2),
            a_record("3", a_removal("back"), a_removal("never came"), minute=3),
            a_record("4", a_range("back"), minute=4),
        ],
    )
    names = ["kept", "rewritten", "removed", "back", "never came", "unheard of"]

    found = store.trace.superseded(BOOK, [a_hash(name) for name in names])

    assert found == {a_hash(name) for name in ("rewritten", "removed", "never came")}


def test_a_block_removed_and_added_by_one_record_is_not_superseded(store: AnyStore) -> None:
    store.trace.extend(BOOK, [a_record("1", a_range("x"), a_removal("x"))])

    assert store.trace.superseded(BOOK, [a_hash("x")]) == frozenset()


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_only_names(store: AnyStore, name: str) -> None:
    record = a_record("r", a_range("p", name, block_hash=name or "x"), intent=name)
    others: list[TraceRecord] = [a_record("s", intent=f"{name}!"), a_record("t", intent=None)]
    store.trace.extend(BOOK, [record, *others])

    assert store.trace.history(BOOK, name, limit=9) == (record,)
    assert store.trace.count(BOOK, name) == 1
    assert store.trace.origin(BOOK, name or "x") == (record,)
    assert store.trace.superseded(BOOK, [name]) == frozenset()


def test_anchors_are_stored_once_and_survive_forget(store: AnyStore) -> None:
    late, early, same = an_anchor("1", minute=5), an_anchor("2", minute=1), an_anchor("3", minute=1)
    for anchor in (late, early, same, early._replace(commit="d" * 40)):
        store.trace.anchor(BOOK, anchor)

    store.trace.forget(BOOK)

    assert store.trace.anchors(BOOK) == (early, same, late)
    assert store.trace.anchors("other") == ()


def test_earlier_anchors_of_a_clone_can_be_left_out(store: AnyStore) -> None:
    early, late, other = an_anchor("1"), an_anchor("2", minute=1), an_anchor("3")._replace(clone='th"ere')
    for anchor in (early, late, other):
        store.trace.anchor(BOOK, anchor)

    assert store.trace.anchors(BOOK, since={}) == (early, other, late)
    assert store.trace.anchors(BOOK, since={"here": early.at}) == (early, other, late)
    assert store.trace.anchors(BOOK, since={"here": late.at, "elsewhere": late.at}) == (other, late)
    assert store.trace.anchors(BOOK, since={"here": late.at, 'th"ere': late.at}) == (late,)
