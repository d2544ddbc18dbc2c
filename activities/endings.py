"""End of a session or book: record it, notify people, delete a finished book's schedule."""

import asyncio
from dataclasses import dataclass
from hashlib import sha256

from temporalio import activity
from temporalio.client import Client
from temporalio.service import RPCError, RPCStatusCode

from activities.books.run_log import BookRunLog
from penwright.domain.book.board import shown_time
from penwright.domain.book.identity import workflow_id
from penwright.domain.book.session_warnings import OVERLONG
from penwright.domain.continuity.reading import workflow_id as reading_id
from penwright.ports.notices import Outbox
from penwright.ports.records import Records
from schemas.base import BookId, Effect
from schemas.book_errand import FinishBook
from schemas.book_session import BookSessionResult, EndSession, SchedulePaused
from schemas.continuity import ContinuityInput
from schemas.notices import Notice

_SEALED = "sealed"
_PAUSED = "Its schedule is paused. `penwright book schedule {} --resume` starts it again."
_NEWSWORTHY = frozenset({"completed", "failed", "refused"})
_DIGITS = 16


@dataclass(frozen=True)
class EndingActivities:
    """The last step of every session."""

    records: Records
    outbox: Outbox

    @activity.defn
    async def end_session(self, request: EndSession) -> None:
        """Each part is harmless to repeat. A session that found the book sealed has no use of a schedule."""
        await asyncio.to_thread(BookRunLog(self.records).ended, request)
        ending = await asyncio.to_thread(self._with_push, request.result)
        if request.to_read is not None:
            await have_read(request.to_read, activity.client(), activity.info().task_queue)
        if ending.outcome == "completed":
            await self._finish(ending, request.effect)
            return
        if ending.outcome == "refused" and ending.code == _SEALED:
            await _delete_schedule(ending.book_id)
        asks = ending.report is not None and ending.report.at_target == "ask"
        paused = _PAUSED.format(ending.book_id) if asks and await _pause_schedule(ending.book_id) else ""
        if ending.outcome in _NEWSWORTHY or ending.warnings:
            await self.outbox.post(_notice(ending, request.effect, paused))

    @activity.defn
    async def finish_book(self, request: FinishBook) -> None:
        """The same for a book that an errand sealed: by the terminal, ``ink-cli`` or an outside agent."""
        await self._finish(request.result, request.effect)

    @activity.defn
    async def announce_pause(self, request: SchedulePaused) -> None:
        """Tell people that a schedule starts nothing until they resume it."""
        await self.outbox.post(_pause_notice(request))

    def _with_push(self, ending: BookSessionResult) -> BookSessionResult:
        """The ending as people are told it: what the remote still lacks is a warning, too."""
        if ending.push != "pending":
            return ending
        row = next(iter(self.records.board(ending.book_id)), None)
        entry = row.entry("push") if row else None
        since = f" since {shown_time(entry.since)}" if entry and entry.since else ""
        why = f": {ending.push_reason}" if ending.push_reason else ""
        return ending.model_copy(update={"warnings": (*ending.warnings, f"not on the remote{since}{why}")})

    async def _finish(self, ending: BookSessionResult, effect: Effect) -> None:
        """Finish what a book leaves at every completion, by hand or by an agent."""
        deleted = await _delete_schedule(ending.book_id)
        await self.outbox.post(_notice(ending, effect, "Its schedule is deleted." if deleted else ""))


async def have_read(given: ContinuityInput, client: Client, queue: str) -> None:
    """Start the run that reads a book, or tell the running one to look again.

    If it cannot be started, the session ends all the same: the run of the next one reads both.
    """
    try:
        await client.start_workflow(
            "BookContinuity",
            given,
            id=reading_id(given.book_id),
            task_queue=queue,
            start_signal="wanted",
            static_summary="Read what is new in a book",
        )
    except RPCError as error:
        activity.logger.warning("the reading of %s was not started: %s", given.book_id, error)


async def _delete_schedule(book_id: BookId) -> bool:
    """Whether there was one; its id is that of the book's workflows."""
    try:
        await activity.client().get_schedule_handle(workflow_id(book_id)).delete()
    except RPCError as error:
        if error.status != RPCStatusCode.NOT_FOUND:
            raise
        return False
    return True


async def _pause_schedule(book_id: BookId) -> bool:
    """Whether there is one that ran."""
    handle = activity.client().get_schedule_handle(workflow_id(book_id))
    try:
        if (await handle.describe()).schedule.state.paused:
            return False
        await handle.pause(note=OVERLONG)
    except RPCError as error:
        if error.status != RPCStatusCode.NOT_FOUND:
            raise
        return False
    return True


def _key(ending: BookSessionResult, effect: Effect) -> str:
    """Warnings alone are sent once a day while they stay the same: each session of the book repeats them."""
    if ending.outcome in _NEWSWORTHY:
        return effect.op_id
    digest = sha256("\n".join(ending.warnings).encode()).hexdigest()[:_DIGITS]
    return f"warnings/{ending.book_id}/{effect.issued_at:%Y-%m-%d}/{digest}"


def _notice(ending: BookSessionResult, effect: Effect, more: str = "") -> Notice:
    return Notice(
        key=_key(ending, effect),
        subject=ending.book_id,
        title=_title(ending),
        body="\n".join(filter(None, (_body(ending), more))),
        data=ending.model_dump(mode="json", exclude_none=True),
        at=effect.issued_at,
    )


def _pause_notice(request: SchedulePaused) -> Notice:
    again = f"`penwright book schedule {request.book_id} --resume` starts it again."
    return Notice(
        key=request.effect.op_id,
        subject=request.book_id,
        title=f"{request.book_id}: its schedule is paused",
        body=f"{request.message}\n{again}",
        data={"book_id": request.book_id, "message": request.message},
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
        return f"The book is sealed at {ending.completion.total_word_count} words."
    return f"{ending.message} ({ending.code})" if ending.code else ending.message
