"""Indexing of memories: vectors for some at a time, until none lacks one of the present model."""

from typing import Final, Literal

from penwright.domain import control
from schemas.base import Cause, Effect, Progress
from schemas.control import Control
from schemas.memory_indexing import (
    SUBJECT,
    EndIndexing,
    Indexed,
    IndexingInput,
    IndexingResult,
    IndexingState,
    IndexMemories,
)

PIPELINE: Final = "memory-indexing"
Step = IndexMemories | EndIndexing
Stage = Literal["index", "paused", "ended"]


def run_name(session: str) -> str:
    """The name under which the run is listed, and its vectors are paid for."""
    return f"memories/vectors#{session}"


def next_step(given: IndexingInput, state: IndexingState, effect: Effect) -> Step | None:
    """Return the first step whose outcome is missing; None at the end."""
    if state.control.ended:
        return None
    if not state.done and not control.must_end(state):
        return IndexMemories(effect=effect, session=given.session)
    return EndIndexing(effect=effect, session=given.session, result=result(state))


def wanted(state: IndexingState) -> IndexingState:
    """There are new memories without a vector, so a look that began before does not count as the last."""
    return state.model_copy(update={"wanted": True})


def begun(state: IndexingState) -> IndexingState:
    """The next look sees all that was wanted before it."""
    return state.model_copy(update={"wanted": False})


def indexed(state: IndexingState, outcome: Indexed) -> IndexingState:
    """Some vectors were brought."""
    cost = outcome.usage.cost_micros
    return control.after_step(
        control.spent(state, cost or 0, cost is None),
        indexed=state.indexed + outcome.indexed,
        left=outcome.left,
        model=outcome.model,
        done=outcome.left == 0 and not state.wanted,
    )


def failed(given: IndexingInput, state: IndexingState, step: Step, cause: Cause) -> IndexingState:
    """The model does not answer, or its budget is spent: the run ends, and the next one goes on from here."""
    if isinstance(step, EndIndexing):
        state = ended(state)
    return control.after_step(control.failed(state, stage(state), cause))


def ended(state: IndexingState) -> IndexingState:
    return control.after_step(control.ended(state))


def again(given: IndexingInput, state: IndexingState) -> IndexingInput | None:
    """The input of a further run, if memories came while this one ended; None if it may end."""
    if not state.wanted or control.must_end(state):
        return None
    # The counter goes on, so that no op id is used twice.
    fresh = IndexingState(control=Control(effects=state.control.effects))
    return given.model_copy(update={"state": fresh})


def stage(state: IndexingState) -> Stage:
    """The stage, in one word."""
    if state.control.ended:
        return "ended"
    return "paused" if state.control.paused else "index"


def result(state: IndexingState) -> IndexingResult:
    """Result of the run."""
    return IndexingResult(
        **control.end_fields(state),
        indexed=state.indexed,
        left=state.left,
        model=state.model,
        cost_micros=state.control.cost_micros,
        unknown_prices=state.control.unknown_prices,
    )


def progress(state: IndexingState) -> Progress:
    """The status, for people."""
    ending = result(state)
    return control.progress(
        state,
        pipeline=PIPELINE,
        subject=SUBJECT,
        stage=stage(state),
        detail=_detail(state),
        outcome=ending.outcome,
        code=ending.code,
    )


def _detail(state: IndexingState) -> str:
    if state.control.paused:
        return control.pause_detail(state)
    left = "" if state.left is None else f"; still without: {state.left:,}"
    return f"Memories that got their vectors: {state.indexed:,}{left}"
