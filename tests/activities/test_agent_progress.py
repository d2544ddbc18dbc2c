"""What a run's steps leave in the store: its variables, its log, and nothing twice."""

import asyncio
from collections.abc import Sequence
from datetime import timedelta

import pytest

from activities.agents.progress import AgentProgress
from activities.log_writing import LogWriter
from penwright.errors import StoreUnavailable, UsageMistake
from penwright.ports.agents import AgentLogs
from schemas.agent_state import ActionEntry, LogEntry, StateChanges, StateKey, WriteState
from schemas.base import Effect, OpId
from tests.adapters.store.builders import NOON, SetClock
from tests.support.doubles.agent_states import MemoryAgentLogs
from tests.support.doubles.store import MemoryStore, memory_store

KEY = StateKey(novel="tide", scene="dawn")
RUN = "manuscript/tide/dawn#1"


def an_entry(op_id: str, *, score: float | None = None) -> ActionEntry:
    return ActionEntry(
        op_id=OpId(op_id),
        run=RUN,
        at=NOON,
        action="plan",
        outcome="done",
        summary="planned two sections",
        score=score,
    )


def an_effect(number: int) -> Effect:
    return Effect(op_id=OpId(f"{RUN}:{number}"), issued_at=NOON + timedelta(minutes=number))


class CountedLog(MemoryAgentLogs):
    """A log that counts the entries of each transaction, and fails the first ones."""

    def __init__(self, failures: Sequence[Exception] = ()) -> None:
        super().__init__(SetClock(), lambda events: None)
        self.failures = list(failures)
        self.appended: list[int] = []

    def append(self, entries: Sequence[tuple[StateKey, LogEntry]]) -> int:
        if self.failures:
            raise self.failures.pop(0)
        self.appended.append(len(entries))
        return super().append(entries)


@pytest.fixture
def store() -> MemoryStore:
    return memory_store(clock=SetClock())


@pytest.fixture
def progress(store: MemoryStore) -> AgentProgress:
    return AgentProgress(store.agent_states, LogWriter(store.agent_logs, quiet_s=0.01))


def logged(log: AgentLogs) -> list[str]:
    return [each.entry.op_id for each in log.read(KEY)]


async def test_a_step_leaves_its_variables_and_its_entries(
    store: MemoryStore, progress: AgentProgress
) -> None:
    changes = StateChanges(run=RUN, pass_index=1, sections_drafted=("Ebb",))

    recorded = await progress.record(KEY, an_effect(1), changes, [an_entry("1")], run=RUN, base_version=0)

    state = recorded.state
    assert state == store.agent_states.read(KEY)
    assert (state.version, state.pass_index, state.sections_drafted) == (1, 1, ("Ebb",))
    assert logged(store.agent_logs) == ["1"]


async def test_a_repeated_step_leaves_nothing_more(store: MemoryStore, progress: AgentProgress) -> None:
    for _ in range(3):
        recorded = await progress.record(
            KEY, an_effect(1), StateChanges(pass_index=1), [an_entry("1")], run=RUN, base_version=0
        )

    assert recorded.state.version == 1
    assert logged(store.agent_logs) == ["1"]


async def test_instructions_that_a_person_changed_meanwhile_stand(
    store: MemoryStore, progress: AgentProgress
) -> None:
    await progress.record(
        KEY, an_effect(1), StateChanges(instructions="one", pass_index=1), run=RUN, base_version=0
    )
    by_hand = StateChanges(instructions="by hand")
    store.agent_states.write(
        WriteState(key=KEY, changes=by_hand, base_version=1, op_id=OpId("phone/1"), by="phone", at=NOON)
    )

    recorded = await progress.record(
        KEY, an_effect(2), StateChanges(instructions="one", pass_index=2), run=RUN, base_version=1
    )

    state = recorded.state
    assert recorded.overruled == ()
    assert (state.version, state.instructions, state.pass_index) == (3, "by hand", 2)
    assert logged(store.agent_logs) == []


async def test_a_value_that_both_changed_stays_and_the_log_says_so_once(
    store: MemoryStore, progress: AgentProgress
) -> None:
    await progress.record(KEY, an_effect(1), StateChanges(format_guidance="one"), run=RUN, base_version=0)
    by_hand = StateChanges(format_guidance="by hand")
    store.agent_states.write(
        WriteState(key=KEY, changes=by_hand, base_version=1, op_id=OpId("phone/1"), by="phone", at=NOON)
    )

    for _ in range(2):
        recorded = await progress.record(
            KEY,
            an_effect(2),
            StateChanges(format_guidance="the run's", pass_index=1),
            run=RUN,
            base_version=1,
        )

    assert recorded.overruled == ("format_guidance",)
    assert (recorded.state.format_guidance, recorded.state.pass_index) == ("by hand", 1)
    (told,) = store.agent_logs.read(KEY)
    assert isinstance(told.entry, ActionEntry)
    assert (told.entry.code, told.entry.outcome) == ("state-conflict", "refused")
    assert "format_guidance" in told.entry.summary


async def test_entries_that_come_together_are_one_transaction() -> None:
    counted = CountedLog()
    writer = LogWriter(counted, quiet_s=0.05)

    await asyncio.gather(*(writer.append(KEY, [an_entry(str(number))]) for number in range(5)))

    assert counted.appended == [5]
    assert logged(counted) == ["0", "1", "2", "3", "4"]


async def test_the_end_of_a_run_does_not_wait_for_company(store: MemoryStore) -> None:
    writer = LogWriter(store.agent_logs, quiet_s=60)
    waiting = asyncio.create_task(writer.append(KEY, [an_entry("1")]))
    await asyncio.sleep(0)

    async with asyncio.timeout(5):
        await writer.append(KEY, [an_entry("2")], now=True)
        await waiting

    assert logged(store.agent_logs) == ["1", "2"]


async def test_nothing_counts_as_logged_before_it_is_stored() -> None:
    counted = CountedLog([StoreUnavailable("store-busy", "The database timed out. Try again.")])
    writer = LogWriter(counted, quiet_s=0.01)

    with pytest.raises(StoreUnavailable):
        await writer.append(KEY, [an_entry("1")])
    assert logged(counted) == []

    await writer.append(KEY, [an_entry("1"), an_entry("2")])
    assert logged(counted) == ["1", "2"]


async def test_an_activity_that_is_cancelled_sends_its_entries_again(store: MemoryStore) -> None:
    writer = LogWriter(store.agent_logs, quiet_s=0.05)
    cancelled = asyncio.create_task(writer.append(KEY, [an_entry("1")]))
    other = asyncio.create_task(writer.append(KEY, [an_entry("2")]))
    await asyncio.sleep(0)
    cancelled.cancel()

    await other
    await writer.append(KEY, [an_entry("1")])

    assert sorted(logged(store.agent_logs)) == ["1", "2"]


async def test_a_bad_entry_holds_up_no_other(store: MemoryStore) -> None:
    writer = LogWriter(store.agent_logs, quiet_s=0.05)

    good, bad = await asyncio.gather(
        writer.append(KEY, [an_entry("1")]),
        writer.append(KEY, [an_entry("2", score=float("nan"))]),
        return_exceptions=True,
    )

    assert good is None
    assert isinstance(bad, UsageMistake)
    assert logged(store.agent_logs) == ["1"]
