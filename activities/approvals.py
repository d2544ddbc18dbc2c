"""Notifications of approvals: that one is asked for, and how it was decided."""

import asyncio
from dataclasses import dataclass

from temporalio import activity

from activities.books.run_log import BookRunLog
from penwright.domain.approvals import notice_text
from penwright.ports.notices import Outbox
from penwright.ports.records import Records
from schemas.book_session import AnnounceApproval
from schemas.notices import Notice


@dataclass(frozen=True)
class ApprovalActivities:
    """Records every request and decision, and tells the people who should decide."""

    records: Records
    outbox: Outbox

    @activity.defn
    async def announce_approval(self, request: AnnounceApproval) -> None:
        """Each part is harmless to repeat. How it was decided is recorded only: the session's end tells."""
        await asyncio.to_thread(BookRunLog(self.records).approval, request)
        if request.decision is None:
            await self.outbox.post(_notice(request))


def _notice(request: AnnounceApproval) -> Notice:
    return Notice(
        key=request.effect.op_id,
        subject=request.subject,
        title=f"{request.subject}: a change waits for approval",
        body=notice_text(request.subject, request.request),
        data={
            "book_id": request.subject,
            "session": request.session,
            **request.request.model_dump(mode="json", exclude={"effect"}),
        },
        at=request.effect.issued_at,
    )
