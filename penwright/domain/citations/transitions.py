"""Transitions of a citation scan by its steps' results; each returns the new state."""

from datetime import datetime, timedelta

from penwright.domain import control
from penwright.domain.citations import proposals as rules
from penwright.domain.citations.scan import Step, is_citing
from penwright.domain.citations.scanning import approving
from penwright.domain.citations.scanning.picking import picked
from schemas.base import Cause
from schemas.citation_scan import (
    AnnounceChanges,
    ApplyChanges,
    ChangeProposed,
    ChangesApplied,
    CitationScanInput,
    CitationScanState,
    EndScan,
    KeepScan,
    NameTargets,
    OpenScan,
    ProposalsKept,
    PushScan,
    Researched,
    ScanOpened,
    TargetsNamed,
)
from schemas.citations import CitationDecision, CitationSearch, TargetStanding
from schemas.holding import DocumentHeld
from schemas.workspace import Pushed


def held(state: CitationScanState, outcome: DocumentHeld) -> CitationScanState:
    return control.after_step(state, held=outcome)


def opened(
    given: CitationScanInput,
    state: CitationScanState,
    outcome: ScanOpened,
    left: ProposalsKept | None,
    now: datetime,
) -> CitationScanState:
    """The text is read; a run that takes up a scan has its proposals at once."""
    deadline = now + timedelta(minutes=given.minutes) if given.minutes else None
    started = control.started(state, now, deadline)
    changed = control.after_step(started, opened=outcome, text=outcome.text, revision=outcome.revision)
    if left is None:
        return changed
    asked = changed.model_copy(update={"sought": given.searches})
    return _all_cited(given, _with_targets(asked, left), now)


def named(state: CitationScanState, step: NameTargets, outcome: TargetsNamed) -> CitationScanState:
    """A reply with nothing new ends its window; one that cannot be used ends the search."""
    new = picked(outcome.chosen, step.window.span, step.before, step.wanted)
    paid = control.spent(state, outcome.cost_micros, outcome.unknown_prices)
    return control.after_step(
        paid,
        chosen=(*state.chosen, *new),
        window=state.window if new else state.window + 1,
        turns=state.turns + 1,
        trouble=None if outcome.capped else outcome.cause,
        capped=outcome.capped,
    )


def targets_set(
    given: CitationScanInput, state: CitationScanState, outcome: ProposalsKept, now: datetime
) -> CitationScanState:
    """The targets stand; if the orchestrator failed before it named any, so has the scan."""
    if state.trouble is not None and not state.chosen:
        state = control.failed(state, "targets", state.trouble)
    return _all_cited(given, control.after_step(_with_targets(state, outcome)), now)


def _with_targets(state: CitationScanState, kept: ProposalsKept) -> CitationScanState:
    changes = {"proposals": kept.proposals, "standings": kept.standings, "unkept": True}
    return state.model_copy(update=changes)


def paid(state: CitationScanState, found: Researched) -> CitationScanState:
    """Add the cost of looking up a target, whatever the result."""
    state = control.spent(state, found.cost_micros, found.unknown_prices)
    left = _sought_without(state, found.number) if found.cut else state.sought
    return state.model_copy(update={"capped": state.capped or found.capped, "sought": left})


def proposed(state: CitationScanState, outcome: ChangeProposed) -> CitationScanState:
    """One target of the batch has its proposal; the others are still looked up."""
    changes = {"standings": _replaced(state, outcome.standing), "proposals": outcome.proposals}
    left = _sought_without(state, outcome.standing.number)
    return state.model_copy(update={**changes, "sought": left, "unkept": True})


def lost(state: CitationScanState, number: int, cause: Cause) -> CitationScanState:
    """Looking up a target failed for good; the others go on."""
    standing = TargetStanding(number=number, state="failed", code=cause.code, message=cause.message)
    left = _sought_without(state, number)
    changes = {"standings": _replaced(state, standing), "sought": left, "unkept": True}
    return state.model_copy(update=changes)


def sought(state: CitationScanState, search: CitationSearch) -> CitationScanState:
    """A person has another work looked up; a later wish for the same target counts."""
    left = _sought_without(state, search.number)
    return state.model_copy(update={"sought": (*left, search)})


def _sought_without(state: CitationScanState, number: int) -> tuple[CitationSearch, ...]:
    return tuple(each for each in state.sought if each.number != number)


def _replaced(state: CitationScanState, new: TargetStanding) -> tuple[TargetStanding, ...]:
    return tuple(new if each.number == new.number else each for each in state.standings)


def cited(given: CitationScanInput, state: CitationScanState, now: datetime) -> CitationScanState:
    """The batch is done; after the last one, what was decided beforehand counts."""
    return _all_cited(given, control.after_step(state), now)


def _all_cited(given: CitationScanInput, state: CitationScanState, now: datetime) -> CitationScanState:
    if is_citing(given, state) or state.decided or control.must_end(state):
        return state
    state = control.limited(state, None).model_copy(update={"decided": True})
    for decision in given.decisions:
        state = decided(state, decision, now)
    if given.auto_accept:
        rule = CitationDecision(
            verb="accept", who=rules.RULE, every="verified", abstracts=given.accepts_abstracts
        )
        state = decided(state, rule, now)
    return state


def decided(state: CitationScanState, decision: CitationDecision, now: datetime) -> CitationScanState:
    """A person, or the rule, has decided; what is settled already stays."""
    standings, changed = rules.decided(state.standings, decision, now)
    return state.model_copy(update={"standings": standings, "unkept": state.unkept or bool(changed)})


def let_go(state: CitationScanState) -> CitationScanState:
    """While people decide, others may have the document."""
    return state.model_copy(update={"held": None})


def awaited(state: CitationScanState) -> CitationScanState:
    return control.after_step(state)


def applied(state: CitationScanState, step: ApplyChanges, outcome: ChangesApplied) -> CitationScanState:
    """Some changes are in the text; each other one says why not."""
    standings = rules.applied(state.standings, outcome.applied)
    missing = {
        number: outcome.causes.get(number, ("not-applied", "the text took no change; scan again"))
        for number in step.numbers
        if number not in outcome.applied
    }
    changes: dict[str, object] = {"standings": rules.not_applied(standings, missing), "unkept": True}
    if outcome.text is not None:
        changes |= {"text": outcome.text, "revision": outcome.revision}
    if outcome.commit is not None:
        changes |= {"commits": (*state.commits, outcome.commit), "pushed": None}
        changes |= {"before": state.before or state.revision}
    return control.after_step(approving.settled(state), **changes)


def kept(state: CitationScanState, step: KeepScan) -> CitationScanState:
    """Mark the proposals stored, unless more was decided meanwhile: that is stored next."""
    current = (state.proposals, state.standings) != (step.proposals, step.standings)
    return control.after_step(state, unkept=current)


def pushed(state: CitationScanState, outcome: Pushed) -> CitationScanState:
    return control.after_step(state, pushed=outcome)


def ending(state: CitationScanState) -> CitationScanState:
    """Its result is being written down: nothing can be decided any more."""
    return state.model_copy(update={"ending": True})


def ended(state: CitationScanState) -> CitationScanState:
    return control.after_step(control.ended(state))


def failed(given: CitationScanInput, state: CitationScanState, step: Step, cause: Cause) -> CitationScanState:
    """A step failed for good; what that means depends on the step."""
    match step:
        case OpenScan() if cause.final:
            return control.after_step(state, opened=ScanOpened(code=cause.code, message=cause.message))
        case NameTargets():
            return control.after_step(state, trouble=cause)
        case ApplyChanges():
            causes = dict.fromkeys(step.numbers, (cause.code, cause.message))
            return applied(state, step, ChangesApplied(causes=causes))
        case AnnounceChanges():
            return approving.announced(state, step)
        case PushScan():
            return pushed(state, Pushed(outcome="pending", code=cause.code, reason=cause.message))
        case KeepScan():
            after = control.failed(state, "keeping", cause)
            return control.after_step(after, unkept=False)
        case EndScan():
            return ended(state)
        case _:
            return control.after_step(control.failed(state, "scan", cause))
