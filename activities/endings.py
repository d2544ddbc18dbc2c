"""What happens when a session or book ends: record it, notify people, delete a finished book's schedule."""

import asyncio
from dataclasses import dataclass

from temporalio import activity
from temporalio.service import RPCError, RPCStatusCode

from activities.run_log import run_of
from penwright.domain.book.identity import workflow_id
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.ports import Outbox, Records
from schemas.base import BookId, Effect
from schemas.book_session import BookSessionResult, EndSession, FinishBook
from schemas.notices import Notice
from schemas.records import Event, RunRow

_SEALED = "sealed"
_NEWSWORTHY = frozenset({"completed", "failed", "refused"})


@dataclass(frozen=True)
class EndingActivities:
    """The last step of every session."""

    records: Records
    outbox: Outbox

    @activity.defn
    async def end_session(self, request: EndSession) -> None:
        """Each part is harmless to repeat. A session that found the book sealed has no use of a schedule."""
        await asyncio.to_thread(self._record, request)
        ending = request.result
        if ending.outcome == "completed":
            await self._finish(ending, request.effect)
            return
        if ending.outcome == "refused" and ending.code == _SEALED:
            await _delete_schedule(ending.book_id)
        if ending.outcome in _NEWSWORTHY:
            await self.outbox.post(_notice(ending, request.effect))

    @activity.defn
    async def finish_book(self, request: FinishBook) -> None:
        """The same for a book that an errand sealed: by the terminal, ``ink-cli`` or an outside agent."""
        await self._finish(request.result, request.effect)

    async def _finish(self, ending: BookSessionResult, effect: Effect) -> None:
        """What every completion comes to, whoever asked for it."""
        deleted = await _delete_schedule(ending.book_id)
        await self.outbox.post(_notice(ending, effect, "Its schedule is deleted." if deleted else ""))

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


async def _delete_schedule(book_id: BookId) -> bool:
    """Whether there was one; its id is that of the book's workflows."""
    try:
        await activity.client().get_schedule_handle(workflow_id(book_id)).delete()
    except RPCError as error:
        if error.status != RPCStatusCode.NOT_FOUND:
            raise
        return False
    return True


def _notice(ending: BookSessionResult, effect: Effect, more: str = "") -> Notice:
    return Notice(
        key=effect.op_id,
        subject=ending.book_id,
        title=_title(ending),
        body=f"{_body(ending)} {more}".strip(),
        data=ending.model_dump(mode="json", exclude_none=True),
        at=effect.issued_at,
    )


def _title(ending: BookSessionResult) -> str:
    if ending.outcome == "completed":
        return f"{ending.book_id} is complete"
    return f"{ending.book_id}: session {ending.outcome}"


def _body(ending: BookSessionResult) -> str:
    if ending.completion is not None and ending.outcome == "completed":
        return f"The book is sealed at {ending.completion.total_word_count} words."
    return f"{ending.message} ({ending.code})" if ending.code else ending.message
