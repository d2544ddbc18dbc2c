"""The control flow of a citation scan: which step is next, and what its result changes.

Steps, in the order ``next_step`` looks for them: hold, open, name targets, set targets, cite (a few at once),
keep, apply, await decisions, push, end. A target that fails is one state among others and loses nothing else.
"""

from datetime import datetime, timedelta

from penwright.domain import control
from penwright.domain.approvals import AwaitDecision
from penwright.domain.citations import proposals as rules
from penwright.domain.citations.scanning import approving, budget, searching
from penwright.domain.citations.scanning.picking import picked, wanted
from penwright.domain.citations.scanning.status import result, run_name, workflow_id
from schemas.base import Cause, Effect
from schemas.citation_scan import (
    AnnounceChanges,
    ApplyChanges,
    AwaitDecisions,
    ChangeProposed,
    ChangesApplied,
    CitationScanInput,
    CitationScanState,
    CiteTargets,
    EndScan,
    HoldDocument,
    KeepScan,
    NameTargets,
    OpenScan,
    ProposalsKept,
    PushScan,
    Researched,
    ScanOpened,
    SetTargets,
    TargetsNamed,
)
from schemas.citations import CitationDecision, CitationSearch, TargetStanding
from schemas.holding import DocumentHeld, DocumentHolder
from schemas.manuscript_text import SceneRequest
from schemas.workspace import Pushed

Step = (
    HoldDocument
    | OpenScan
    | NameTargets
    | SetTargets
    | CiteTargets
    | KeepScan
    | ApplyChanges
    | AnnounceChanges
    | AwaitDecision
    | AwaitDecisions
    | PushScan
    | EndScan
)
_OVER = ("scan-over", "the scan has ended")
AT_ONCE = 4
"""Targets that are looked up at the same time."""


def next_step(given: CitationScanInput, state: CitationScanState, effect: Effect) -> Step | None:
    """The first step whose result is missing, or None when the scan has ended."""
    if state.control.ended:
        return None
    if (asking := approving.while_asked(state, _request(given, effect))) is not None:
        return asking
    if control.must_end(state) or _is_refused(state):
        return _last_steps(given, state, effect)
    if state.held is None and _needs_document(given, state):
        return HoldDocument(holder=holder(given))
    if state.opened is None:
        return OpenScan(**_request(given, effect), intent=given.intent, again=given.again)
    if state.proposals is None:
        return _targeting(given, state, state.opened, effect)
    if _is_citing(given, state):
        return _citing(given, state, effect)
    return _deciding(given, state, effect)


def _is_citing(given: CitationScanInput, state: CitationScanState) -> bool:
    if state.sought:
        return True
    pending = any(each.state == "found" for each in state.standings)
    return pending and not budget.is_spent(given, state)


def _citing(given: CitationScanInput, state: CitationScanState, effect: Effect) -> CiteTargets:
    assert state.opened is not None, "it has targets"
    assert state.text is not None, "what has targets was read"
    assert state.proposals is not None, "it has targets"
    sought = state.sought[:AT_ONCE]
    unseen = [each.number for each in state.standings if each.state == "found"][:AT_ONCE]
    pending = [each.number for each in sought] or unseen
    return CiteTargets(
        numbers=tuple(pending),
        searches=sought,
        text=state.text,
        bibliography=state.opened.bibliography,
        library=state.opened.library,
        proposals=state.proposals,
        effect=effect,
        micros_each=budget.part(budget.micros_left(given, state), len(pending)),
    )


def _deciding(given: CitationScanInput, state: CitationScanState, effect: Effect) -> Step:
    assert state.proposals is not None, "there is something to decide about"
    if state.applying is not None:
        return approving.again(state, state.applying)
    if numbers := rules.to_apply(state.standings):
        pin = state.opened.pin if state.opened else None
        fields = _request(given, effect)
        return ApplyChanges(
            **fields,
            proposals=state.proposals,
            numbers=numbers,
            pin=pin,
            overrides=given.override_tag,
        )
    if state.unkept:
        return _keep(given, state, effect)
    if given.waits and rules.is_waiting(state.standings):
        return AwaitDecisions()
    return _last_steps(given, state, effect)


def _last_steps(given: CitationScanInput, state: CitationScanState, effect: Effect) -> Step:
    """Choose the steps that every scan takes at its end."""
    if state.unkept and state.proposals is not None:
        return _keep(given, state, effect)
    if state.commits and state.pushed is None:
        return PushScan(request=SceneRequest(**_request(given, effect)))
    return EndScan(**_request(given, effect), result=result(given, state))


def _keep(given: CitationScanInput, state: CitationScanState, effect: Effect) -> KeepScan:
    assert state.proposals is not None, "there is something to keep"
    return KeepScan(
        **_request(given, effect),
        run=run_name(given),
        proposals=state.proposals,
        standings=state.standings,
        max_targets=None if given.again else given.max_targets,
        text=state.text,
    )


def _targeting(
    given: CitationScanInput, state: CitationScanState, opened: ScanOpened, effect: Effect
) -> Step:
    windows = opened.surveyed.windows if opened.surveyed else ()
    most = wanted(given.max_targets, len(state.chosen))
    asks = state.trouble is None and not budget.is_spent(given, state)
    if most and state.window < len(windows) and asks:
        assert opened.surveyed is not None, "it has windows"
        return NameTargets(
            window=windows[state.window],
            index=state.window,
            turn=state.turns,
            sentences=opened.surveyed.sentences,
            before=tuple(each.sentence for each in state.chosen),
            wanted=most,
            limit=given.max_targets,
            micros_left=budget.micros_left(given, state),
        )
    assert opened.text is not None, "what was opened was read"
    return SetTargets(**_request(given, effect), text=opened.text, chosen=state.chosen)


def _needs_document(given: CitationScanInput, state: CitationScanState) -> bool:
    """Not while people decide; a change of the text needs it again."""
    if state.opened is None or state.proposals is None:
        return True
    return _is_citing(given, state) or bool(rules.to_apply(state.standings))


def may_wait(given: CitationScanInput, state: CitationScanState) -> bool:
    """Whether it waits for a document that another workflow has: only in the middle of a scan."""
    return (given.state is not None or state.opened is not None) and not control.must_end(state)


def _is_refused(state: CitationScanState) -> bool:
    return bool((state.held and state.held.code) or (state.opened and state.opened.code))


def holder(given: CitationScanInput) -> DocumentHolder:
    """Describe the document's holder to others."""
    return DocumentHolder(
        novel=given.novel,
        scene=given.scene,
        workflow_id=workflow_id(given),
        session=given.session,
        what="citation scan",
    )


# Any: the fields of ``ScanRequest``.
def _request(given: CitationScanInput, effect: Effect) -> dict[str, object]:
    return {
        "effect": effect,
        "subject": given.novel,
        "workspace": given.workspace,
        "session": given.session,
        "scene": given.scene,
        "principal": given.principal,
    }


# Folds: what the result of a step changes. Each returns the new state.


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
    if _is_citing(given, state) or state.decided or control.must_end(state):
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


def undecidable(state: CitationScanState, decision: CitationDecision) -> tuple[str, str] | None:
    """Code and message why a decision cannot be taken now; None if it can."""
    if state.control.ended or state.ending or control.must_end(state):
        return _OVER
    if state.sought:
        return "looked-up-now", "works are being looked up for it; decide again in a moment"
    return rules.undecidable(state.standings, decision)


def unsearchable(state: CitationScanState, search: CitationSearch) -> tuple[str, str] | None:
    """Code and message why nothing can be looked up for a target now; None if it can."""
    if state.control.ended or state.ending or control.must_end(state):
        return _OVER
    return searching.unsearchable(state.standings, search)
