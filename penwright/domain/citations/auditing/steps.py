"""The order of an audit's steps, and what each result makes of its state."""

from datetime import datetime, timedelta
from typing import Final, Literal

from penwright.domain import control
from penwright.domain.text.counted import counted
from schemas.base import Cause, Effect, Progress
from schemas.citation_audit import (
    AuditEnded,
    AuditEntries,
    AwaitRegistries,
    CitationAuditInput,
    CitationAuditResult,
    CitationAuditState,
    CitedTextsRead,
    EndAudit,
    EntriesAudited,
    EntriesListed,
    ListEntries,
    ReadCitedTexts,
)

PIPELINE: Final = "citation-audit"
Step = ReadCitedTexts | ListEntries | AuditEntries | AwaitRegistries | EndAudit
Stage = Literal["read", "audit", "registries", "end", "paused", "ended"]

AT_A_TIME: Final = 20
"""Entries of one step: at the slowest registry's pace they take about a minute."""
MOST_PASSES: Final = 8
"""Number of times what is unreachable is asked for again."""
_UNTOLD_S: Final = 900.0
"""Wait for registries that did not say how long."""


def run_name(subject: str, session: str) -> str:
    """The name under which the run is recorded."""
    return f"audit/{subject}#{session}"


def next_step(given: CitationAuditInput, state: CitationAuditState, effect: Effect) -> Step | None:
    """Return the first step whose result is missing; None at the end."""
    if state.control.ended:
        return None
    if not control.must_end(state) and (step := _further(given, state, effect.issued_at)):
        return step
    return EndAudit(
        effect=effect,
        subject=given.subject,
        session=given.session,
        is_document=given.workspace is not None,
        scheduled=given.scheduled,
        entries=state.entries,
        parts=state.parts,
        result=result(given, state),
        known=state.known,
    )


def _further(given: CitationAuditInput, state: CitationAuditState, now: datetime) -> Step | None:
    if state.texts is None and given.workspace is not None:
        return ReadCitedTexts(workspace=given.workspace, scene=given.scene)
    if state.entries is None:
        return ListEntries(texts=given.texts if state.texts is None else state.texts)
    if state.left:
        return AuditEntries(entries=state.entries, numbers=state.left[:AT_A_TIME])
    if given.waits and state.silent and state.passes < MOST_PASSES:
        return AwaitRegistries(until=now + timedelta(seconds=state.again_after_s or _UNTOLD_S))
    return None


def read(state: CitationAuditState, found: CitedTextsRead) -> CitationAuditState:
    """The document was read."""
    return control.after_step(state, texts=found.texts)


def listed(state: CitationAuditState, found: EntriesListed) -> CitationAuditState:
    """The entries are known."""
    left = tuple(range(found.found))
    return control.after_step(state, entries=found.entries, found=found.found, left=left)


def audited(state: CitationAuditState, step: AuditEntries, found: EntriesAudited) -> CitationAuditState:
    """Some entries were looked up."""
    return control.after_step(
        state,
        left=state.left[len(step.numbers) :],
        silent=(*state.silent, *found.silent),
        again_after_s=max(state.again_after_s, found.again_after_s),
        parts=(*state.parts, found.part),
    )


def waiting(state: CitationAuditState, step: AwaitRegistries) -> CitationAuditState:
    """It waits for registries."""
    return state.model_copy(update={"waits_until": step.until})


def waited(state: CitationAuditState) -> CitationAuditState:
    """Ask again for what was unreachable."""
    return control.after_step(
        state, left=state.silent, silent=(), again_after_s=0.0, waits_until=None, passes=state.passes + 1
    )


def failed(
    given: CitationAuditInput, state: CitationAuditState, step: Step, cause: Cause
) -> CitationAuditState:
    """A step failed for good; what was found by then is reported."""
    if isinstance(step, EndAudit):
        state = control.ended(state)
    return control.after_step(control.failed(state, stage(state), cause))


def ended(state: CitationAuditState, found: AuditEnded) -> CitationAuditState:
    """The report is there."""
    return control.after_step(control.ended(state), ended=found)


def result(given: CitationAuditInput, state: CitationAuditState) -> CitationAuditResult:
    """Result of the audit."""
    found = state.ended or AuditEnded()
    return CitationAuditResult(
        **control.end_fields(state, well="done"),
        subject=given.subject,
        session=given.session,
        report=found.report,
        counts=found.counts,
        findings=found.findings,
        retracted=found.retracted,
    )


def stage(state: CitationAuditState) -> Stage:
    """The stage, in one word."""
    if state.control.ended:
        return "ended"
    if state.control.paused:
        return "paused"
    if state.waits_until is not None:
        return "registries"
    if state.entries is None:
        return "read"
    return "audit" if state.left else "end"


def progress(given: CitationAuditInput, state: CitationAuditState) -> Progress:
    """The status, for people."""
    ending = result(given, state)
    return control.progress(
        state,
        pipeline=PIPELINE,
        subject=given.subject,
        stage=stage(state),
        detail=_detail(state),
        outcome=ending.outcome,
        code=ending.code,
    )


def _detail(state: CitationAuditState) -> str:
    if state.control.paused:
        return control.pause_detail(state)
    if state.entries is None:
        return "Reading what is cited"
    entries = counted(state.found, "entry", "entries")
    if state.waits_until is not None:
        until = f"{state.waits_until:%Y-%m-%d %H:%M} UTC"
        return f"Waiting until {until} to ask registries again for {len(state.silent)} of {entries}"
    return f"Looked up {state.found - len(state.left)} of {entries}"
