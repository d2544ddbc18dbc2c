"""Audits of citations in this process: the same steps and activities, without Temporal."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

from activities.citations.auditing import CitationAuditActivities
from activities.citations.bibliographies import BibliographyActivities
from activities.citations.scholarly import ScholarlyActivities
from activities.notifying import NoOutbox
from gateway.desk.engine.citations import ScheduledAudit
from gateway.desk.engine.pipelines import Acknowledgement, Message, Timetable
from penwright.adapters.memory_scholarly import MemoryScholarly
from penwright.adapters.scholarly import bibliography
from penwright.domain.citations.auditing import steps as rules
from penwright.errors import Refused
from penwright.ports.workspaces import Workspaces
from schemas.base import Effect, OpId, Progress
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
from tests.support.doubles.store import MemoryStore
from tests.support.library import own_sources

NEXT_RUN = datetime(2030, 1, 6, 3, tzinfo=UTC)


@dataclass
class RehearsedAudits:
    """Audits that have ended at once; implements ``gateway.desk.engine.citations.Audits``."""

    store: MemoryStore
    novels: Workspaces
    sources: MemoryScholarly = field(default_factory=lambda: MemoryScholarly([]))
    given: dict[str, CitationAuditInput] = field(default_factory=dict)
    at_work: dict[str, Progress] = field(default_factory=dict)
    timetables: dict[str, Timetable] = field(default_factory=dict)

    async def start(self, name: str, given: CitationAuditInput) -> bool:
        self.given[name] = given
        return True

    async def progress(self, name: str) -> Progress | None:
        return self.at_work.get(name)

    async def running(self) -> Mapping[str, Progress]:
        return self.at_work

    async def signal(self, name: str, message: Message) -> Acknowledgement:
        return Acknowledgement(found="nothing")

    async def result(self, name: str) -> CitationAuditResult:
        given, state = self.given[name], CitationAuditState()
        while step := rules.next_step(given, state, self._effect(state)):
            state = await self._taken(step, state)
        return rules.result(given, state)

    async def schedule(self, given: CitationAuditInput, timetable: Timetable) -> ScheduledAudit:
        self.timetables[given.subject] = timetable
        return ScheduledAudit(given.subject, NEXT_RUN)

    async def unschedule(self, subject: str) -> None:
        if self.timetables.pop(subject, None) is None:
            raise Refused("not-scheduled", f"no audits of {subject!r} are scheduled")

    async def _taken(self, step: rules.Step, state: CitationAuditState) -> CitationAuditState:
        blobs = self.store.blobs
        own = CitationAuditActivities(blobs, self.store.records, NoOutbox())
        match step:
            case ReadCitedTexts():
                return rules.read(
                    state,
                    BibliographyActivities(
                        self.novels, blobs, own_sources(self.novels, self.store.passages)
                    ).read_cited_texts(step),
                )
            case ListEntries():
                return rules.listed(state, await own.list_entries(step))
            case AuditEntries():
                asks = ScholarlyActivities(self.sources, blobs, bibliography)
                return rules.audited(state, step, await asks.audit_entries(step))
            case AwaitRegistries():
                return rules.waited(state)
            case EndAudit():
                return rules.ended(state, await own.end_audit(step))

    def _effect(self, state: CitationAuditState) -> Effect:
        return Effect(op_id=OpId(f"audit:{state.control.effects}"), issued_at=NEXT_RUN)
