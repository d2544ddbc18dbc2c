"""Results of the operations of a writer or reviser: applied, sent back once, or left."""

from datetime import datetime, timedelta
from typing import Final

from penwright.domain import approvals, control
from penwright.domain.manuscript.entries import FAULTS_FOUND, Outcome, noted_of
from penwright.domain.manuscript.policy import NOT_MADE
from penwright.domain.prose.rule_texts import described
from penwright.domain.text.counted import counted
from schemas.manuscript import Again, ApplyDraft, DraftApplied, ManuscriptInput, ManuscriptState, Reply

UNKNOWN_NUMBERS: Final = "unknown-numbers"
"""Code of a change that cited passages that are not there."""
_MOST_FAULTS: Final = 3


def time_over(given: ManuscriptInput, state: ManuscriptState) -> datetime | None:
    """When the run's time is over; None: it has no limit."""
    started, minutes = state.control.started_at, given.settings.limits.minutes
    if started is None or minutes is None:
        return None
    return started + timedelta(minutes=minutes) + control.queued(state)


def draft_applied(
    given: ManuscriptInput, state: ManuscriptState, step: ApplyDraft, applied: DraftApplied, now: datetime
) -> ManuscriptState:
    """The operations are in the text; or none is, and the entry says why; or a person is asked."""
    reply = state.reply
    assert reply is not None, "operations were applied"
    if applied.need is not None:
        end = time_over(given, state)
        return approvals.asked(state, step.effect, applied.need, now, end=end, prose=step.operations)
    state = _with_text(given, _approval_settled(given, state), reply, applied)
    state = noted_of(
        given,
        state,
        now,
        reply.request,
        _outcome(applied),
        _summary(reply, applied),
        code=_code(applied),
        reply=None if _is_whole(applied) else reply.edited.operations,
        results=None if _is_whole(applied) else applied.results,
        findings=applied.findings,
    )
    return control.after_step(state, reply=None, again=_again(reply, applied), seen=None, chosen=None)


def _approval_settled(given: ManuscriptInput, state: ManuscriptState) -> ManuscriptState:
    """A change that was approved is made: the approval holds for no other, and the run's clock goes on."""
    if state.asked is None:
        return state
    past = (*state.past_approvals, state.asked.id)
    timed = control.limited(state, time_over(given, state))
    return timed.model_copy(update={"asked": None, "decision": None, "announced": "", "past_approvals": past})


def _with_text(
    given: ManuscriptInput, state: ManuscriptState, reply: Reply, applied: DraftApplied
) -> ManuscriptState:
    section = reply.request.section
    changes: dict[str, object] = {"trouble": "" if applied.applied else _summary(reply, applied)}
    if applied.outcome == "section-deleted":
        changes["dropped"] = (*state.dropped, section)
    elif section and applied.applied and section not in state.drafted:
        changes["drafted"] = (*state.drafted, section)
        changes["unkept"] = state.unkept.model_copy(update={"drafted": changes["drafted"]})
    if applied.outcome == "applied":
        # What the loop itself wrote is no reason to plan again, and the critique was of another text.
        changes |= {"plan_revision": applied.revision, "critique": None, "commit": applied.commit}
    if applied.revision:
        changes |= {"revision": applied.revision, "words": applied.words}
    return state.model_copy(update=changes)


def _again(reply: Reply, applied: DraftApplied) -> Again | None:
    """Send failed operations back once, with their results."""
    if not applied.failed or applied.results is None or reply.request.again is not None:
        return None
    return Again(request=reply.request, operations=reply.edited.operations, results=applied.results)


def _is_whole(applied: DraftApplied) -> bool:
    """Whether every operation stands in the text, so that the reply need not be kept."""
    return bool(applied.applied) and not applied.failed and not applied.over_limit


def _outcome(applied: DraftApplied) -> Outcome:
    match applied.outcome:
        case "section-deleted":
            return "skipped"
        case "conflict" | "refused":
            return "refused"
        case _:
            return "done" if applied.applied else "unchanged"


def _code(applied: DraftApplied) -> str:
    if applied.outcome in ("conflict", "section-deleted", "refused"):
        return applied.code or applied.outcome
    if not applied.applied:
        return "nothing-applied"
    if applied.failed:
        return "partly-applied"
    if applied.unknown_numbers:
        return UNKNOWN_NUMBERS
    if applied.over_limit:
        return "over-limit"
    if applied.outcome != "applied":
        return "already-there"
    return FAULTS_FOUND if applied.findings else ""


def _summary(reply: Reply, applied: DraftApplied) -> str:
    about = f"{reply.request.section!r}: " if reply.request.section else ""
    match applied.outcome:
        case "section-deleted":
            return f"{about}the section was removed meanwhile; nothing was written, and the reply is kept."
        case "conflict":
            said = "the same passages were changed meanwhile; nothing was written, the reply is kept."
            return " ".join([f"{about}{said}", *_reasons(applied)])
        case "refused":
            return f"{about}{applied.message}"
        case _:
            done = f"{applied.applied} of {applied.applied + applied.failed} operations applied"
            late = f", {applied.over_limit} beyond max_hunks left out" if applied.over_limit else ""
            words = counted(applied.words, "word")
            told = (*_reasons(applied), *_unknown(applied), *_faults(applied))
            return " ".join([f"{about}{done}{late}; {words}.", *told])


def _faults(applied: DraftApplied) -> tuple[str, ...]:
    """The first findings in a change, in one sentence; or that it was not read."""
    if applied.unread:
        return (applied.unread,)
    told = [described(each) for each in applied.findings[:_MOST_FAULTS]]
    more = len(applied.findings) - len(told)
    told += [f"{more} more"] if more else []
    return (f"Found in it: {'; '.join(told)}.",) if told else ()


def _unknown(applied: DraftApplied) -> tuple[str, ...]:
    numbers = ", ".join(f"[{each}]" for each in applied.unknown_numbers)
    return (f"Left out, as no passage has the number: {numbers}.",) if numbers else ()


def _reasons(applied: DraftApplied) -> tuple[str, ...]:
    return (f"{NOT_MADE}{'; '.join(applied.reasons)}.",) if applied.reasons else ()
