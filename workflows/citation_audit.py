"""The audit of citations: list every entry, ask the registries, report; no model is asked."""

from typing import assert_never

from temporalio import workflow
from temporalio.workflow import execute_activity_method as ask

from activities.citations.auditing import CitationAuditActivities
from activities.citations.bibliographies import BibliographyActivities
from activities.citations.scholarly import ScholarlyActivities
from penwright.domain import control
from penwright.domain.citations.auditing import steps as rules
from schemas.base import Progress
from schemas.citation_audit import (
    AuditEntries,
    AwaitRegistries,
    CitationAuditInput,
    CitationAuditResult,
    CitationAuditState,
    EndAudit,
    ListEntries,
    ReadCitedTexts,
)
from workflows.failures import concluded
from workflows.options import LOOK_UP, RECORD, REPO_WRITE, at
from workflows.steering import CANCELLED, Steered, should_continue_as_new, wait_until


@workflow.defn
class CitationAudit(Steered[CitationAuditInput, CitationAuditState]):
    """Runs as ``audit/<novel>/<scene>`` or ``audit/files/<digest>``; it changes no text and locks none."""

    @workflow.init
    def __init__(self, given: CitationAuditInput) -> None:
        if not given.session:
            now = f"{workflow.now():%Y%m%dT%H%M%SZ}-{workflow.uuid4().hex[:6]}"
            given = given.model_copy(update={"session": now})
        prefix = f"{rules.run_name(given.subject, given.session)}:"
        super().__init__(given, given.state or CitationAuditState(known=_known_before()), op_prefix=prefix)

    @workflow.run
    async def run(self, given: CitationAuditInput) -> CitationAuditResult:
        self._show()
        while step := await self._next(rules.next_step):
            self._state = await self._attempt(step, self._take, rules.failed)
            self._show()
            if should_continue_as_new():
                workflow.continue_as_new(self._given.model_copy(update={"state": self._state}))
        return concluded(rules.result(self._given, self._state))

    async def _take(self, step: rules.Step) -> CitationAuditState:
        given = self._given
        match step:
            case ReadCitedTexts():
                read = await ask(
                    BibliographyActivities.read_cited_texts, step, **at(given.repo_queue, REPO_WRITE)
                )
                return rules.read(self._state, read)
            case ListEntries():
                return rules.listed(
                    self._state, await ask(CitationAuditActivities.list_entries, step, **RECORD)
                )
            case AuditEntries():
                found = await ask(
                    ScholarlyActivities.audit_entries, step, **at(given.scholarly_queue, LOOK_UP)
                )
                return rules.audited(self._state, step, found)
            case AwaitRegistries():
                return await self._await_registries(step)
            case EndAudit():
                return rules.ended(self._state, await ask(CitationAuditActivities.end_audit, step, **RECORD))
            case _:
                assert_never(step)

    async def _await_registries(self, step: AwaitRegistries) -> CitationAuditState:
        self._state = rules.waiting(self._state, step)
        self._show()
        left = step.until - workflow.now()
        if await wait_until(lambda: control.must_end(self._state), left) == "cancelled":
            self._state = control.stopped(self._state, CANCELLED)
        return rules.waited(self._state)

    def _progress(self) -> Progress:
        return rules.progress(self._given, self._state)


def _known_before() -> tuple[str, ...]:
    """Works that were retracted at the run before, of a schedule."""
    if not workflow.has_last_completion_result():
        return ()
    last = workflow.get_last_completion_result(CitationAuditResult)
    return last.retracted if last else ()
