"""The contract of ``AgentLogs``."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from penwright.errors import UsageMistake
from schemas.agent_run import ChainHead
from schemas.agent_state import ActionEntry, CallEntry, LogEntry, StateChanges, StateKey, WriteState
from schemas.base import BlobRef, OpId
from tests.adapters.store.builders import NOON, AnyStore

KEY = StateKey(novel="tide", scene="dawn")
RUN = "manuscript/tide/dawn#1"


def an_action(op_id: str, *, run: str = RUN, summary: str = "planned three sections") -> ActionEntry:
    return ActionEntry(op_id=OpId(op_id), run=run, at=NOON, action="plan", outcome="done", summary=summary)


def a_call(op_id: str) -> CallEntry:
    return CallEntry(
        op_id=OpId(op_id),
        run=RUN,
        at=NOON,
        role="planner",
        agent="manuscript/planner",
        outcome="completed",
        prompt=BlobRef(sha256="0" * 64, size=3),
        head=ChainHead(digest="1" * 64, count=2),
        models=("quill-1",),
        cost_micros=1_200,
    )


def test_entries_are_read_back_in_their_order(store: AnyStore) -> None:
    entries: list[LogEntry] = [an_action("1", summary="NUL \x00 and ☕"), a_call("1"), an_action("2")]

    appended = store.agent_logs.append([(KEY, entry) for entry in entries])

    logged = store.agent_logs.read(KEY)
    assert appended == 3
    assert [each.entry for each in logged] == entries
    assert [each.number for each in logged] == sorted({each.number for each in logged})


def test_an_entry_that_is_sent_again_is_stored_once(store: AnyStore) -> None:
    store.agent_logs.append([(KEY, an_action("1"))])

    again = store.agent_logs.append([(KEY, an_action("1", summary="later")), (KEY, an_action("2"))])
    twice = store.agent_logs.append([(KEY, an_action("3")), (KEY, an_action("3", summary="twice"))])

    assert (again, twice) == (1, 1)
    assert [each.entry.op_id for each in store.agent_logs.read(KEY)] == ["1", "2", "3"]
    assert store.agent_logs.read(KEY)[0].entry == an_action("1")


def test_nothing_to_append_is_no_event(store: AnyStore) -> None:
    assert store.agent_logs.append([]) == 0
    assert store.agent_states.events_after(KEY, 0) == ()


def test_entries_are_found_by_document_run_kind_place_and_op_id(store: AnyStore) -> None:
    other = StateKey(novel="ebb")
    store.agent_logs.append([(KEY, an_action("1")), (other, an_action("x")), (KEY, a_call("1"))])
    store.agent_logs.append([(KEY, an_action("2", run="manuscript/tide/dawn#2"))])

    first, call, second = store.agent_logs.read(KEY)

    assert [each.entry.op_id for each in store.agent_logs.read(other)] == ["x"]
    assert store.agent_logs.read(KEY, run=RUN) == (first, call)
    assert store.agent_logs.read(KEY, kind="call") == (call,)
    assert store.agent_logs.read(KEY, after=first.number, limit=1) == (call,)
    assert store.agent_logs.newest(KEY, kind="action") == second
    assert store.agent_logs.newest(KEY, run=RUN, kind="action") == first
    assert store.agent_logs.newest(StateKey(novel="none")) is None
    assert store.agent_logs.find("call", OpId("1")) == call
    assert store.agent_logs.find("call", OpId("2")) is None


def test_one_batch_is_one_event_for_each_document(store: AnyStore) -> None:
    other = StateKey(novel="ebb")
    store.agent_logs.append([(KEY, an_action("1")), (other, an_action("x")), (KEY, an_action("2"))])
    store.agent_logs.append([(KEY, an_action("2")), (KEY, an_action("3"))])
    one, two, three = (each.number for each in store.agent_logs.read(KEY))

    told = store.agent_states.events_after(KEY, 0)

    assert [event.logged for event in told] == [(one, two), (three, three)]
    assert len(store.agent_states.events_after(other, 0)) == 1


def test_changes_and_log_entries_come_in_one_order(store: AnyStore) -> None:
    store.agent_logs.append([(KEY, an_action("1"))])
    write = WriteState(key=KEY, changes=StateChanges(pass_index=1), base_version=0, op_id=OpId("1"), at=NOON)
    store.agent_states.write(write)
    store.agent_logs.append([(KEY, an_action("2"))])

    told = store.agent_states.events_after(KEY, 0)

    assert [(bool(event.logged), event.version) for event in told] == [(True, 0), (False, 1), (True, 0)]


def test_writers_at_once_lose_no_entry_and_no_reader_skips_one(store: AnyStore) -> None:
    def write(writer: int) -> None:
        for number in range(10):
            store.agent_logs.append([(KEY, an_action(f"{writer}/{number}"))])

    seen: list[str] = []
    place = 0
    with ThreadPoolExecutor(4) as writers:
        coming = [writers.submit(write, number) for number in range(4)]
        while len(seen) < 40:
            for each in store.agent_logs.read(KEY, after=place, limit=7):
                seen.append(each.entry.op_id)
                place = each.number
        for each_writer in coming:
            each_writer.result()

    assert len(set(seen)) == 40
    assert store.agent_logs.read(KEY, after=place) == ()


def test_an_entry_with_an_infinite_number_is_refused_with_its_batch(store: AnyStore) -> None:
    bad = an_action("2").model_copy(update={"score": float("inf")})

    with pytest.raises(UsageMistake) as caught:
        store.agent_logs.append([(KEY, an_action("1")), (KEY, bad)])

    assert caught.value.code == "unstorable-value"
    assert store.agent_logs.read(KEY) == ()
