"""What is deleted when it is old, and what is not."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing

import pytest
from sqlalchemy import insert, select
from sqlalchemy.types import LargeBinary

from penwright.adapters.store import Store, open_store
from penwright.adapters.store.retention import PostgresRetention
from penwright.adapters.store.retention.clearing import RULES
from penwright.adapters.store.retention.sweeping import referring, searched
from penwright.adapters.store.tables import effects, metadata
from penwright.errors import NotFound, Refused
from penwright.ports.retention import UnderWay
from schemas.agent import AgentMessage
from schemas.base import BlobRef
from schemas.drafts import Rebased
from schemas.housekeeping import Cleared, RetentionDays
from tests.adapters.store.builders import NOON, SetClock, a_request, a_run, an_answer, an_event
from tests.adapters.store.test_agent_logs import an_action
from tests.adapters.store.test_agent_states import KEY, a_write, instructed
from tests.adapters.store.test_drafts import a_change, opened

pytestmark = pytest.mark.server
NO_RUN = UnderWay()
NEVER = RetentionDays(**dict.fromkeys(RetentionDays.model_fields, 0))

AUTHORS = "is the author's own work"
GOES_ALONG = "goes with what it belongs to"

STAYS = {
    "blobs": "goes when it is old and no row and no run under way names it",
    "books": "goes with `penwright book forget BOOK`",
    "board_entries": GOES_ALONG,
    "event_numbers": "is one row",
    "encryption_keys": "is a row for each key, and names one that is missing",
    "trace_anchors": "shows a forged ledger",
    "agent_state": "is the newest version of each document",
    "scene_telemetry": "keeps the newest 500 of a scene",
    **dict.fromkeys(("worlds", "campaigns", "arcs", "personas", "scenes", "characters"), AUTHORS),
    **dict.fromkeys(("character_overrides", "lorebooks", "lore_entries"), AUTHORS),
    **dict.fromkeys(("scene_messages", "message_alternatives", "memories"), AUTHORS),
    **dict.fromkeys(("scene_rounds", "scene_state_events"), "is what an undo goes back to"),
    **dict.fromkeys(("undone_rounds", "forgotten_rounds", "round_steps", "scene_stretches"), GOES_ALONG),
    **dict.fromkeys(("scene_cast", "scene_views", "lore_attachments", "memory_vectors"), GOES_ALONG),
    "library_passages": GOES_ALONG,
}
"""Tables without a rule here -> why."""
BINARY = {
    ("blobs", "content"): "read for the texts that are kept, see ``sweeping``",
    ("message_segments", "lines"): "read and decrypted, see ``sweeping``",
    ("model_calls", "tool_calls"): "arguments that a model wrote: it is told no digest of a text",
}
"""Columns of bytes -> what becomes of the digests in them."""


@pytest.fixture
def store(database_url: str, clock: SetClock) -> Iterator[Store]:
    with closing(open_store(database_url, clock=clock)) as store:
        yield store


Clear = Callable[..., dict[str, Cleared]]


@pytest.fixture
def clear(store: Store, clock: SetClock) -> Clear:
    retention = PostgresRetention(store.database, clock, store.keys)

    def _clear(under_way: UnderWay = NO_RUN, *, only_look: bool = False, **days: int) -> dict[str, Cleared]:
        wanted = NEVER.model_copy(update=days)
        return {done.table: done for done in retention.clear(wanted, under_way, only_look=only_look)}

    return _clear


def keep_receipt(store: Store, op_id: str, result: Mapping[str, object]) -> None:
    """Keep the row that a change of a scene leaves."""
    row = {"op_id": op_id, "result": dict(result), "kept_at": NOON}
    with store.database.transaction() as connection:
        connection.execute(insert(effects).values(row))


def has_receipt(store: Store, op_id: str) -> bool:
    with store.database.statement() as connection:
        return connection.execute(select(effects.c.op_id).where(effects.c.op_id == op_id)).first() is not None


def has(store: Store, ref: BlobRef) -> bool:
    try:
        store.blobs.get(ref)
    except NotFound:
        return False
    return True


def test_every_table_has_a_rule_or_a_reason_to_stay() -> None:
    ruled = {rule.table.name for rule in RULES}

    assert ruled | set(STAYS) == set(metadata.tables)
    assert ruled & set(STAYS) == set()


def test_every_rule_is_set_by_a_setting_that_exists() -> None:
    assert {rule.setting for rule in RULES} | {"texts"} == {"", *RetentionDays.model_fields}


def test_every_column_that_may_hold_the_digest_of_a_text_is_looked_at() -> None:
    """A column of bytes cannot be searched by the database: it must be read, or be known to name nothing."""
    bytes_ = {
        (table.name, column.name)
        for table in metadata.sorted_tables
        for column in table.columns
        if isinstance(column.type, LargeBinary)
    }
    texts = {
        (table.name, column.name)
        for table in metadata.sorted_tables
        for column in table.columns
        if column.type.python_type in (str, dict, list)
    }

    assert bytes_ == set(BINARY)
    assert texts <= {(table.name, name) for table in metadata.sorted_tables for name in searched(table)}
    assert {str(column) for column in referring()} == {
        "drafts.base_text",
        "drafts.text",
        "model_calls.reply",
    }


def test_without_settings_only_what_is_over_by_itself_goes(
    store: Store, clock: SetClock, clear: Clear
) -> None:
    store.blobs.put(b"a text")
    store.records.note(a_run(), [an_event()])
    clock.pass_time(days=5000)

    assert {name for name, done in clear().items() if done.rows} == set()


def test_events_go_when_they_are_old_and_keep_the_order_of_cursors(
    store: Store, clock: SetClock, clear: Clear
) -> None:
    store.records.note(a_run(), [an_event("old")])
    cursor = store.records.newest_event()
    clock.pass_time(days=91)
    store.records.note(a_run(), [an_event("new").model_copy(update={"at": clock.now()})])

    assert clear(events=90)["events"].rows == 1
    assert [event.op_id for event in store.records.events_after(0)] == ["new"]
    assert store.records.newest_event() == cursor + 1


@pytest.mark.parametrize(
    ("run", "workflow"),
    [("book/lamp#1", "book/lamp"), ("agent/ask#1", "agent/ask#1"), ("agent/ask:3", "agent/ask")],
)
def test_nothing_of_a_run_under_way_goes(
    store: Store, clock: SetClock, clear: Clear, run: str, workflow: str
) -> None:
    store.records.note(a_run(run), [an_event(run=run)])
    store.records.note(a_run("book/other#9"), [])
    keep_receipt(store, f"{run}:4", {"done": True})
    store.ledger.settle(a_request(f"{run}:2", run=run), an_answer("Paid for."))
    clock.pass_time(days=5000)

    under_way = UnderWay(workflow_ids=frozenset({workflow}))
    cleared = clear(under_way, events=1, runs=1, receipts=1, model_calls=1)

    # What days have cost is of no run.
    assert {name for name, done in cleared.items() if done.rows} <= {"spending", "charges", "runs"}
    assert store.records.run(run) is not None
    assert has_receipt(store, f"{run}:4")
    clear(events=1, receipts=1, model_calls=1)
    assert not has_receipt(store, f"{run}:4")


def test_a_run_that_cannot_be_read_holds_up_only_what_it_may_name(
    store: Store, clock: SetClock, clear: Clear
) -> None:
    ref = store.blobs.put(b"a text")
    store.records.note(a_run(), [an_event("old")])
    clock.pass_time(days=91)
    unread = UnderWay(frozenset({"book/tide"}), unread=("book/tide: encryption-key-unknown: no key",))

    held = clear(unread, events=90, texts=30, messages=30)

    assert held["events"].rows == 1
    assert (held["blobs"].rows, has(store, ref)) == (0, True)
    for table in ("blobs", "message_segments"):
        assert held[table].failed.startswith("history-unreadable: ")
        assert "book/tide: encryption-key-unknown: no key" in held[table].failed
    assert clear(events=90, texts=30)["blobs"].rows == 1


def test_the_newest_run_of_a_subject_stays(store: Store, clock: SetClock, clear: Clear) -> None:
    for number in (1, 2):
        store.records.note(a_run(f"book/lamp#{number}"), [])
        clock.pass_time(days=1)
    clock.pass_time(days=800)

    assert clear(runs=730)["runs"].rows == 1
    assert store.records.run("book/lamp#2") is not None


def test_an_old_call_goes_with_its_spending_and_then_its_answer(
    store: Store, clock: SetClock, clear: Clear
) -> None:
    request = a_request()
    store.ledger.settle(request, an_answer("Paid for."))
    answer = store.blobs.put(b"Paid for.")
    clock.pass_time(days=399)
    assert clear(model_calls=400, texts=30)["model_calls"].rows == 0
    assert has(store, answer)

    clock.pass_time(days=2)
    cleared = clear(model_calls=400, texts=30)

    assert (cleared["model_calls"].rows, cleared["spending"].rows, cleared["blobs"].rows) == (1, 2, 1)
    assert not has(store, answer)
    spent = store.ledger.spending(request.scope, day=NOON)
    assert (spent["run"].calls, spent["subject"].calls, spent["day"].calls) == (0, 1, 0)


def test_messages_go_from_the_end_of_their_chain(store: Store, clock: SetClock, clear: Clear) -> None:
    first = store.messages.append(None, [AgentMessage(role="user", content="one")])
    clock.pass_time(days=20)
    second = store.messages.append(first, [AgentMessage(role="assistant", content="two")])
    clock.pass_time(days=20)
    assert clear(messages=30)["message_segments"].rows == 0  # the second needs it

    clock.pass_time(days=20)
    named = UnderWay(digests=frozenset({second.digest}))
    assert clear(named, messages=30)["message_segments"].rows == 0
    assert clear(messages=30)["message_segments"].rows == 2
    assert not store.messages.holds(second)


def test_a_look_deletes_nothing_and_says_what_a_clearing_then_deletes(
    store: Store, clock: SetClock, clear: Clear
) -> None:
    store.records.note(a_run(), [an_event("one"), an_event("two")])
    store.blobs.put(b"a text of 21 letters.")
    clock.pass_time(days=100)

    seen = clear(only_look=True, events=90, texts=30)
    done = clear(events=90, texts=30)

    assert (seen["events"].rows, seen["blobs"].rows, seen["blobs"].size) == (2, 1, 21)
    assert seen["events"].size > 100
    assert {name: each.rows for name, each in seen.items()} == {
        name: each.rows for name, each in done.items()
    }
    assert all(each.rows == 0 for each in clear(events=90, texts=30).values())


def test_replaced_values_go_and_what_stands_stays(store: Store, clock: SetClock, clear: Clear) -> None:
    store.agent_states.write(a_write("1", 0, instructed("one")))
    store.agent_states.write(a_write("2", 1, instructed("two")))
    store.agent_states.write(a_write("3", 2, instructed("three"), hours=24 * 9))
    clock.pass_time(days=10)

    assert clear(agent_history=7)["agent_state_values"].rows == 1
    assert [each.value for each in store.agent_states.past(KEY, "instructions")] == ["three", "two"]
    assert store.agent_states.at(KEY, 1) is None
    assert store.agent_states.at(KEY, 2) is not None
    state = store.agent_states.read(KEY)
    assert state is not None
    assert state.instructions == "three"
    assert [event.version for event in store.agent_states.events_after(KEY, 0)] == [1, 2, 3]


def test_what_agents_did_goes_and_is_told_only_once(store: Store, clock: SetClock, clear: Clear) -> None:
    store.agent_logs.append([(KEY, an_action("1"))])
    clock.pass_time(days=10)
    store.agent_logs.append([(KEY, an_action("2"))])

    assert clear(agent_history=7)["agent_log"].rows == 1
    assert [each.entry.op_id for each in store.agent_logs.read(KEY)] == ["2"]

    store.agent_logs.append([(KEY, an_action("1"))])
    assert len(store.agent_states.events_after(KEY, 0)) == 2


def test_a_closed_draft_goes_with_its_changes_and_an_open_one_stays(
    store: Store, clock: SetClock, clear: Clear
) -> None:
    opened(store)
    store.drafts.append(a_change(0, "one"))
    store.drafts.close("d1")
    opened(store, "d2")
    store.drafts.append(a_change(0, "unsaved").model_copy(update={"draft_id": "d2"}))
    clock.pass_time(days=31)

    cleared = clear(drafts=30)

    assert (cleared["drafts"].rows, cleared["draft_changes"].rows) == (1, 0)
    assert [draft.draft_id for draft in store.drafts.of("tide")] == ["d2"]
    assert len(store.drafts.changes("d2", 0)) == 1


def test_saved_changes_of_an_open_draft_go_and_a_page_that_needs_them_is_told(
    store: Store, clock: SetClock, clear: Clear
) -> None:
    draft = opened(store)
    for version in range(3):
        store.drafts.append(a_change(version, f"{version}").model_copy(update={"text": draft.text}))
    store.drafts.mark_saved("d1", 2, Rebased(base="r2", base_text=draft.text))
    clock.pass_time(days=31)

    assert clear(drafts=30)["draft_changes"].rows == 2
    assert len(store.drafts.changes("d1", 2)) == 1
    assert store.drafts.changes("d1", 3) == ()
    with pytest.raises(Refused) as caught:
        store.drafts.changes("d1", 1)
    assert caught.value.code == "draft-changes-gone"
    with pytest.raises(Refused):
        store.drafts.append(a_change(0, "late"))
