"""The control flow of a reading: gather what is unread, read it by passages, commit, and look again.

It holds no lock, for it writes nothing but files of its own. What fails leaves passages unread, for the next
run.
"""

from datetime import datetime
from typing import Final, Literal

from penwright.domain import control
from penwright.domain.book.requests import request_fields
from schemas.base import Cause, Effect, Progress
from schemas.book_session import PushBook
from schemas.continuity import (
    BriefClerk,
    ContinuityInput,
    ContinuityResult,
    ContinuityState,
    EndReading,
    Gathered,
    GatherPassages,
    PassageRead,
    PublishReadings,
    ReadingsPublished,
    ReadPassage,
)
from schemas.control import Control
from schemas.workspace import Pushed

PIPELINE: Final = "continuity"
AT_ONCE: Final = 8
"""Passages to a commit."""
_WEAK = 10
"""Percent of lost statements from which a clerk's reading is called weak."""
MOST_UNASKED = 20_000
"""Unread words up to which a change of the text has them read without being asked for."""
_MOST_FAILURES = 3
"""Passages in a row of a run that may come to nothing; then the run ends, for the clerk is no use."""
Step = GatherPassages | ReadPassage | PublishReadings | PushBook | EndReading
Stage = Literal["gather", "read", "publish", "push", "paused", "ended"]


def workflow_id(book_id: str) -> str:
    """The id of the workflow that reads a book: its lock."""
    return f"continuity/{book_id}"


def run_name(book_id: str, session: str) -> str:
    """The name under which a run is listed."""
    return f"{workflow_id(book_id)}#{session}"


def next_step(given: ContinuityInput, state: ContinuityState, effect: Effect) -> Step | None:
    """Return the first step whose outcome is missing; what was read is committed even after a kill."""
    if state.control.ended:
        return None
    gathered, over = state.gathered, control.must_end(state) or _is_useless(state)
    if gathered is None:
        return _gather(given, state, effect) if not over else _closing(given, state, effect)
    if len(state.read) < len(gathered.portions) and not over:
        return _read(given, state, gathered, effect)
    if state.read:
        return PublishReadings(
            **request_fields(given, effect),
            portions=gathered.portions[: len(state.read)],
            read=state.read,
            batch=state.batches + 1,
        )
    return _closing(given, state, effect)


def _gather(given: ContinuityInput, state: ContinuityState, effect: Effect) -> GatherPassages:
    return GatherPassages(
        **request_fields(given, effect),
        by_hand=given.by_hand,
        again=given.again,
        most_words=given.most_words,
        since=state.control.started_at,
    )


def _read(given: ContinuityInput, state: ContinuityState, gathered: Gathered, effect: Effect) -> ReadPassage:
    brief = BriefClerk(
        **request_fields(given, effect),
        portion=gathered.portions[len(state.read)],
        language=gathered.language,
        context_tokens=gathered.context_tokens,
        read=tuple(each.reading for each in state.read if each.reading is not None),
    )
    return ReadPassage(brief=brief, number=state.numbered + 1)


def _closing(given: ContinuityInput, state: ContinuityState, effect: Effect) -> Step:
    if state.commit is not None and state.pushed is None:
        return PushBook(**request_fields(given, effect))
    return EndReading(effect=effect, result=result(given, state))


def _is_useless(state: ContinuityState) -> bool:
    return len(state.read) >= _MOST_FAILURES and not any(
        each.reading for each in state.read[-_MOST_FAILURES:]
    )


def wanted(state: ContinuityState) -> ContinuityState:
    """The text has changed, so a look that began before does not count as the last."""
    return state.model_copy(update={"wanted": True})


def begun(state: ContinuityState) -> ContinuityState:
    """The next look sees all that was wanted before it."""
    return state.model_copy(update={"wanted": False})


def gathered(state: ContinuityState, outcome: Gathered, now: datetime) -> ContinuityState:
    if state.control.started_at is None:
        state = control.started(state, now, deadline=None)
    return control.after_step(state, gathered=outcome)


def read(state: ContinuityState, outcome: PassageRead) -> ContinuityState:
    """One more passage was read, or could not be."""
    return control.after_step(
        control.spent(state, outcome.cost_micros, outcome.unknown_prices),
        read=(*state.read, outcome),
        numbered=state.numbered + 1,
        words=state.words + (outcome.words if outcome.reading else 0),
        stated=state.stated + outcome.stated,
        lost=state.lost + outcome.lost,
        failures=state.failures + bool(outcome.failure),
        why=outcome.failure or state.why,
    )


def published(state: ContinuityState, outcome: ReadingsPublished) -> ContinuityState:
    """The next look finds what is left."""
    useless = _is_useless(state)
    return control.after_step(
        state,
        gathered=state.gathered.model_copy(update={"portions": ()}) if useless and state.gathered else None,
        read=(),
        batches=state.batches + 1,
        commit=outcome.commit or state.commit,
    )


def pushed(state: ContinuityState, outcome: Pushed) -> ContinuityState:
    return control.after_step(state, pushed=outcome)


def ended(state: ContinuityState) -> ContinuityState:
    return control.after_step(control.ended(state))


def failed(given: ContinuityInput, state: ContinuityState, step: Step, cause: Cause) -> ContinuityState:
    """Note a failed step: what was read is still committed; the next session settles a failed push."""
    match step:
        case PushBook():
            return pushed(state, Pushed(outcome="pending", code=cause.code, reason=cause.message))
        case EndReading():
            return ended(state)
        case PublishReadings():
            state = state.model_copy(update={"read": ()})
        case _:
            pass
    return control.after_step(control.failed(state, stage(state), cause))


def again(given: ContinuityInput, state: ContinuityState) -> ContinuityInput | None:
    """The input of a further run, if the text changed while this one ended; None if it may end."""
    if not state.wanted or control.must_end(state):
        return None
    # The counter goes on, so that no op id is used twice.
    fresh = ContinuityState(control=Control(effects=state.control.effects))
    return given.model_copy(update={"state": fresh, "by_hand": False, "again": False})


def stage(state: ContinuityState) -> Stage:
    """The stage, in one word."""
    if state.control.ended:
        return "ended"
    if state.control.paused:
        return "paused"
    if state.gathered is None:
        return "gather" if not control.must_end(state) else "push"
    return "read" if len(state.read) < len(state.gathered.portions) else "publish"


def result(given: ContinuityInput, state: ContinuityState) -> ContinuityResult:
    """The result of the run."""
    left = state.gathered.words_left if state.gathered else 0
    return ContinuityResult(
        **control.end_fields(state),
        book_id=given.book_id,
        session=given.session,
        words=state.words,
        passages=state.numbered,
        stated=state.stated,
        lost=state.lost,
        words_left=left,
        commit=state.commit,
        push=state.pushed.outcome if state.pushed else "",
        warnings=tuple(_warnings(given, state)),
        cost_micros=state.control.cost_micros,
        unknown_prices=state.control.unknown_prices,
    )


def _warnings(given: ContinuityInput, state: ContinuityState) -> list[str]:
    told = []
    if state.failures:
        passages = "1 passage" if state.failures == 1 else f"{state.failures} passages"
        again = f"`penwright book read {given.book_id} --again` tries again, after another model is set"
        told.append(f"of {passages} the clerk gave no reading that can be used ({state.why}); {again}")
    all_stated = state.stated + state.lost
    if all_stated and state.lost * 100 > all_stated * _WEAK:
        lost = f"{state.lost} of {all_stated} statements had no quote that stands in the text"
        told.append(f"{lost} and were left out: give the role `clerk` a better model")
    return told


def progress(given: ContinuityInput, state: ContinuityState) -> Progress:
    """The status, for people."""
    ending = result(given, state)
    return control.progress(
        state,
        pipeline=PIPELINE,
        subject=given.book_id,
        stage=stage(state),
        detail=_detail(state),
        words=state.words,
        outcome=ending.outcome,
        code=ending.code,
    )


def _detail(state: ContinuityState) -> str:
    if state.control.paused:
        return control.pause_detail(state)
    if state.gathered is None:
        return "Looking for unread passages"
    here = sum(each.words for each in state.read)
    return f"Read: {state.words:,} words; to read: {max(state.gathered.words_left - here, 0):,}"
