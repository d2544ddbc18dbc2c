"""The contract of ``Records``."""

from datetime import timedelta

import pytest

from penwright.adapters.store import open_store
from penwright.errors import UsageMistake
from penwright.ports.portions import Portion
from schemas.base import BookId
from schemas.records import BoardEntry
from tests.adapters.store.builders import (
    NOON,
    AnyStore,
    SetClock,
    a_book,
    a_request,
    a_run,
    an_answer,
    an_event,
)


def test_a_registered_book_is_found(store: AnyStore) -> None:
    store.records.register(a_book("lamp"))
    store.records.register(a_book("anchor"))

    assert store.records.book(BookId("lamp")) == a_book("lamp").model_copy(update={"created_at": NOON})
    assert [book.book_id for book in store.records.books()] == ["anchor", "lamp"]
    assert store.records.book(BookId("nobody")) is None


def test_novels_are_listed_apart_from_books_and_found_by_the_same_ids(store: AnyStore) -> None:
    store.records.register(a_book("lamp"))
    store.records.register(a_book("tides").model_copy(update={"kind": "novel"}))

    assert [book.book_id for book in store.records.books()] == ["lamp"]
    assert [novel.book_id for novel in store.records.books("novel")] == ["tides"]
    assert [row.book.book_id for row in store.records.board()] == ["lamp"]
    found = store.records.book(BookId("tides"))
    assert found is not None
    assert found.kind == "novel"


def test_registering_again_changes_all_but_the_birthday(store: AnyStore, clock: SetClock) -> None:
    store.records.register(a_book())
    clock.pass_time(days=1)

    store.records.register(a_book(title="The Lamp, Revised"))

    (book,) = store.records.books()
    assert book.title == "The Lamp, Revised"
    assert book.created_at == NOON


def test_a_noted_run_and_its_events_are_read_back(store: AnyStore) -> None:
    run = a_run().model_copy(update={"detail": {"b": [1, None], "a": {"tag": "ink-1"}}})

    store.records.note(run, [an_event(kind="opened"), an_event(kind="tagged")])

    assert store.records.runs() == (run,)
    assert list(store.records.runs()[0].detail) == ["b", "a"]
    assert (store.records.run(run.run), store.records.run("agent/nobody")) == (run, None)
    events = store.records.events_after(0)
    assert [event.model_copy(update={"cursor": 0}) for event in events] == [
        an_event(kind="opened"),
        an_event(kind="tagged"),
    ]
    assert 0 < events[0].cursor < events[1].cursor


def test_an_event_seen_before_is_skipped(store: AnyStore) -> None:
    store.records.note(a_run(), [an_event()])
    store.records.note(a_run(), [an_event(), an_event(kind="tagged"), an_event()])

    assert [event.kind for event in store.records.events_after(0)] == ["opened", "tagged"]


def test_a_late_repeat_does_not_reset_the_run_stage(store: AnyStore) -> None:
    store.records.note(a_run(stage="open"), [an_event("1")])
    store.records.note(a_run(stage="write"), [an_event("2", kind="wrote")])

    store.records.note(a_run(stage="open"), [an_event("1")])

    assert [run.stage for run in store.records.runs()] == ["write"]


def test_times_once_known_are_not_forgotten(store: AnyStore) -> None:
    ended = NOON + timedelta(hours=1)
    store.records.note(a_run().model_copy(update={"ended_at": ended}), [])

    store.records.note(a_run(stage="push").model_copy(update={"started_at": None}), [])

    (run,) = store.records.runs()
    assert (run.stage, run.started_at, run.ended_at) == ("push", NOON, ended)


def test_runs_come_newest_first_and_by_subject(store: AnyStore, clock: SetClock) -> None:
    for number, subject in enumerate(["lamp", "anchor", "lamp"], start=1):
        store.records.note(a_run(f"book/{subject}#{number}", subject=subject), [])
        clock.pass_time(minutes=1)
    store.records.note(a_run("book/lamp#1", stage="closed"), [])

    assert [run.run for run in store.records.runs()] == ["book/lamp#3", "book/anchor#2", "book/lamp#1"]
    assert [run.run for run in store.records.runs(subject="lamp")] == ["book/lamp#3", "book/lamp#1"]
    assert [run.run for run in store.records.runs(limit=1)] == ["book/lamp#3"]


def test_runs_are_added_up_by_subject(store: AnyStore, clock: SetClock) -> None:
    for number, (words, ended) in enumerate([(10, True), (30, True), (5, False)]):
        clock.pass_time(minutes=1)
        run = a_run(f"tides#{number}").model_copy(
            update={
                "subject": "tides/-",
                "words": words,
                "cost_micros": 7,
                "ended_at": NOON if ended else None,
            }
        )
        store.records.note(run, [])
    pipeline = a_run("any").pipeline

    tallies = store.records.tallies(pipeline, ["tides/-", "tides/none"])

    assert tallies.keys() == {"tides/-"}
    tally = tallies["tides/-"]
    assert (tally.words, tally.cost_micros, tally.unknown_prices) == (5, 21, 0)
    assert tally.ended is not None
    assert tally.ended.run == "tides#1"
    assert store.records.tallies(pipeline, []) == {}


def test_events_after_a_cursor_by_run_and_up_to_a_limit(store: AnyStore) -> None:
    for number in range(4):
        run = f"book/lamp#{number % 2}"
        store.records.note(a_run(run), [an_event(str(number), run=run)])
    first, second, third, fourth = store.records.events_after(0)

    assert store.records.events_after(first.cursor, limit=2) == (second, third)
    assert store.records.events_after(0, run="book/lamp#1") == (second, fourth)
    assert store.records.events_after(fourth.cursor) == ()


def test_events_about_one_subject_are_read_across_its_runs(store: AnyStore) -> None:
    for number, subject in enumerate(("scene/quay", "scene/pier", "scene/quay")):
        run = f"{subject}#{number}"
        event = an_event(str(number), run=run).model_copy(update={"subject": subject})
        store.records.note(a_run(run), [event])
    first, _, third = store.records.events_after(0)

    assert store.records.events_after(0, subject="scene/quay") == (first, third)
    assert store.records.events_after(first.cursor, subject="scene/quay", limit=1) == (third,)
    assert store.records.events_after(0, subject="scene/quay", run="scene/pier#1") == ()


@pytest.mark.parametrize("note", ["NUL \x00 inside", 'quote " \\u0000 \\', "ünï → 章", "x" * 300_000])
def test_any_text_in_an_event_survives(store: AnyStore, note: str) -> None:
    store.records.note(a_run().model_copy(update={"detail": {"note": note}}), [an_event(note=note)])

    assert store.records.events_after(0)[0].data == {"note": note}
    assert store.records.runs()[0].detail == {"note": note}


@pytest.mark.server
def test_a_name_that_cannot_be_stored_is_refused_and_nothing_kept(database_url: str, clock: SetClock) -> None:
    store = open_store(database_url, clock=clock)

    with pytest.raises(UsageMistake) as caught:
        store.records.note(a_run("book/\x00#1"), [an_event()])

    assert caught.value.code == "unstorable-value"
    assert store.records.events_after(0) == ()
    store.close()


def an_entry(
    state: str = "pending", *, hours: int = 0, book_id: str = "lamp", **detail: object
) -> BoardEntry:
    at = NOON + timedelta(hours=hours)
    return BoardEntry(book_id=BookId(book_id), about="push", state=state, at=at, detail=detail)


def test_a_board_entry_keeps_the_time_since_which_it_holds(store: AnyStore) -> None:
    store.records.register(a_book("lamp"))

    store.records.enter([an_entry(), an_entry("open", hours=0).model_copy(update={"about": "text"})])
    store.records.enter([an_entry(hours=6, reason="no route \0")])

    (row,) = store.records.board()
    push = row.entry("push")
    assert push is not None
    assert (push.since, push.at) == (NOON, NOON + timedelta(hours=6))
    assert push.detail == {"reason": "no route \0"}
    assert [entry.about for entry in row.entries] == ["push", "text"]


def test_a_new_state_holds_from_then_on(store: AnyStore) -> None:
    store.records.register(a_book("lamp"))
    store.records.enter([an_entry()])

    store.records.enter([an_entry("pushed", hours=1)])

    push = store.records.board(BookId("lamp"))[0].entry("push")
    assert push is not None
    assert (push.state, push.since) == ("pushed", NOON + timedelta(hours=1))


def test_a_late_repeat_of_a_board_entry_changes_nothing(store: AnyStore) -> None:
    store.records.register(a_book("lamp"))
    store.records.enter([an_entry("pushed", hours=1)])

    store.records.enter([an_entry("pending")])

    push = store.records.board()[0].entry("push")
    assert push is not None
    assert push.state == "pushed"


def test_the_board_has_every_registered_book_and_no_other(store: AnyStore) -> None:
    store.records.register(a_book("lamp"))
    store.records.register(a_book("anchor"))
    store.records.enter([an_entry(book_id="unregistered")])

    rows = store.records.board()

    assert [(row.book.book_id, row.entries, row.cost_micros) for row in rows] == [
        ("anchor", (), 0),
        ("lamp", (), 0),
    ]
    assert [row.book.book_id for row in store.records.board(BookId("lamp"))] == ["lamp"]


def test_a_part_of_the_board_begins_after_an_id_and_leaves_out_others(store: AnyStore) -> None:
    for name in ("anchor", "buoy", "capstan", "davit"):
        store.records.register(a_book(name))

    def part(limit: int, after: str, among: tuple[str, ...] | None = None) -> list[str]:
        rows = store.records.board(portion=Portion(limit, after=after, among=among))
        return [row.book.book_id for row in rows]

    assert part(2, "") == ["anchor", "buoy"]
    assert part(2, "buoy") == ["capstan", "davit"]
    assert part(2, "davit") == []
    assert part(9, "anchor", ("anchor", "davit")) == ["davit"]
    assert part(9, "", ()) == []


def test_the_board_knows_who_shares_a_folder(store: AnyStore) -> None:
    store.records.register(a_book("anchor"))
    store.records.register(a_book("buoy").model_copy(update={"path": "/elsewhere"}))
    store.records.register(a_book("capstan").model_copy(update={"path": "/elsewhere"}))
    store.records.register(a_book("davit").model_copy(update={"path": "/elsewhere", "queue": "other"}))

    rows = store.records.board()

    assert [row.book.book_id for row in rows if row.shares_folder] == ["buoy", "capstan"]


def test_the_board_has_the_cost_of_each_book(store: AnyStore) -> None:
    store.records.register(a_book("tide"))
    request = a_request(subject="tide")
    store.ledger.reserve(request, estimate_micros=90, estimate_tokens=10)
    store.ledger.settle(request, an_answer())

    (row,) = store.records.board()

    assert row.cost_micros == an_answer().usage.cost_micros


def test_a_forgotten_book_leaves_no_entry_and_keeps_its_runs(store: AnyStore) -> None:
    store.records.register(a_book("lamp"))
    store.records.enter([an_entry()])
    store.records.note(a_run(), [])

    assert store.records.forget(BookId("lamp"))
    assert not store.records.forget(BookId("lamp"))

    store.records.register(a_book("lamp"))
    assert store.records.board()[0].entries == ()
    assert store.records.runs() == (a_run(),)


def test_runs_are_read_page_by_page_each_once(store: AnyStore, clock: SetClock) -> None:
    for number in range(5):
        store.records.note(a_run(f"book/paged#{number}", subject="paged"), [])
        clock.pass_time(seconds=number % 2)

    seen: list[str] = []
    before: str | None = None
    while page := store.records.runs(subject="paged", limit=2, before=before):
        seen += [row.run for row in page]
        before = page[-1].run

    assert sorted(seen) == [f"book/paged#{number}" for number in range(5)]
    assert seen == [row.run for row in store.records.runs(subject="paged")]
    assert store.records.runs(subject="paged", before="book/paged#unknown") == ()


def test_the_newest_event_is_the_last_that_was_noted(store: AnyStore) -> None:
    store.records.note(a_run("book/newest#1"), [an_event("book/newest#1/1", run="book/newest#1")])

    newest = store.records.newest_event()

    assert store.records.events_after(newest - 1)[-1].cursor == newest
    assert store.records.events_after(newest) == ()
