"""What people hear of approvals: that one is asked for, and how it was decided."""

import asyncio
from dataclasses import dataclass

from temporalio import activity

from activities.book_run_log import BookRunLog
from penwright.domain.approvals import summary_of
from penwright.errors import PassingError
from penwright.ports import Notifier, Records
from schemas.book_session import AnnounceApproval


@dataclass(frozen=True)
class ApprovalActivities:
    """Records every request and decision, and tells the people who should decide."""

    records: Records
    notifier: Notifier

    @activity.defn
    async def announce_approval(self, request: AnnounceApproval) -> None:
        """Each part is harmless to repeat. How it was decided is recorded only: the session's end tells."""
        await asyncio.to_thread(BookRunLog(self.records).approval, request)
        if request.decision is None:
            await asyncio.to_thread(self._tell, request)

    def _tell(self, request: AnnounceApproval) -> None:
        failed = self.notifier.notify(
            title=f"{request.subject}: a change waits for approval",
            body=_body(request),
            key=request.effect.op_id,
            data={
                "book_id": request.subject,
                "session": request.session,
                **request.request.model_dump(mode="json", exclude={"effect"}),
            },
        )
        if failed:
            raise PassingError("notify-failed", f"could not notify {', '.join(failed)}; trying again")


def _body(request: AnnounceApproval) -> str:
    return (
        f"{summary_of(request.request)} ({', '.join(request.request.need.codes)}). "
        f"Approve it with `penwright intent approve {request.subject}` or deny it with "
        f"`penwright intent deny {request.subject}` before {request.request.expires_at:%Y-%m-%d %H:%M} UTC."
    )
