"""Activities that answer from a script, under the names of the real ones."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from temporalio import activity

from penwright.errors import PenwrightError
from schemas.agent_run import (
    CallModel,
    EndRun,
    ModelAnswered,
    Pins,
    Prepared,
    PrepareRun,
    RunToolCall,
    ToolCallResult,
)
from schemas.base import CommitSha
from schemas.book_errand import EditBook, FinishBook, RestoreBook, RestoreReport
from schemas.book_session import (
    AdvanceChapter,
    Advanced,
    AnnounceApproval,
    Brief,
    Closed,
    CloseSession,
    CompleteBook,
    Completed,
    EditProse,
    EndSession,
    Opened,
    OpenSession,
    PushBook,
    ReleaseBook,
    Released,
    SchedulePaused,
    SelectIntent,
    WriteProse,
)
from schemas.book_text import BookEdited
from schemas.intents import Selected
from schemas.queue_time import AskQueueTime, QueueTime
from schemas.workspace import Pushed
from tests.support.books.sessions import (
    a_brief,
    a_close,
    a_move,
    a_push,
    a_reply,
    a_restore,
    a_seal,
    a_selection,
    an_editors_brief,
    an_opening,
)

Outcome = TypeVar("Outcome")


WRITING = ["brief_writer", "prepare_run", "call_model", "end_run"]
"""The writing requests of a session."""


_LATE = ("close_session", "announce_approval", "end_session")


class FakeActivities:
    """Each step answers with its scripted values in turn, the last one for ever; errors are raised."""

    def __init__(self, **answers: object) -> None:
        self.asked: list[str] = []
        self.orders: list[Any] = []  # orders of every kind
        awaited = ("call_model", "carry_out", "advance_chapter", "complete_book", *_LATE)
        self.reached = {name: asyncio.Event() for name in awaited}
        self.let_go = asyncio.Event()
        self._answers: dict[str, list[object]] = {
            name: list(answer) if isinstance(answer, list) else [answer] for name, answer in answers.items()
        }

    async def _answer(self, order: object, default: Outcome) -> Outcome:
        name = activity.info().activity_type
        self.asked.append(name)
        self.orders.append(order)
        if name in self.reached:
            self.reached[name].set()
        scripted = self._answers.get(name, [default])
        answer = scripted.pop(0) if len(scripted) > 1 else scripted[0]
        if answer == "hang":
            await self.let_go.wait()
            return default
        if isinstance(answer, PenwrightError):
            raise answer
        return cast(Outcome, answer)

    @activity.defn
    async def open_session(self, order: OpenSession) -> Opened:
        return await self._answer(order, an_opening())

    @activity.defn
    async def brief_writer(self, order: WriteProse) -> Brief:
        return await self._answer(order, a_brief())

    @activity.defn
    async def brief_editor(self, order: EditProse) -> Brief:
        return await self._answer(order, an_editors_brief())

    @activity.defn
    async def prepare_run(self, order: PrepareRun) -> Prepared:
        return await self._answer(order, Prepared(pins=Pins(definition="sha256:d")))

    @activity.defn
    async def call_model(self, order: CallModel) -> ModelAnswered:
        return await self._answer(order, a_reply())

    @activity.defn
    async def carry_out(self, order: RunToolCall) -> ToolCallResult:
        return await self._answer(order, ToolCallResult(number=order.number, fate="ok", text="Done."))

    @activity.defn
    async def end_run(self, order: EndRun) -> None:
        await self._answer(order, None)

    @activity.defn
    async def close_session(self, order: CloseSession) -> Closed:
        return await self._answer(order, a_close())

    @activity.defn
    async def announce_approval(self, order: AnnounceApproval) -> None:
        await self._answer(order, None)

    @activity.defn
    async def advance_chapter(self, order: AdvanceChapter) -> Advanced:
        return await self._answer(order, a_move())

    @activity.defn
    async def complete_book(self, order: CompleteBook) -> Completed:
        return await self._answer(order, a_seal())

    @activity.defn
    async def release_book(self, order: ReleaseBook) -> Released:
        return await self._answer(order, Released())

    @activity.defn
    async def select_intent(self, order: SelectIntent) -> Selected:
        return await self._answer(order, a_selection(order.intent))

    @activity.defn
    async def push_book(self, order: PushBook) -> Pushed:
        return await self._answer(order, a_push())

    @activity.defn
    async def restore_book(self, order: RestoreBook) -> RestoreReport:
        return await self._answer(order, a_restore())

    @activity.defn
    async def edit_book(self, order: EditBook) -> BookEdited:
        return await self._answer(order, BookEdited(outcome="saved", commit=CommitSha("c" * 40)))

    @activity.defn
    async def end_session(self, order: EndSession) -> None:
        await self._answer(order, None)

    @activity.defn
    async def finish_book(self, order: FinishBook) -> None:
        await self._answer(order, None)

    @activity.defn
    async def time_in_queues(self, order: AskQueueTime) -> QueueTime:
        return await self._answer(order, QueueTime(waited_s=0))

    @activity.defn
    async def announce_pause(self, order: SchedulePaused) -> None:
        await self._answer(order, None)

    def all(self) -> Sequence[Callable[..., Any]]:
        return [
            self.open_session,
            self.brief_writer,
            self.brief_editor,
            self.prepare_run,
            self.call_model,
            self.carry_out,
            self.end_run,
            self.close_session,
            self.announce_approval,
            self.advance_chapter,
            self.complete_book,
            self.release_book,
            self.push_book,
            self.select_intent,
            self.restore_book,
            self.edit_book,
            self.end_session,
            self.finish_book,
            self.announce_pause,
            self.time_in_queues,
        ]
