"""Progress and result of a citation scan, for people and programs."""

from typing import Final, Literal

from penwright.domain import approvals, control
from penwright.domain.citations import proposals as rules
from penwright.domain.citations.scanning import budget
from schemas.base import Progress
from schemas.citation_scan import (
    CitationScanInput,
    CitationScanResult,
    CitationScanState,
    ScanReview,
)

PIPELINE: Final = "citation-scan"
Outcome = Literal["done", "waiting", "stopped", "refused", "failed"]
Stage = Literal["opening", "targets", "citing", "approval", "applying", "deciding", "end", "ended"]


def workflow_id(given: CitationScanInput) -> str:
    """The id that is its lock."""
    return f"citations/{given.novel}/{given.scene}"


def run_name(given: CitationScanInput) -> str:
    """The name under which the run is listed."""
    return f"{workflow_id(given)}#{given.session}"


def stage(given: CitationScanInput, state: CitationScanState) -> Stage:
    """One word for what it does now."""
    if state.control.ended:
        return "ended"
    if state.ending:
        return "end"
    if state.opened is None:
        return "opening"
    if state.proposals is None:
        return "targets"
    pending = any(each.state == "found" for each in state.standings)
    if state.sought or (pending and not budget.is_spent(given, state)):
        return "citing"
    if approvals.is_waiting(state):
        return "approval"
    return "applying" if rules.to_apply(state.standings) else "deciding"


def progress(given: CitationScanInput, state: CitationScanState) -> Progress:
    """The status, for people."""
    ended = result(given, state)
    return control.progress(
        state,
        pipeline=PIPELINE,
        subject=given.subject,
        stage=stage(given, state),
        detail=_detail(given, state),
        outcome=ended.outcome,
        code=ended.code,
    )


def _detail(given: CitationScanInput, state: CitationScanState) -> str:
    if state.control.ended:
        return result(given, state).message
    if state.control.paused:
        return control.pause_detail(state)
    if state.asked is not None and approvals.is_waiting(state):
        return approvals.waiting_detail(given.novel, state.asked, denied="keeps the text as it is")
    if state.proposals is None:
        # What the text cites already is looked up as well, so that more may be found than are named.
        return f"sentences named so far: {len(state.chosen)}"
    return rules.counts_told(rules.counts(state.standings))


def result(given: CitationScanInput, state: CitationScanState) -> CitationScanResult:
    """Result of the scan, as if it ended now."""
    outcome, code, message = _ending(given, state)
    surveyed = state.opened.surveyed if state.opened else None
    stop = state.control.stop
    return CitationScanResult(
        outcome=outcome,
        novel=given.novel,
        scene=given.scene,
        session=given.session,
        counts=rules.counts(state.standings),
        code=code,
        message=message,
        stopped_by=stop.who if stop else "",
        revision=state.revision,
        before=state.before,
        commits=state.commits,
        push=state.pushed.outcome if state.pushed else "",
        findings=surveyed.findings if surveyed else (),
        cost_micros=state.control.cost_micros,
        unknown_prices=state.control.unknown_prices,
        warnings=_warnings(state),
    )


def _ending(given: CitationScanInput, state: CitationScanState) -> tuple[Outcome, str, str]:
    steering = state.control
    if steering.failure is not None:
        return "failed", steering.failure.code, steering.failure.message
    if steering.stop is not None:
        return "stopped", "killed", f"{steering.stop.who} ended it: {steering.stop.reason}"
    if steering.timed_out:
        return "stopped", "time-over", "its time is over; what was proposed by then can be decided"
    if state.held is not None and state.held.code:
        return "refused", state.held.code, state.held.message
    if state.opened is not None and state.opened.code:
        return "refused", state.opened.code, state.opened.message
    if budget.is_spent(given, state) and _is_unfinished(given, state):
        return "stopped", budget.MONEY_SPENT, budget.message(given, rules.counts(state.standings).pending)
    return _finished(state)


def _is_unfinished(given: CitationScanInput, state: CitationScanState) -> bool:
    """Whether a model would have been asked for more."""
    surveyed = state.opened.surveyed if state.opened else None
    unseen = surveyed is not None and state.window < len(surveyed.windows)
    wanted = unseen and len(state.chosen) < given.max_targets and state.trouble is None
    return wanted or bool(rules.counts(state.standings).pending)


def _finished(state: CitationScanState) -> tuple[Outcome, str, str]:
    counted = rules.counts(state.standings)
    if silent := _unanswered(state):
        return (
            "failed",
            "registries-unreachable",
            f"{silent}; no sentence could be looked up. Scan again later",
        )
    waiting = counted.proposed + counted.verified
    if waiting:
        return "waiting", "", f"proposals that wait for a decision: {waiting} of {counted.found}"
    if not counted.found:
        return "done", "", "no sentence needs a citation"
    return "done", "", f"the scan is done: {rules.counts_told(counted)}"


_NAMED = (rules.ENTRY_DIFFERS, rules.MISMATCH)
"""Codes of targets that a scan names at its end."""


def _unanswered(state: CitationScanState) -> str:
    """Reason why nothing was looked up, if no registry answered for any sentence that a scan asked for."""
    asked = [each for each in state.standings if each.state != "skipped"]
    is_silent = bool(asked) and all(each.code == rules.NO_REGISTRY for each in asked)
    return asked[0].message if is_silent else ""


def _warnings(state: CitationScanState) -> tuple[str, ...]:
    said = [f"sentence {each.number}: {each.message}" for each in state.standings if each.code in _NAMED]
    if state.trouble is not None and state.chosen:
        said.append(f"no more sentences were named: {state.trouble.message}")
    if state.pushed is not None and state.pushed.outcome == "pending":
        said.append(f"not on the remote: {state.pushed.reason}")
    return tuple(said)


def review(state: CitationScanState) -> ScanReview:
    """Data that people decide from."""
    return ScanReview(
        counts=rules.counts(state.standings), standings=state.standings, proposals=state.proposals
    )
