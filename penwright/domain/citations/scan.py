"""The control flow of a citation scan: which step is next, and what can be decided meanwhile.

Steps, in the order ``next_step`` looks for them: hold, open, name targets, set targets, cite (a few at once),
keep, apply, await decisions, push, end. A target that fails is one state among others and loses nothing else.
"""

from penwright.domain import control
from penwright.domain.approvals import AwaitDecision
from penwright.domain.citations import proposals as rules
from penwright.domain.citations.scanning import approving, budget, searching
from penwright.domain.citations.scanning.picking import wanted
from penwright.domain.citations.scanning.status import result, run_name, workflow_id
from schemas.base import Effect
from schemas.citation_scan import (
    AnnounceChanges,
    ApplyChanges,
    AwaitDecisions,
    CitationScanInput,
    CitationScanState,
    CiteTargets,
    EndScan,
    HoldDocument,
    KeepScan,
    NameTargets,
    OpenScan,
    PushScan,
    ScanOpened,
    SetTargets,
)
from schemas.citations import CitationDecision, CitationSearch
from schemas.holding import DocumentHolder
from schemas.manuscript_text import SceneRequest

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
    if is_citing(given, state):
        return _citing(given, state, effect)
    return _deciding(given, state, effect)


def is_citing(given: CitationScanInput, state: CitationScanState) -> bool:
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
    return is_citing(given, state) or bool(rules.to_apply(state.standings))


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
