"""What happens when a session ends: record it, notify people, delete the schedule of a finished book."""

import asyncio
from dataclasses import dataclass
from hashlib import sha256

from temporalio import activity
from temporalio.service import RPCError, RPCStatusCode

from activities.book_run_log import BookRunLog
from penwright.ports import Outbox, Records
from schemas.book_session import BookSessionResult, EndSession
from schemas.notices import Notice

_NEWSWORTHY = frozenset({"completed", "failed", "refused"})
_DIGITS = 16


@dataclass(frozen=True)
class EndingActivities:
    """The last step of every session."""

    records: Records
    outbox: Outbox

    @activity.defn
    async def end_session(self, request: EndSession) -> None:
        """Each part is harmless to repeat."""
        await asyncio.to_thread(BookRunLog(self.records).ended, request)
        if request.result.outcome == "completed" and request.schedule_id:
            await _delete_schedule(request.schedule_id)
        if request.result.outcome in _NEWSWORTHY or request.result.warnings:
            await self.outbox.post(_notice(request))


async def _delete_schedule(schedule_id: str) -> None:
    try:
        await activity.client().get_schedule_handle(schedule_id).delete()
    except RPCError as error:
        if error.status != RPCStatusCode.NOT_FOUND:
            raise


def _key(request: EndSession) -> str:
    """Warnings alone are sent once a day while they stay the same: each session of the book repeats them."""
    ending = request.result
    if ending.outcome in _NEWSWORTHY:
        return request.effect.op_id
    digest = sha256("\n".join(ending.warnings).encode()).hexdigest()[:_DIGITS]
    return f"warnings/{ending.book_id}/{request.effect.issued_at:%Y-%m-%d}/{digest}"


def _notice(request: EndSession) -> Notice:
    ending = request.result
    return Notice(
        key=_key(request),
        subject=ending.book_id,
        title=_title(ending),
        body=_body(ending),
        data=ending.model_dump(mode="json", exclude_none=True),
        at=request.effect.issued_at,
    )


def _title(ending: BookSessionResult) -> str:
    if ending.outcome == "completed":
        return f"{ending.book_id} is complete"
    return f"{ending.book_id}: session {ending.outcome}"


def _body(ending: BookSessionResult) -> str:
    kept = [f"Its prose is kept in {ending.recovered}."] if ending.recovered else []
    return "\n".join(filter(None, (_news(ending), *kept, *(f"Warning: {said}" for said in ending.warnings))))


def _news(ending: BookSessionResult) -> str:
    if ending.completion is not None and ending.outcome == "completed":
        return f"The book is sealed at {ending.completion.total_word_count} words. Its schedule is deleted."
    return f"{ending.message} ({ending.code})" if ending.code else ending.message
