"""Notifications of a scan's changes that the gate denied: that one waits, and how it was decided."""

import asyncio
from dataclasses import dataclass

from temporalio import activity

from penwright.domain.approvals import notice_text
from penwright.domain.citations.scanning.status import PIPELINE
from penwright.ports.notices import Outbox
from penwright.ports.records import Records
from schemas.citation_scan import AnnounceChanges
from schemas.notices import Notice
from schemas.records import Event, RunRow


@dataclass(frozen=True)
class CitationApprovalActivities:
    """Records every request and decision, and tells the people who should decide."""

    records: Records
    outbox: Outbox

    @activity.defn
    async def announce_changes(self, request: AnnounceChanges) -> None:
        """Each part is harmless to repeat. How it was decided is recorded only: the scan's end tells."""
        await asyncio.to_thread(self._record, request)
        if request.decision is None:
            await self.outbox.post(_notice(request))

    def _record(self, request: AnnounceChanges) -> None:
        asked, decision, at = request.request, request.decision, request.effect.issued_at
        subject = f"{request.subject}/{request.scene}"
        run = f"citations/{subject}#{request.session}"
        kind = f"approval.{decision.decided if decision else 'asked'}"
        data = asked.model_dump(mode="json", include={"id", "expires_at"})
        data |= asked.need.model_dump(mode="json", include={"plan_digest", "intent_id", "codes", "reasons"})
        if decision is not None:
            data |= {"by": decision.by, "reason": decision.reason}
        row = RunRow(run=run, pipeline=PIPELINE, subject=subject, stage=kind, started_at=at)
        event = Event(run=run, subject=subject, kind=kind, at=at, op_id=request.effect.op_id, data=data)
        self.records.note(row, [event])


def _notice(request: AnnounceChanges) -> Notice:
    asked, novel = request.request, request.subject
    return Notice(
        key=request.effect.op_id,
        subject=novel,
        title=f"{novel}/{request.scene}: citations wait for approval",
        body=notice_text(novel, asked),
        data={
            "novel": novel,
            "scene": request.scene,
            "session": request.session,
            **asked.model_dump(mode="json", exclude={"effect"}),
        },
        at=request.effect.issued_at,
    )
