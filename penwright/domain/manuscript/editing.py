"""The control flow of editing: orders one after the other, then, when no save comes any more, a push.

An order that was taken is carried out even after a kill: what a person typed is never dropped. Outside agents
change the scene through it too, each under the intent that it selected.
"""

from datetime import datetime, timedelta
from typing import Any, Final, Literal, assert_never

from penwright.domain import control
from penwright.domain.manuscript.layout import why_bad
from schemas.base import Cause, Effect, Progress
from schemas.editing import (
    AgentSession,
    EditingInput,
    EditingResult,
    EditingState,
    EditOrder,
    OperationsOrder,
    RestoreOrder,
    SaveOrder,
    SelectOrder,
)
from schemas.intents import Selected
from schemas.manuscript_text import (
    ApplyOperations,
    OperationsApplied,
    PushNovel,
    RestoreText,
    SaveText,
    SelectSceneIntent,
    TextRestored,
    TextSaved,
)
from schemas.workspace import Pushed

PIPELINE: Final = "editing"
Stage = Literal["edit", "push", "paused", "ended"]
_MOST_WAITING: Final = 100
_MOST_SESSIONS: Final = 50
"""Sessions of outside agents that are kept; the one that selected longest ago goes first."""


class AwaitOrder:
    """The step in which the next order comes, or the time runs out."""


class EndEditing:
    """The last step."""


Request = SaveText | RestoreText | ApplyOperations | SelectSceneIntent
Step = Request | AwaitOrder | PushNovel | EndEditing
Answer = TextSaved | TextRestored | OperationsApplied | Selected


def next_step(given: EditingInput, state: EditingState, effect: Effect) -> Step | None:
    """Take what waits, oldest first; then the next order; at the end push."""
    if state.control.ended:
        return None
    if state.waiting:
        return _request(given, state.waiting[0], effect)
    if not control.must_end(state):
        return AwaitOrder()
    return PushNovel(**_fields(given, effect)) if state.unpushed else EndEditing()


def _request(given: EditingInput, order: EditOrder, effect: Effect) -> Request:
    fields = {**_fields(given, effect), "scene": given.scene}
    match order:
        case SaveOrder():
            return SaveText(**fields, base=order.base, text=order.text, who=order.who)
        case RestoreOrder():
            return RestoreText(**fields, kind=order.kind, to=order.to, expected=order.expected, who=order.who)
        case OperationsOrder():
            return _operations(fields, order)
        case SelectOrder():
            return SelectSceneIntent(
                subject=given.novel_id, workspace=given.workspace, scene=given.scene, intent=order.intent
            )
        case _:
            assert_never(order)


# Any: the fields have many types.
def _operations(fields: dict[str, Any], order: OperationsOrder) -> ApplyOperations:
    return ApplyOperations(
        **fields,
        snapshot=order.snapshot,
        operations=order.operations,
        pin=order.pin,
        who=order.who,
        message=order.message,
    )


# Any: the fields have many types.
def _fields(given: EditingInput, effect: Effect) -> dict[str, Any]:
    return {
        "effect": effect,
        "subject": given.novel_id,
        "workspace": given.workspace,
        "session": given.session,
    }


def refusal(given: EditingInput, state: EditingState) -> tuple[str, str] | None:
    """Code and message of why an order is not taken; None if it is."""
    if control.must_end(state) or state.control.ended:
        return "editing-ended", f"the editing of {given.scene!r} is ending; send it again in a moment"
    if why_bad(given.scene) is not None:
        return "bad-scene-name", f"{given.scene!r} cannot name a scene: {why_bad(given.scene)}"
    if len(state.waiting) >= _MOST_WAITING:
        return "editing-busy", f"{_MOST_WAITING} orders wait already; send it again in a moment"
    return None


def denial(state: EditingState, order: SelectOrder | OperationsOrder) -> tuple[str, str] | None:
    """Code and message of why an outside agent may not do this; None if it may."""
    if not order.session:
        return "intent-not-selected", "nothing may be changed before an intent is selected"
    if (known := _session(state, order.session)) is None:
        if isinstance(order, SelectOrder):
            return None
        said = f"no intent is selected in a session {order.session!r} of this scene, or no longer"
        return "intent-not-selected", f"{said}; nothing was changed"
    if known.opener != order.opener:
        return "other-session", f"{order.session!r} is the session of another agent; nothing was changed"
    return None


def _session(state: EditingState, name: str) -> AgentSession | None:
    return next((each for each in state.sessions if each.session == name), None)


def queued(state: EditingState, order: EditOrder) -> EditingState:
    """An order was taken; an outside agent's is bound to the intent of its session."""
    if isinstance(order, OperationsOrder):
        known = _session(state, order.session)
        order = order.model_copy(update={"pin": known.pin if known else None})
    return state.model_copy(update={"waiting": (*state.waiting, order)})


def waiting(given: EditingInput, state: EditingState, now: datetime) -> EditingState:
    """The time for the next order begins."""
    return control.limited(state, now + timedelta(seconds=given.idle_s))


def answered(state: EditingState, answer: Answer) -> EditingState:
    """The oldest order was carried out."""
    if isinstance(answer, Selected):
        return _served(state, sessions=_with_session(state, answer))
    if isinstance(answer, OperationsApplied) and answer.text is None:
        return _served(state)
    return _served(state, unpushed=state.unpushed or answer.commit is not None, words=answer.words)


def _with_session(state: EditingState, answer: Selected) -> tuple[AgentSession, ...]:
    order = state.waiting[0]
    assert isinstance(order, SelectOrder), "only a selection is answered with one"
    others = [each for each in state.sessions if each.session != order.session]
    mine = AgentSession(session=order.session, opener=order.opener, pin=answer.pin)
    return (*others, mine)[-_MOST_SESSIONS:]


def pushed(state: EditingState, outcome: Pushed) -> EditingState:
    return control.after_step(state, pushed=outcome, unpushed=False)


def ended(state: EditingState) -> EditingState:
    return control.ended(control.after_step(state))


def failed(given: EditingInput, state: EditingState, step: Step, cause: Cause) -> EditingState:
    """A failed order is answered with its cause, and the editing goes on; a failed push stays pending."""
    if isinstance(step, PushNovel):
        return pushed(state, Pushed(outcome="pending", code=cause.code, reason=cause.message))
    return _served(state)


# Any: values of any field of the state.
def _served(state: EditingState, **changes: Any) -> EditingState:
    return control.after_step(state, waiting=state.waiting[1:], served=state.served + 1, **changes)


def stage(state: EditingState) -> Stage:
    """Stage of the editing, in one word."""
    if state.control.ended:
        return "ended"
    if state.control.paused:
        return "paused"
    return "push" if control.must_end(state) and not state.waiting else "edit"


def progress(given: EditingInput, state: EditingState) -> Progress:
    """The status of the editing, for people."""
    done = f"{state.served} done" if state.served else "nothing done yet"
    return control.progress(
        state,
        pipeline=PIPELINE,
        subject=given.novel_id,
        stage=stage(state),
        detail=f"Editing {given.scene!r} of {given.novel_id}: {done}",
        words=state.words,
        outcome=_outcome(state),
        code="killed" if state.control.stop is not None else "",
    )


def result(given: EditingInput, state: EditingState) -> EditingResult:
    """Result of the editing."""
    push = state.pushed.outcome if state.pushed else ""
    stop = state.control.stop
    if stop is not None:
        said = f"{stop.who} ended it: {stop.reason}"
        return EditingResult(outcome="stopped", served=state.served, push=push, code="killed", message=said)
    return EditingResult(outcome="idle", served=state.served, push=push)


def _outcome(state: EditingState) -> str:
    return "stopped" if state.control.stop is not None else "idle"
