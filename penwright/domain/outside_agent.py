"""Service of a pipeline to an outside agent: who may call, which denials it may correct, its status."""

from datetime import datetime, timedelta
from typing import TypeVar

from penwright.domain import control
from penwright.errors import Refused
from schemas.base import Cause, Progress
from schemas.intents import ApprovalNeed, IntentPin
from schemas.outside_session import OutsideInput, OutsideState, SessionView

_MENDED_BY_SELECTING = frozenset({"INTENT_CHANGED"})
"""Codes that a person might approve, and an agent cures by selecting its intent again."""

State = TypeVar("State", bound=OutsideState)


# No dataclass: the sandbox of the tests imports this module for every run, and that class took half the time.
class AwaitAgent:
    """The step in which an outside agent sends its next message, or lets the time run out."""


def selected(state: State, pin: IntentPin) -> State:
    """The agent works for another intent, or for the same as it is worded now."""
    return state.model_copy(update={"pin": pin, "has_selected": True})


def denied(state: State, cause: Cause) -> State:
    """A rule denied the prose, and the agent may correct it: the state is as before the delivery."""
    return control.after_step(state, prose=None, denials=state.denials + 1, denial=cause)


def refusal(
    given: OutsideInput,
    state: OutsideState,
    session: str,
    *,
    waits: bool,
    writes: bool,
    here: str = "",
    place: str = "",
) -> tuple[str, str] | None:
    """Code and message of why a call is not taken; None if it is.

    Args:
        session: the session the caller believes it has; empty: the running one.
        waits: the call is only for a session that waits for its agent.
        writes: the call may change something.
        here: where the session works; empty if the pipeline has no place.
        place: where the caller works; empty if it is unknown.
    """
    if given.writer != "outside" or state.control.ended:
        return "no-active-session", "no active session for an outside agent; call `open` first"
    if is_elsewhere(here, place):
        return "open-elsewhere", f"{where_open(here, place)}; close it there, or kill it. Nothing was changed"
    if session and session != given.session:
        return "other-session", f"another session than {session!r} has this book now; nothing was changed"
    if waits and state.prose is not None:
        return "no-active-session", "no active session waits for an agent; call `open` first"
    if writes and given.must_select and not state.has_selected:
        return (
            "intent-not-selected",
            "nothing may be changed before an intent is selected; call `select_active_intent` first",
        )
    return None


def is_elsewhere(here: str, place: str) -> bool:
    """Whether a call comes from another place than the session's."""
    return bool(here and place) and here != place


def where_open(here: str, place: str = "") -> str:
    """Say where a session works; ``place`` is where it does not."""
    folder, other = here.partition(":")[2] or here, place.partition(":")[2]
    names = (here, place) if folder == other else (folder, other)
    return f"the book is open in {names[0]!r}" + (f", not in {names[1]!r}" if other else "")


def may_mend(given: OutsideInput, cause: Cause) -> bool:
    """Whether a rule's denial goes back to the agent, instead of ending its session."""
    return given.must_select and cause.final


def may_mend_itself(given: OutsideInput, need: ApprovalNeed) -> bool:
    """Whether the agent can do itself what a person would have to approve otherwise."""
    return given.must_select and _MENDED_BY_SELECTING.issuperset(need.codes)


def cause_of(need: ApprovalNeed) -> Cause:
    """The denial of a plan, for the agent that made it."""
    code = need.codes[0] if need.codes else "APPROVAL_MISMATCH"
    return Cause(
        code=code.lower().replace("_", "-"),
        message="; ".join(need.reasons),
        details={
            "error_type": code,
            "action_hint": need.hint,
            "intent": need.intent_id,
            "paths": ", ".join(need.paths),
        },
        family=Refused.family,
    )


def view(
    given: OutsideInput, state: OutsideState, progress: Progress, session: str, now: datetime
) -> SessionView:
    """The status of a session; all of it only for the caller that holds it."""
    public = SessionView(progress=progress, who=given.who, yours=session == given.session)
    if not public.yours or state.control.started_at is None:
        return public
    left = control.time_left(state, now) or timedelta()
    return public.model_copy(
        update={
            "intent": state.pin.intent_id if state.pin else "",
            "has_selected": state.has_selected,
            "words_wanted": state.words_wanted,
            "minutes_left": int(left.total_seconds() // 60),
            "denial": state.denial,
        }
    )
