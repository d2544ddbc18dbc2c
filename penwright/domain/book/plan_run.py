"""The control flow of a planning by hand: find what is missing, and plan and save one outline after another.

It holds no lock: an outline that a person or session wrote meanwhile is left as it is. What was saved stays
when the run ends early, and the next run goes on with what is missing.
"""

from datetime import datetime
from typing import Final, Literal

from penwright.domain import control
from penwright.domain.book.files.layout import outlined
from penwright.domain.book.requests import request_fields
from schemas.base import Cause, Effect, Progress
from schemas.book_session import ChapterPlan, OutlineSaved, PushBook, SaveOutline
from schemas.planning import (
    BriefPlanner,
    EndPlanning,
    FindOutlines,
    MakeOutline,
    OutlinesToPlan,
    PlanningInput,
    PlanningResult,
    PlanningState,
)
from schemas.workspace import Pushed

PIPELINE: Final = "planning"
Step = FindOutlines | MakeOutline | SaveOutline | PushBook | EndPlanning
Stage = Literal["find", "plan", "save", "push", "paused", "ended"]


def run_name(book_id: str, session: str) -> str:
    """The name under which a run is listed; before its sign stands the workflow id."""
    return f"{PIPELINE}/{book_id}#{session}"


def next_step(given: PlanningInput, state: PlanningState, effect: Effect) -> Step | None:
    """Return the first step whose outcome is missing; an outline that was made is saved even after a kill."""
    fields = request_fields(given, effect)
    if state.control.ended:
        return None
    if state.plan is not None:
        return SaveOutline(**fields, plan=state.plan, premise=given.premise)
    if not control.must_end(state):
        if state.wanted is None:
            return FindOutlines(**fields, chapters=given.chapters, premise=given.premise)
        if (number := _next_one(state)) is not None:
            return MakeOutline(brief=BriefPlanner(**fields, number=number, premise=given.premise))
    if state.pushed is None and any(each.commit for each in state.saved):
        return PushBook(**fields)
    return EndPlanning(**fields, result=result(given, state))


def _next_one(state: PlanningState) -> int | None:
    numbers = state.wanted.numbers if state.wanted else ()
    return numbers[len(state.saved)] if len(state.saved) < len(numbers) else None


def found(state: PlanningState, outcome: OutlinesToPlan, now: datetime) -> PlanningState:
    return control.after_step(control.started(state, now, deadline=None), wanted=outcome)


def planned(state: PlanningState, outcome: ChapterPlan) -> PlanningState:
    """The planner has answered; without an outline the run ends, unless a person ended it."""
    state = control.spent(state, outcome.cost_micros, outcome.unknown_prices)
    if outcome.outline is not None:
        return control.after_step(state, plan=outcome)
    if control.must_end(state):
        return control.after_step(state)
    message = f"the planner made no outline of {outlined(outcome.chapter)}: {outcome.why_none}"
    return control.after_step(control.failed(state, "plan", Cause(code=outcome.code, message=message)))


def saved(state: PlanningState, outcome: OutlineSaved) -> PlanningState:
    """An outline is in the book, or the author's own was left as it is; a denial ends the run."""
    state = control.after_step(state, plan=None, saved=(*state.saved, outcome))
    if not outcome.code:
        return state
    return control.failed(state, "save", Cause(code=outcome.code, message=outcome.warning))


def pushed(state: PlanningState, outcome: Pushed) -> PlanningState:
    return control.after_step(state, pushed=outcome)


def ended(state: PlanningState) -> PlanningState:
    return control.after_step(control.ended(state))


def failed(given: PlanningInput, state: PlanningState, step: Step, cause: Cause) -> PlanningState:
    """Note a failed step: what was saved stays; the next session settles a failed push."""
    match step:
        case PushBook():
            return pushed(state, Pushed(outcome="pending", code=cause.code, reason=cause.message))
        case EndPlanning():
            return ended(state)
        case _:
            lost = state.model_copy(update={"plan": None})
            return control.after_step(control.failed(lost, stage(state), cause))


def stage(state: PlanningState) -> Stage:
    """The stage, in one word."""
    if state.control.ended:
        return "ended"
    if state.control.paused:
        return "paused"
    if state.plan is not None:
        return "save"
    if control.must_end(state) or (state.wanted is not None and _next_one(state) is None):
        return "push"
    return "find" if state.wanted is None else "plan"


def result(given: PlanningInput, state: PlanningState) -> PlanningResult:
    """The result of the run."""
    return PlanningResult(
        **control.end_fields(state),
        book_id=given.book_id,
        session=given.session,
        planned=tuple(each.path for each in state.saved if each.path),
        commit=next((each.commit for each in reversed(state.saved) if each.commit), None),
        push=state.pushed.outcome if state.pushed else "",
        warnings=tuple(
            each.warning for each in state.saved if each.warning and not each.path and not each.code
        ),
        cost_micros=state.control.cost_micros,
        unknown_prices=state.control.unknown_prices,
    )


def progress(given: PlanningInput, state: PlanningState) -> Progress:
    """The status, for people."""
    ending = result(given, state)
    return control.progress(
        state,
        pipeline=PIPELINE,
        subject=given.book_id,
        stage=stage(state),
        detail=_detail(state),
        outcome=ending.outcome,
        code=ending.code,
    )


def _detail(state: PlanningState) -> str:
    if state.control.paused:
        return control.pause_detail(state)
    if state.wanted is None:
        return "Looking for missing outlines"
    made, number = len(state.saved), _next_one(state)
    done = f"{made} of {len(state.wanted.numbers)} outlines made"
    return done if number is None else f"Planning {outlined(number)}; {done}"
