"""The order of the nightly housekeeping, and how it ends."""

from datetime import UTC, datetime

from penwright.domain import control
from penwright.domain.housekeeping import cleared, ended, failed, found, next_step, packed, progress, result
from schemas.base import Cause, Effect, OpId
from schemas.control import KillRequest
from schemas.housekeeping import (
    Cleared,
    ClearStore,
    EndHousekeeping,
    FindQueues,
    HousekeepingInput,
    HousekeepingState,
    PackRepositories,
    QueuesFound,
    RepositoriesPacked,
    StoreCleared,
)

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)
GIVEN = HousekeepingInput()
BROKEN = Cause(code="store-busy", message="busy")
TABLE = Cleared(table="events", what="events of runs", days=90, rows=3)


def step(state: HousekeepingState) -> object:
    return next_step(GIVEN, state, Effect(op_id=OpId("housekeeping-2026-03-14T03:40:00Z:4"), issued_at=NOON))


def begun() -> HousekeepingState:
    return cleared(HousekeepingState(), StoreCleared(tables=(TABLE,)), NOON)


def test_the_store_comes_first_then_host_by_host() -> None:
    state = HousekeepingState()
    assert isinstance(step(state), ClearStore)
    state = begun()
    assert isinstance(step(state), FindQueues)
    state = found(state, QueuesFound(queues=("repo@a", "repo@b")))
    for queue in ("repo@a", "repo@b"):
        wanted = step(state)
        assert isinstance(wanted, PackRepositories)
        assert (wanted.queue, wanted.run) == (queue, "housekeeping-2026-03-14T03:40:00Z")
        state = packed(state, RepositoriesPacked(queue=queue, looked_at=2, packed=1, freed=2048))
    last = step(state)
    assert isinstance(last, EndHousekeeping)
    assert (last.result.outcome, last.result.tables) == ("done", (TABLE,))
    state = ended(state)
    assert step(state) is None
    assert progress(GIVEN, state).detail == "Deleted 3 rows, and packing freed 4,096 bytes"


def test_without_a_book_nothing_is_packed() -> None:
    assert isinstance(step(found(begun(), QueuesFound(queues=()))), EndHousekeeping)


def test_a_host_that_does_not_answer_keeps_no_other_waiting() -> None:
    state = found(begun(), QueuesFound(queues=("repo@gone", "repo@here")))
    asked = step(state)
    assert isinstance(asked, PackRepositories)
    state = failed(GIVEN, state, asked, Cause(code="TemporalTimeout:ScheduleToStart", message="late"))
    asked = step(state)
    assert isinstance(asked, PackRepositories)
    assert asked.queue == "repo@here"
    assert result(state).outcome == "done"
    assert result(state).packed[0].failed == ("TemporalTimeout:ScheduleToStart: late",)


def test_a_failure_or_a_kill_ends_it_with_what_is_done() -> None:
    first = step(HousekeepingState())
    assert isinstance(first, ClearStore)
    broken = failed(GIVEN, HousekeepingState(), first, BROKEN)
    killed = control.stopped(begun(), KillRequest(who="ada", reason="maintenance"))
    for state, outcome, code in ((broken, "failed", "store-busy"), (killed, "stopped", "killed")):
        last = step(state)
        assert isinstance(last, EndHousekeeping)
        assert (last.result.outcome, last.result.code) == (outcome, code)
    assert result(killed).tables == (TABLE,)


def test_a_pause_is_shown() -> None:
    assert progress(GIVEN, control.paused(begun())).detail == "Paused: by a person"


def test_an_ending_that_cannot_be_recorded_ends_all_the_same() -> None:
    state = found(begun(), QueuesFound(queues=()))
    last = step(state)
    assert isinstance(last, EndHousekeeping)
    state = failed(GIVEN, state, last, BROKEN)
    assert step(state) is None
    assert result(state).outcome == "failed"
