"""What a running session answers an outside agent: who may call, what may be mended, how it stands."""

from datetime import datetime, timedelta

from penwright.domain.book import session as rules
from penwright.errors import Refused
from schemas.base import Cause
from schemas.book_session import AdvanceChapter, BookSessionInput, BookSessionState, CloseSession, Standing
from schemas.intents import ApprovalNeed

_MENDED_BY_SELECTING = frozenset({"INTENT_CHANGED"})
"""What a person might allow, and an agent cures by selecting its intent again."""


def refusal(
    given: BookSessionInput, state: BookSessionState, session: str, *, waits: bool, writes: bool
) -> tuple[str, str] | None:
    """Code and message of why a call is not taken; None if it is.

    Args:
        session: the session the caller believes it has; empty: whichever runs.
        waits: the call is only for a session that waits for its agent.
        writes: the call may change something.
    """
    if given.writer != "outside" or state.ended:
        return "no-active-session", "no active session for an outside agent; call `open` first"
    if session and session != given.session:
        return "other-session", f"another session than {session!r} has this book now; nothing was changed"
    if waits and state.written is not None:
        return "no-active-session", "no active session waits for an agent; call `open` first"
    if writes and given.must_select and not state.has_selected:
        return (
            "intent-not-selected",
            "nothing may be changed before an intent is selected; call `select_active_intent` first",
        )
    return None


def unanswered(given: BookSessionInput, state: BookSessionState) -> Cause:
    """What a caller is told when the session ended before its call was done."""
    ending = rules.result(given, state)
    said = ending.message or "the session ended before this was done; nothing was changed by it"
    if not ending.code or ending.outcome == "refused":
        return Cause(code=ending.code or "no-active-session", message=said, family=Refused.family)
    return Cause(code=ending.code, message=said, family=state.failure.family if state.failure else "")


def may_mend(given: BookSessionInput, state: BookSessionState, step: rules.Step, cause: Cause) -> bool:
    """Whether a rule's no goes back to the agent, instead of ending its session."""
    return (
        given.must_select
        and state.asked is None
        and cause.final
        and isinstance(step, CloseSession | AdvanceChapter)
    )


def may_mend_itself(given: BookSessionInput, state: BookSessionState, need: ApprovalNeed) -> bool:
    """Whether the agent can do what else a person would have to allow."""
    return given.must_select and state.asked is None and _MENDED_BY_SELECTING.issuperset(need.codes)


def cause_of(need: ApprovalNeed) -> Cause:
    """The denial of a plan, for whoever made it."""
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


def standing(given: BookSessionInput, state: BookSessionState, session: str, now: datetime) -> Standing:
    """How the session stands; the whole of it only for whoever holds it."""
    told = Standing(progress=rules.progress(given, state), who=given.who, yours=session == given.session)
    if not told.yours or state.opened is None:
        return told
    left = rules.time_left(state, now) or timedelta()
    return told.model_copy(
        update={
            "intent": state.opened.pin.intent_id if state.opened.pin else "",
            "has_selected": state.has_selected,
            "words_wanted": state.opened.words_wanted,
            "minutes_left": int(left.total_seconds() // 60),
            "denial": state.denial,
        }
    )
