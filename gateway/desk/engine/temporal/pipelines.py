"""The book pipeline over a Temporal client: ids, starts, messages and what their failures mean."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, suppress
from functools import partial
from typing import TypeVar

from temporalio.client import (
    Client,
    WithStartWorkflowOperation,
    WorkflowExecutionStatus,
    WorkflowFailureError,
    WorkflowHandle,
    WorkflowUpdateFailedError,
)
from temporalio.common import WorkflowIDConflictPolicy
from temporalio.exceptions import ApplicationError, WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from gateway.desk.engine.pipelines import Acknowledgement, Message, StepUnderWay
from gateway.desk.engine.temporal.errors import translated
from gateway.desk.engine.temporal.executions import ANSWER_TIMEOUT
from gateway.desk.engine.temporal.failing_tasks import why_stuck
from gateway.desk.engine.temporal.pipeline_runs import Pipeline, PipelineRuns
from gateway.desk.engine.temporal.steps_under_way import steps_under_way
from penwright.domain.approvals import is_waiting
from penwright.domain.book.identity import workflow_id
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.book.session import place_of
from penwright.domain.book.session_status import progress
from penwright.domain.outside_agent import where_open
from penwright.errors import PenwrightError, Refused
from schemas.base import BookId
from schemas.book_errand import BookErrandInput, BookErrandResult
from schemas.book_session import (
    Advanced,
    AdvanceRequest,
    BookSessionInput,
    BookSessionResult,
    BookSessionState,
    Closed,
    Opened,
)
from schemas.intents import ApprovalDecision, ApprovalRequest, Selected
from schemas.outside_session import DeliverProse, OpenRequest, SelectRequest, SessionView, SessionViewRequest
from workflows.book_errand import BookErrand
from workflows.book_session import BookSession
from workflows.options import TASK_TIMEOUT
from workflows.visibility import at_start

_T = TypeVar("_T")

_ENDING_TIMEOUT_S = 30


class TemporalPipelines(PipelineRuns[BookSessionInput, BookSessionResult]):
    """Implements ``gateway.desk.engine.pipelines.Pipelines``."""

    def __init__(self, client: Client, queue: str) -> None:
        super().__init__(client, queue, _PIPELINE)

    async def start(self, given: BookSessionInput) -> None:
        await self._when_free(given.book_id, lambda: self._try_to_start(given.book_id, given))

    async def open(self, given: BookSessionInput) -> Opened:
        opened = await self._open_once(given)
        # The session before may still be telling people how it ended; an agent need not know.
        if opened is None or await self._met_an_ending(given, opened):
            await self._wait_until_free(given.book_id)
            opened = await self._open_once(given)
        if opened is None:
            raise await self._held(given.book_id)
        return opened

    async def close(self, book_id: BookId, delivery: DeliverProse) -> Closed:
        handle = self._handle(book_id)
        async with _open(book_id):
            return await handle.execute_update(BookSession.close, delivery)

    async def advance(self, book_id: BookId, session: str = "", *, place: str = "") -> Advanced | None:
        if await self._running(book_id) != "BookSession":
            return None
        request = AdvanceRequest(session=session, place=place)
        try:
            async with _open(book_id):
                return await self._handle(book_id).execute_update(BookSession.advance, request)
        except Refused as refused:
            if session or refused.code != "no-active-session" or not await self._is_ending(book_id):
                raise
            return None

    async def select(self, book_id: BookId, intent: str, session: str = "", *, place: str = "") -> Selected:
        request = SelectRequest(intent=intent, session=session, place=place)
        async with _open(book_id):
            return await self._handle(book_id).execute_update(BookSession.select_active_intent, request)

    async def session_view(self, book_id: BookId, session: str) -> SessionView | None:
        if await self._running(book_id) != "BookSession":
            return None
        async with self._translated():
            return await self._handle(book_id).query(
                BookSession.standing, SessionViewRequest(session=session), rpc_timeout=ANSWER_TIMEOUT
            )

    async def errand(self, given: BookErrandInput) -> BookErrandResult:
        async def attempt() -> WorkflowHandle[BookErrand, BookErrandResult] | None:
            with suppress(WorkflowAlreadyStartedError):
                return await self._client.start_workflow(
                    BookErrand.run,
                    given,
                    id=workflow_id(given.book_id),
                    task_queue=self._queue,
                    task_timeout=TASK_TIMEOUT,
                    static_summary=f"{given.kind} of {given.book_id}",
                )
            return None

        handle = await self._when_free(given.book_id, attempt)
        async with self._translated():
            return await handle.result()

    async def result(self, book_id: BookId) -> BookSessionResult:
        return await self._ended(book_id)

    async def pending(self, book_id: BookId) -> ApprovalRequest | None:
        if await self._running(book_id) != "BookSession":
            return None
        async with self._translated():
            state = await self._state(book_id)
        return state.asked if is_waiting(state) else None

    async def decide(self, book_id: BookId, decision: ApprovalDecision) -> None:
        async with self._translated():
            await self._handle(book_id).execute_update(
                BookSession.decide_approval, decision, rpc_timeout=ANSWER_TIMEOUT
            )

    async def under_way(self, workflow_id: str) -> tuple[StepUnderWay, ...]:
        return await steps_under_way(self._client, workflow_id)

    async def signal(self, name: str, message: Message) -> Acknowledgement:
        book_id = BookId(name)
        running = await self._running(book_id)
        if running != "BookSession":
            return await self._no_session(book_id, running)
        return await super().signal(name, message)

    async def _no_session(self, book_id: BookId, running: str | None) -> Acknowledgement:
        if running is None:
            return Acknowledgement(found="nothing")
        stuck = await why_stuck(self._client, workflow_id(book_id), self._queue)
        return Acknowledgement(found="errand", stuck=stuck)

    async def _open_once(self, given: BookSessionInput) -> Opened | None:
        """The verdict, or None when the session we met ended under our hands."""
        start = WithStartWorkflowOperation(
            BookSession.run,
            given,
            id=workflow_id(given.book_id),
            task_queue=self._queue,
            task_timeout=TASK_TIMEOUT,
            id_conflict_policy=WorkflowIDConflictPolicy.USE_EXISTING,
            static_summary=f"{_PIPELINE.title(given)} by an outside agent",
            search_attributes=at_start(_PIPELINE.shown(given)),
        )
        request = OpenRequest(opener=given.opener, place=place_of(given).name)
        async with self._translated():
            try:
                return await self._client.execute_update_with_start_workflow(
                    BookSession.open, request, start_workflow_operation=start
                )
            except WorkflowUpdateFailedError as failure:
                if _is_ended(failure):
                    return None
                raise
            except RPCError as error:
                if error.status == RPCStatusCode.NOT_FOUND:
                    return None
                raise

    async def _when_free(self, book_id: BookId, attempt: Callable[[], Awaitable[_T | None]]) -> _T:
        """The run that is begun; one that winds up is awaited, and any other is named as the holder."""
        async with self._translated():
            begun = await attempt()
            if begun is None and await self._is_ending(book_id):
                await self._wait_until_free(book_id)
                begun = await attempt()
            if begun is None:
                raise await self._held(book_id)
            return begun

    async def _met_an_ending(self, given: BookSessionInput, opened: Opened) -> bool:
        """Whether the answer comes from an earlier session that only winds up."""
        if opened.verdict == "already-running":
            return await self._is_ending(given.book_id)
        return opened.verdict != "open" and opened.session not in ("", given.session)

    async def _is_ending(self, book_id: BookId) -> bool:
        """Whether what holds the book has done its work and only winds up."""
        running = await self._running(book_id)
        if running != "BookSession":
            return True  # an errand takes seconds; nothing at all is as good as ended
        try:
            state = await self._state(book_id)
        except RPCError:
            return False
        return state.closed is not None or state.released is not None or state.control.ended

    async def _wait_until_free(self, book_id: BookId) -> None:
        try:
            async with asyncio.timeout(_ENDING_TIMEOUT_S):
                await self._client.get_workflow_handle(workflow_id(book_id)).result()
        except (WorkflowFailureError, TimeoutError):
            return  # how it ended is not ours to judge; the next start says whether the book is free
        except RPCError as error:
            if error.status != RPCStatusCode.NOT_FOUND:
                raise

    async def _held(self, book_id: BookId) -> Refused:
        place = ""
        with suppress(PenwrightError, RPCError):
            view = await self.session_view(book_id, "")
            place = f": {where_open(view.place)}" if view and view.place else ""
        return Refused(
            "already-running",
            f"a session or another change holds {book_id!r}{place}; nothing was changed",
            hint=f"`penwright book watch {book_id}` shows it, `penwright book kill {book_id}` stops it",
        )

    async def _running(self, book_id: BookId) -> str | None:
        """The type of the workflow that holds the book now."""
        found = await self._described(book_id)
        is_running = found is not None and found.status == WorkflowExecutionStatus.RUNNING
        return found.workflow_type if found and is_running else None

    async def _state(self, book_id: BookId) -> BookSessionState:
        return await self._handle(book_id).query(BookSession.state, rpc_timeout=ANSWER_TIMEOUT)


def _open(book_id: BookId) -> AbstractAsyncContextManager[None]:
    """Of a book that is to be open: our errors instead of Temporal's, with what opens this book."""
    return translated(partial(_no_session, book_id), thing="session")


def _no_session(book_id: str = "BOOK") -> PenwrightError:
    return Refused(
        "no-active-session",
        "no active session",
        hint=f"open one with `penwright book open {book_id}` before you close or advance",
    )


def _is_ended(failure: WorkflowUpdateFailedError) -> bool:
    """The workflow ended before it could take the update; Temporal's own name for that."""
    return (
        isinstance(failure.cause, ApplicationError)
        and failure.cause.type == "AcceptedUpdateCompletedWorkflow"
    )


_PIPELINE = Pipeline(
    types=("BookSession", "BookErrand"),
    run=BookSession.run,
    name=lambda given: given.book_id,
    title=lambda given: f"Session of {given.book_id}",
    shown=lambda given: progress(given, BookSessionState()),
    result=BookSessionResult,
    prefix=f"{BOOK_PROFILE.prefix}/",
    thing="session",
    none=_no_session,
)
