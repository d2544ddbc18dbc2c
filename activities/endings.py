"""What happens when a session ends: record it, notify people, delete the schedule of a finished book."""

import asyncio
from dataclasses import dataclass

from temporalio import activity
from temporalio.service import RPCError, RPCStatusCode

from activities.run_log import run_of
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.ports import Outbox, Records
from schemas.book_session import BookSessionResult, EndSession
from schemas.notices import Notice
from schemas.records import Event, RunRow

_NEWSWORTHY = frozenset({"completed", "failed", "refused"})


@dataclass(frozen=True)
class EndingActivities:
    """The last step of every session."""

    records: Records
    outbox: Outbox

    @activity.defn
    async def end_session(self, request: EndSession) -> None:
        """Each part is harmless to repeat."""
        await asyncio.to_thread(self._record, request)
        if request.result.outcome == "completed" and request.schedule_id:
            await _delete_schedule(request.schedule_id)
        if request.result.outcome in _NEWSWORTHY:
            await self.outbox.post(_notice(request))

    def _record(self, request: EndSession) -> None:
        ending, at = request.result, request.effect.issued_at
        run = run_of(BOOK_PROFILE, ending.book_id, ending.session)
        words = ending.report.session_word_count if ending.report else 0
        row = RunRow(
            run=run,
            pipeline=BOOK_PROFILE.name,
            subject=ending.book_id,
            stage="ended",
            outcome=ending.outcome,
            words=words,
            cost_micros=ending.cost_micros,
            ended_at=at,
            detail=ending.model_dump(mode="json", exclude_none=True),
        )
        event = Event(
            run=run,
            subject=ending.book_id,
            kind="ended",
            at=at,
            op_id=request.effect.op_id,
            data={"outcome": ending.outcome, "code": ending.code, "words": words},
        )
        self.records.note(row, [event])


async def _delete_schedule(schedule_id: str) -> None:
    try:
        await activity.client().get_schedule_handle(schedule_id).delete()
    except RPCError as error:
        if error.status != RPCStatusCode.NOT_FOUND:
            raise


def _notice(request: EndSession) -> Notice:
    ending = request.result
    return Notice(
        key=request.effect.op_id,
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
    if ending.completion is not None and ending.outcome == "completed":
        return f"The book is sealed at {ending.completion.total_word_count} words. Its schedule is deleted."
    return f"{ending.message} ({ending.code})" if ending.code else ending.message
