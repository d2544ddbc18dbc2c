"""The runs of agents over a Temporal client: ids, starts, messages, and what their failures mean."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from typing import Any

from pydantic import JsonValue
from temporalio.client import (
    Client,
    WorkflowExecution,
    WorkflowExecutionStatus,
    WorkflowHandle,
)
from temporalio.common import WorkflowIDReusePolicy
from temporalio.exceptions import WorkflowAlreadyStartedError
from temporalio.service import RPCError, RPCStatusCode

from activities.agents.transcripts import run_of
from activities.histories import opened
from gateway.desk.engine.agent_runs import WORK, RunSummary, Segment, Waiting
from gateway.desk.engine.pipelines import Acknowledgement, Message
from gateway.desk.engine.temporal.errors import translated
from gateway.desk.engine.temporal.executions import described, ended, hears, send
from gateway.desk.engine.temporal.failing_tasks import acknowledgement, failing_task
from gateway.desk.engine.temporal.session_executions import (
    ANSWER_TIMEOUT,
    newest_execution,
    writer_at_work,
    writers_at_work,
)
from gateway.desk.engine.temporal.steps_under_way import arriving, retried
from penwright.agents.digests import json_digest
from penwright.agents.loop.outside import CONTINUES
from penwright.domain.book import identity as book_identity
from penwright.errors import NotFound, Refused
from penwright.roles.ink_writer.definition import INK_WRITER
from penwright.roles.ink_writer.role_call import is_of_a_session, run_id_of, session_of
from schemas.agent_run import (
    AgentRunInput,
    AgentRunResult,
    AgentRunState,
    CallApproval,
    CallDecision,
    OutsideAnswer,
    OutsideCall,
    RunQueues,
    StartChild,
)
from schemas.base import Progress
from workflows.agents.loop import AgentLoop
from workflows.options import TASK_TIMEOUT
from workflows.visibility import COST, PIPELINE, STAGE, SUBJECT, at_start

_PREFIX = run_of("")
_MOST_AT_WORK = 200
_TRIES = 100
_PAUSE_S = 0.1
"""A run has begun its new history after a moment, once no caller waits."""


class TemporalAgentRuns:
    """Implements ``AgentRuns``."""

    def __init__(self, client: Client, queue: str) -> None:
        self._client = client
        self._queue = queue

    async def start(self, given: AgentRunInput) -> bool:
        start = Progress(pipeline=WORK, subject=given.subject, stage="prepare", detail="")
        async with _translated(given.run_id):
            try:
                await self._client.start_workflow(
                    AgentLoop.run,
                    given,
                    id=run_of(given.run_id),
                    task_queue=self._queue,
                    task_timeout=TASK_TIMEOUT,
                    id_reuse_policy=WorkflowIDReusePolicy.REJECT_DUPLICATE,
                    static_summary=f"{given.agent} on {given.subject}",
                    search_attributes=at_start(start),
                    memo={"agent": given.agent, "request": _request(given)},
                )
            except WorkflowAlreadyStartedError:
                await self._same(given)
                return False
        return True

    async def _same(self, given: AgentRunInput) -> None:
        """``Refused`` unless the run of this id was started by the same request."""
        execution = await self._handle(given.run_id).describe(rpc_timeout=ANSWER_TIMEOUT)
        memo = await execution.memo()
        if memo.get("request") != _request(given):
            raise Refused(
                "run-id-taken",
                f"the id {given.run_id!r} is that of another run, of {memo.get('agent', 'an agent')!r}; "
                "nothing was started",
                hint="leave out --id, or choose another one; "
                f"`penwright run show {given.run_id}` shows the one that has it",
            )

    async def find(self, run_id: str) -> RunSummary:
        async with _translated(run_id):
            session = await writer_at_work(self._client, run_id) if is_of_a_session(run_id) else None
            if session is not None:
                return _writing(run_id, session)
            return await _found(await self._handle(run_id).describe(rpc_timeout=ANSWER_TIMEOUT))

    async def listed(
        self, *, subject: str = "", running: bool = False, limit: int = 20
    ) -> tuple[RunSummary, ...]:
        wanted = [f"{PIPELINE.name} = '{WORK}'", "ExecutionStatus != 'ContinuedAsNew'"]
        wanted += [f"{SUBJECT.name} = '{_quoted(subject)}'"] if subject else []
        wanted += ["ExecutionStatus = 'Running'"] if running else []
        found: list[RunSummary] = []
        async with _translated(""):
            async for execution in self._client.list_workflows(" AND ".join(wanted)):
                if not execution.parent_id:
                    found.append(await _found(execution))
                if len(found) == limit:
                    break
            found += [
                _writing(run_id_of(given), each)
                async for given, each in writers_at_work(self._client, _quoted(subject))
            ]
        return tuple(sorted(found, key=lambda each: each.started_at, reverse=True)[:limit])

    async def at_work(self) -> tuple[RunSummary, ...]:
        wanted = f"{PIPELINE.name} = '{WORK}' AND ExecutionStatus = 'Running'"
        async with _translated(""):
            listed = self._client.list_workflows(wanted, limit=_MOST_AT_WORK)
            return tuple([await _found(execution) async for execution in listed])

    async def progress(self, run_id: str) -> Progress:
        async with _translated(run_id):
            told = await self._handle(run_id).query(AgentLoop.progress, rpc_timeout=ANSWER_TIMEOUT)
            if told.ended:
                return told
            found = await described(self._client, run_of(run_id))
            return await arriving(retried(told, found), found, self._client.data_converter)

    async def state(self, run_id: str) -> AgentRunState:
        async with _translated(run_id):
            return await self._handle(run_id).query(AgentLoop.state, rpc_timeout=ANSWER_TIMEOUT)

    async def failing(self, run_id: str) -> str:
        async with _translated(run_id):
            return await failing_task(self._client, run_of(run_id))

    async def waiting(self, run_id: str) -> Waiting | None:
        if not (await self.find(run_id)).runs:
            return None
        state = await self.state(run_id)
        if state.approval is not None and state.decision is None:
            return Waiting(run_id, state.approval)
        for order in state.batch:
            if isinstance(order, StartChild) and (below := await self._waiting_below(order.given.run_id)):
                return below
        return None

    async def _waiting_below(self, run_id: str) -> Waiting | None:
        try:
            return await self.waiting(run_id)
        except NotFound:
            return None  # it is about to be started

    async def result(self, run_id: str) -> AgentRunResult:
        async with _translated(run_id):
            return await ended(self._handle(run_id), AgentRunResult)

    async def decide(self, run_id: str, decision: CallDecision) -> CallApproval:
        async with _translated(run_id):
            return await self._handle(run_id).execute_update(
                AgentLoop.decide_call, decision, rpc_timeout=ANSWER_TIMEOUT
            )

    async def call_tool(self, run_id: str, call: OutsideCall) -> OutsideAnswer:
        handle = self._handle(run_id)
        for left in reversed(range(_TRIES)):
            try:
                async with translated(lambda: _over(run_id), thing="run"):
                    return await handle.execute_update(AgentLoop.call_tool, call, id=call.id)
            except Refused as refused:
                if refused.code != CONTINUES or not left:
                    raise
            await asyncio.sleep(_PAUSE_S)
        raise AssertionError("the last attempt returns or raises")

    async def signal(self, run_id: str, message: Message) -> Acknowledgement:
        handle = self._handle(run_id)
        async with _translated(run_id):
            await send(handle, message)
        heard = await hears(handle) or not (await self.find(run_id)).runs
        return await acknowledgement(self._client, run_of(run_id), self._queue, heard=heard)

    async def segments(self, run_id: str) -> tuple[Segment, ...]:
        async with _translated(run_id):
            if not is_of_a_session(run_id):
                return tuple([segment async for segment in self._chain(run_of(run_id))])
            session = await newest_execution(self._client, run_id)
            book = book_identity.workflow_id(session_of(run_id)[0])
            return tuple([segment async for segment in self._chain(book, session)])

    async def _chain(self, workflow_id: str, newest: str = "") -> AsyncIterator[Segment]:
        """The segments of one run, and then those of the runs that it started; ``newest``: its last one."""
        own = [segment async for segment in self._back_from_newest(workflow_id, newest)]
        for segment in reversed(own):
            yield segment
        for child in [each for segment in reversed(own) for each in _children(segment)]:
            try:
                async for segment in self._chain(child):
                    yield segment
            except RPCError as error:
                if error.status != RPCStatusCode.NOT_FOUND:  # forgotten after its retention
                    raise

    async def _back_from_newest(self, workflow_id: str, newest: str) -> AsyncIterator[Segment]:
        newest = newest or await self._newest(workflow_id)
        execution: str = newest
        while execution:
            try:
                history = await self._client.get_workflow_handle(
                    workflow_id, run_id=execution
                ).fetch_history()
            except RPCError as error:
                # Temporal forgets a segment once its retention is over.
                if error.status != RPCStatusCode.NOT_FOUND or execution == newest:
                    raise
                return
            yield Segment(workflow_id, execution, await opened(history, self._client.data_converter))
            start = history.events[0].workflow_execution_started_event_attributes
            execution = start.continued_execution_run_id

    async def _newest(self, workflow_id: str) -> str:
        handle = self._client.get_workflow_handle(workflow_id)
        return (await handle.describe(rpc_timeout=ANSWER_TIMEOUT)).run_id

    def _handle(self, run_id: str) -> WorkflowHandle[AgentLoop, AgentRunResult]:
        return self._client.get_workflow_handle_for(AgentLoop.run, run_of(run_id))


def _children(segment: Segment) -> list[str]:
    """Workflow ids of the runs that were started in a segment."""
    started = "childWorkflowExecutionStartedEventAttributes"
    events = (event[started] for event in segment.history["events"] if started in event)
    return [event["workflowExecution"]["workflowId"] for event in events]


async def _found(execution: WorkflowExecution) -> RunSummary:
    # Any: values of Temporal's own table.
    memo: dict[str, Any] = dict(await execution.memo())
    known = execution.typed_search_attributes
    status = execution.status or WorkflowExecutionStatus.RUNNING
    return RunSummary(
        run_id=execution.id.removeprefix(_PREFIX),
        agent=str(memo.get("agent", "")),
        subject=known.get(SUBJECT) or "",
        # A run that continues as new is the same run.
        status="running" if status.name == "CONTINUED_AS_NEW" else status.name.lower(),
        stage=known.get(STAGE) or "",
        started_at=execution.start_time,
        ended_at=execution.close_time,
        cost_micros=known.get(COST) or 0,
        caller=(execution.parent_id or "").removeprefix(_PREFIX),
    )


def _writing(run_id: str, execution: WorkflowExecution) -> RunSummary:
    """The run of a session's writer, which is at work."""
    known = execution.typed_search_attributes
    return RunSummary(
        run_id=run_id,
        agent=INK_WRITER.name,
        subject=session_of(run_id)[0],
        status="running",
        stage="paused" if known.get(STAGE) == "paused" else "work",
        started_at=execution.start_time,
        ended_at=None,
        cost_micros=known.get(COST) or 0,
    )


def _request(given: AgentRunInput) -> str:
    """Fingerprint of what is asked; by when, and whose queues do it, is no part of it."""
    limits = given.limits.model_copy(update={"deadline": None})
    asked = given.model_copy(update={"limits": limits, "queues": RunQueues()})
    # Without defaults, so that a field that a newer program adds changes nothing.
    plain: JsonValue = asked.model_dump(mode="json", exclude_defaults=True)
    return json_digest(plain)


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")


def _translated(run_id: str) -> AbstractAsyncContextManager[None]:
    def missing() -> NotFound:
        return NotFound(
            "unknown-run",
            f"there is no run {run_id!r}",
            hint=_steered_by_session(run_id)
            if is_of_a_session(run_id)
            else "`penwright run list` shows the runs; Temporal forgets them after its retention",
        )

    return translated(missing, thing="run")


def _steered_by_session(run_id: str) -> str:
    book_id, _ = session_of(run_id)
    return (
        f"the writer of a session is part of it: `penwright book pause {book_id}`, `resume` and `kill` steer "
        f"it, `penwright run show {run_id}`, `transcript` and `bundle` tell of it"
    )


def _over(run_id: str) -> Refused:
    return Refused(
        "run-ended",
        f"the run {run_id!r} is over; the call was not made",
        hint=f"`penwright run show {run_id}` shows how it ended",
    )
