"""The housekeeping of a night: the store, then the repositories, host by host."""

from datetime import datetime
from typing import Final, Literal

from penwright.domain import control
from schemas.base import Cause, Effect, Progress
from schemas.housekeeping import (
    ClearStore,
    EndHousekeeping,
    FindQueues,
    HousekeepingInput,
    HousekeepingResult,
    HousekeepingState,
    PackRepositories,
    QueuesFound,
    RepositoriesPacked,
    StoreCleared,
)

PIPELINE: Final = "housekeeping"
SUBJECT: Final = "store"

Step = ClearStore | FindQueues | PackRepositories | EndHousekeeping
Stage = Literal["clear", "pack", "end"]


def next_step(given: HousekeepingInput, state: HousekeepingState, effect: Effect) -> Step | None:
    """The first step without a result; None at the end. The effect's op id begins with the run's name."""
    if state.control.ended:
        return None
    run = effect.op_id.rpartition(":")[0]
    if control.must_end(state):
        return _end(state, effect, run)
    if state.cleared is None:
        return ClearStore(effect=effect, run=run)
    if state.queues is None:
        return FindQueues(effect=effect, run=run)
    done = {each.queue for each in state.packed}
    if left := [queue for queue in state.queues if queue not in done]:
        return PackRepositories(effect=effect, run=run, queue=left[0])
    return _end(state, effect, run)


def cleared(state: HousekeepingState, done: StoreCleared, now: datetime) -> HousekeepingState:
    """The store is cleared."""
    return control.after_step(control.started(state, now, None), cleared=done)


def found(state: HousekeepingState, queues: QueuesFound) -> HousekeepingState:
    """The hosts are known."""
    return control.after_step(state, queues=queues.queues)


def packed(state: HousekeepingState, done: RepositoriesPacked) -> HousekeepingState:
    """The repositories of one host are packed."""
    return control.after_step(state, packed=(*state.packed, done))


def ended(state: HousekeepingState) -> HousekeepingState:
    """The ending is recorded."""
    return control.after_step(control.ended(state))


def failed(given: HousekeepingInput, state: HousekeepingState, step: Step, cause: Cause) -> HousekeepingState:
    """A host that could not be asked keeps no other waiting; any other failure ends the housekeeping."""
    match step:
        case PackRepositories():
            why = f"{cause.code}: {cause.message}"
            return packed(state, RepositoriesPacked(queue=step.queue, failed=(why,)))
        case EndHousekeeping():
            return ended(control.failed(state, "end", cause))
        case _:
            return control.after_step(control.failed(state, stage(state), cause))


def stage(state: HousekeepingState) -> Stage:
    """Name the present stage."""
    if state.cleared is None:
        return "clear"
    return "end" if control.must_end(state) else "pack"


def progress(given: HousekeepingInput, state: HousekeepingState) -> Progress:
    """Its status, for people."""
    ending = result(state)
    return control.progress(
        state,
        pipeline=PIPELINE,
        subject=SUBJECT,
        stage=stage(state),
        detail=control.pause_detail(state) if state.control.paused else _detail(state, ending),
        outcome=ending.outcome,
        code=ending.code,
    )


def result(state: HousekeepingState) -> HousekeepingResult:
    """Result so far."""
    tables = state.cleared.tables if state.cleared else ()
    failure, stop = state.control.failure, state.control.stop
    if failure is not None:
        ending = ("failed", failure.code, failure.message)
    elif stop is not None:
        ending = ("stopped", "killed", f"stopped by {stop.who}: {stop.reason}")
    else:
        ending = ("done", "", "")
    outcome, code, message = ending
    known = {"outcome": outcome, "code": code, "message": message}
    return HousekeepingResult.model_validate({**known, "tables": tables, "packed": state.packed})


def _end(state: HousekeepingState, effect: Effect, run: str) -> EndHousekeeping:
    started_at = state.control.started_at or effect.issued_at
    return EndHousekeeping(effect=effect, run=run, started_at=started_at, result=result(state))


def _detail(state: HousekeepingState, ending: HousekeepingResult) -> str:
    if not state.control.ended:
        return "Deletes what is old" if state.cleared is None else "Packs repositories"
    rows, freed = sum(each.rows for each in ending.tables), sum(each.freed for each in ending.packed)
    return f"Deleted {rows} rows, and packing freed {freed:,} bytes"
