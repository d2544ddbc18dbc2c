"""Asking a person about accepted changes that the gate denied: the same changes again, or failed targets."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from penwright.domain import approvals, control
from penwright.domain.approvals import AwaitDecision
from penwright.domain.citations import proposals as rules
from schemas.base import BlobRef
from schemas.citation_scan import AnnounceChanges, ApplyChanges, CitationScanState
from schemas.intents import ApprovalNeed


# Any: the fields of ``ScanRequest``.
def while_asked(
    state: CitationScanState, request: Mapping[str, Any]
) -> AnnounceChanges | AwaitDecision | None:
    """Notify people of a request, await the decision, notify them of it; None if there is no request."""
    if state.asked is None:
        return None
    if state.announced != ("asked" if state.decision is None else "decided"):
        return AnnounceChanges(**request, request=state.asked, decision=state.decision)
    return AwaitDecision() if state.decision is None else None


def asked(
    state: CitationScanState, step: ApplyChanges, need: ApprovalNeed, operations: BlobRef, now: datetime
) -> CitationScanState:
    """Keep what was denied, and ask about it; what is accepted meanwhile is applied afterwards."""
    # The op id is part of the approved plan, so the whole step is tried again as it is.
    state = state.model_copy(update={"applying": step})
    return approvals.asked(state, step.effect, need, now, end=None, prose=operations)


def again(state: CitationScanState, step: ApplyChanges) -> ApplyChanges:
    """The same changes, under the approval."""
    return step.model_copy(update={"approval": approvals.granted(state)})


def announced(state: CitationScanState, step: AnnounceChanges) -> CitationScanState:
    """People have been notified, or cannot be."""
    state = approvals.announced(state, step.decision)
    return state if step.decision is None else decided(state)


def decided(state: CitationScanState) -> CitationScanState:
    """Note a person's denial in the targets.

    What was not decided, or a kill cut short, stays accepted: a later run asks again.
    """
    step, failure = state.applying, state.control.failure
    by_person = state.decision is not None and state.decision.decided == "denied"
    if step is None or failure is None or not by_person:
        return state
    causes = dict.fromkeys(step.numbers, (failure.code, failure.message))
    return state.model_copy(update={"standings": rules.not_applied(state.standings, causes), "unkept": True})


def settled(state: CitationScanState) -> CitationScanState:
    """The changes are made or cannot be: the approval holds for no others."""
    if state.asked is None:
        return state
    past = (*state.past_approvals, state.asked.id)
    changes = {"asked": None, "decision": None, "announced": "", "past_approvals": past, "applying": None}
    return control.limited(state, None).model_copy(update=changes)
