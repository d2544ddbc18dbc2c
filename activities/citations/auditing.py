"""The first and last step of an audit of citations: list the entries, put the report together."""

import asyncio
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from temporalio import activity

from activities.run_log import run_end
from penwright.domain.citations.auditing.listing import entries_of
from penwright.domain.citations.auditing.steps import PIPELINE, run_name
from penwright.domain.control import shown_outcome
from penwright.domain.manuscript.naming import options_of
from penwright.domain.text.counted import counted
from penwright.ports.blobs import Blobs
from penwright.ports.notices import Outbox
from penwright.ports.records import Records
from schemas.base import BlobRef, Value
from schemas.citation_audit import (
    AuditedEntry,
    AuditedPart,
    AuditEnded,
    AuditReport,
    CitedEntries,
    EndAudit,
    EntriesListed,
    ListEntries,
)
from schemas.notices import Notice


@dataclass(frozen=True)
class CitationAuditActivities:
    """Activities for any worker that reaches the store."""

    blobs: Blobs
    records: Records
    outbox: Outbox

    @activity.defn
    async def list_entries(self, request: ListEntries) -> EntriesListed:
        """List what is cited; harmless to repeat."""
        return await asyncio.to_thread(self._list, request)

    def _list(self, request: ListEntries) -> EntriesListed:
        listed = entries_of((each, self.blobs.get(each.text).decode()) for each in request.texts)
        return EntriesListed(entries=self._put(listed), found=len(listed.entries))

    @activity.defn
    async def end_audit(self, request: EndAudit) -> AuditEnded:
        """Keep the report, record the run of a document, notify of new retractions; repeatable."""
        report = await asyncio.to_thread(self._report, request)
        ended = AuditEnded(
            report=await asyncio.to_thread(self._put, report),
            counts=dict(Counter(each.state for each in report.entries)),
            findings=len(report.findings),
            retracted=tuple(dict.fromkeys(map(_work, _retracted(report)))),
        )
        if request.is_document:
            await asyncio.to_thread(self._record, request, ended)
        news = [each for each in _retracted(report) if _work(each) not in request.known]
        if request.scheduled and news:
            await self.outbox.post(_notice(request, news))
        return ended

    def _report(self, request: EndAudit) -> AuditReport:
        """The entries by their places; what no part has was not looked up, and is left out."""
        if request.entries is None:
            return AuditReport()
        listed = CitedEntries.model_validate_json(self.blobs.get(request.entries))
        found: dict[int, AuditedEntry] = {}
        for part in request.parts:
            found |= AuditedPart.model_validate_json(self.blobs.get(part)).entries
        return AuditReport(entries=tuple(found[each] for each in sorted(found)), findings=listed.findings)

    def _record(self, request: EndAudit, ended: AuditEnded) -> None:
        result = request.result
        outcome = shown_outcome(result.outcome, result.code)
        detail = {
            "counts": ended.counts,
            "retracted": list(ended.retracted),
            "report": ended.report.model_dump(mode="json") if ended.report else None,
            "code": result.code,
            "message": result.message,
        }
        row, event = run_end(
            run_name(request.subject, request.session),
            PIPELINE,
            request.subject,
            request.effect,
            outcome=outcome,
            data={"outcome": outcome, **detail},
            detail=detail,
            started_at=request.effect.issued_at,
        )
        self.records.note(row, [event])

    def _put(self, value: Value) -> BlobRef:
        return self.blobs.put(value.model_dump_json().encode())


def _retracted(report: AuditReport) -> Iterable[AuditedEntry]:
    return (each for each in report.entries if each.state == "retracted")


def _work(entry: AuditedEntry) -> str:
    return entry.doi or entry.title or entry.key


def _notice(request: EndAudit, news: list[AuditedEntry]) -> Notice:
    novel, _, scene = request.subject.partition("/")
    named = "; ".join(f"{each.key} ({each.title})" for each in news[:10])
    works = counted(len(news), "cited work")
    return Notice(
        key=request.effect.op_id,
        subject=novel,
        title=f"{request.subject}: {works} retracted",
        body=f"{named}. `penwright cite audit {options_of(novel, scene)}` shows by what notice.",
        data={"novel": novel, "scene": scene, "retracted": [each.model_dump(mode="json") for each in news]},
        at=request.effect.issued_at,
    )
