"""End reasons of the manuscript loop, from its state alone."""

from typing import Final

from penwright.domain import approvals
from penwright.domain.manuscript.policy import conclusion
from schemas.manuscript import ManuscriptInput, ManuscriptState, Stop

Ending = tuple[Stop, str, str]
"""Reason, code and message."""
_SHORT_OF: Final[dict[str, tuple[Stop, str]]] = {
    "model-calls-spent": ("calls_spent", "model calls"),
    "total-tokens-spent": ("tokens_spent", "tokens"),
}
"""By the cap of a role's run that was too low for it."""


def ending(given: ManuscriptInput, state: ManuscriptState) -> Ending | None:
    """End reason as of now; None while the run goes on."""
    return _interrupted(state) or _refused(state) or _concluded(given, state) or _spent(given, state)


def is_cut_short(state: ManuscriptState) -> bool:
    """Whether what was delivered is not applied any more."""
    return _interrupted(state) is not None


def _refused(state: ManuscriptState) -> Ending | None:
    if state.held is not None and state.held.code:
        return "refused", state.held.code, state.held.message
    if state.opened is not None and state.opened.verdict == "refused" and state.control.failure is None:
        return "refused", state.opened.code, state.opened.message
    return None


def _interrupted(state: ManuscriptState) -> Ending | None:
    control, asked = state.control, state.stop_asked
    if asked is not None and control.failure is None:
        why = f": {asked.reason}" if asked.reason else ""
        return "stopped", "stopped", f"stopped by {asked.who}{why}"
    if control.failure is not None:
        return "failed", control.failure.code, control.failure.message
    if control.stop is not None:
        return "killed", "killed", f"killed by {control.stop.who}: {control.stop.reason}"
    if control.timed_out:
        return "time_spent", "time-spent", control.pause_reason or "the run's minutes are spent"
    if approvals.is_denied(state):
        return "failed", "approval-denied", "the change was not approved"
    return None


def _concluded(given: ManuscriptInput, state: ManuscriptState) -> Ending | None:
    if state.seen is None or state.reply is not None or state.again is not None:
        return None
    if state.seen.code:
        return "refused", state.seen.code, state.seen.message
    return conclusion(given, state)


def _spent(given: ManuscriptInput, state: ManuscriptState) -> Ending | None:
    """A budget is looked at before something new begins."""
    if state.reply is not None:
        return None
    limits = given.settings.limits
    budgets: tuple[tuple[Stop, str, int, int | None], ...] = (
        ("decisions_spent", "actions", state.decisions, limits.decisions),
        ("calls_spent", "model calls", state.calls, limits.calls),
        ("tokens_spent", "tokens", state.tokens, limits.tokens),
        ("money_spent", "", state.control.cost_micros, limits.cost_micros),
    )
    if state.capped:
        short, what = _SHORT_OF.get(state.capped_by, ("money_spent", "money"))
        message = f"what was left of the run's {what} was too little for one more call"
        return short, short.replace("_", "-"), message
    for stop, what, used, most in budgets:
        if most is not None and used >= most:
            return stop, stop.replace("_", "-"), f"{_used(what, used, most)}; write again to go on from here"
    return None


def _used(what: str, used: int, most: int) -> str:
    """Of money, which has no unit of its own here, in dollars."""
    if what:
        return f"the run may use {most:,} {what} and has used {used:,}"
    return f"the run may cost ${most / 1_000_000:.4f} and has cost ${used / 1_000_000:.4f}"
