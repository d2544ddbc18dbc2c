"""Executions of a book's workflow id: the one of a session, and those in which a writer works."""

from collections.abc import AsyncIterator
from datetime import timedelta

from temporalio.client import Client, WorkflowExecution, WorkflowHandle
from temporalio.service import RPCError, RPCStatusCode

from penwright.domain.book.identity import workflow_id
from penwright.errors import NotFound
from penwright.roles.ink_writer.role_call import run_id_of, session_of
from schemas.base import BookId
from schemas.book_session import BookSessionInput

ANSWER_TIMEOUT = timedelta(seconds=5)
_SESSION = "BookSession"


async def newest_execution(client: Client, run_id: str) -> str:
    """Temporal's id of the newest history of the session whose writer's run is ``run_id``.

    Raises:
        NotFound: ``unknown-run``, for one that never was or is forgotten.
    """
    book_id, session = session_of(run_id)
    async for execution in _executions(client, workflow_id(book_id)):
        given = await _given_to(client, execution.id, execution.run_id)
        if given is not None and given.session == session:
            return execution.run_id
    raise NotFound(
        "unknown-run",
        f"the engine knows no session {session!r} of {book_id!r}",
        hint=f"`penwright book log {book_id}` lists the sessions; Temporal forgets their histories after its "
        f"retention, `penwright run transcript {run_id}` tells what the store kept",
    )


async def writers_at_work(
    client: Client, subject: str = ""
) -> AsyncIterator[tuple[BookSessionInput, WorkflowExecution]]:
    """Running sessions whose writer's run has begun and not ended, newest first; works without a worker.

    Args:
        subject: only those of this book.
    """
    which = f" AND WorkflowId = '{workflow_id(BookId(subject))}'" if subject else ""
    running = f"WorkflowType = '{_SESSION}' AND ExecutionStatus = 'Running'{which}"
    async for execution in client.list_workflows(running):
        given = await _given_to(client, execution.id, execution.run_id)
        if given is not None and given.writer == "built-in" and await _writes(client, execution):
            yield given, execution


async def writer_at_work(client: Client, run_id: str) -> WorkflowExecution | None:
    """The session in which the run works now; None once it has ended, or if it never began."""
    execution = await _newest(client, workflow_id(session_of(run_id)[0]))
    if execution is None or execution.workflow_type != _SESSION or execution.close_time is not None:
        return None
    given = await _given_to(client, execution.id, execution.run_id)
    ours = given is not None and run_id_of(given) == run_id
    return execution if ours and await _writes(client, execution) else None


async def _writes(client: Client, execution: WorkflowExecution) -> bool:
    handle: WorkflowHandle[object, object] = client.get_workflow_handle(execution.id, run_id=execution.run_id)
    asked = set()
    try:
        async for event in handle.fetch_history_events():
            asked.add(event.activity_task_scheduled_event_attributes.activity_type.name)
    except RPCError as error:
        if error.status != RPCStatusCode.NOT_FOUND:  # deleted since it was listed
            raise
    return "prepare_run" in asked and "end_run" not in asked


async def _given_to(client: Client, workflow: str, execution: str) -> BookSessionInput | None:
    """Read the input of a session; None once its history is gone."""
    handle: WorkflowHandle[object, object] = client.get_workflow_handle(workflow, run_id=execution)
    try:
        # Its first event alone: a history may be long.
        async for event in handle.fetch_history_events(page_size=1):
            payloads = event.workflow_execution_started_event_attributes.input.payloads
            (given,) = await client.data_converter.decode(payloads, [BookSessionInput])
            return BookSessionInput.model_validate(given)
    except RPCError as error:
        if error.status != RPCStatusCode.NOT_FOUND:
            raise
    return None


async def _executions(client: Client, workflow: str) -> AsyncIterator[WorkflowExecution]:
    """A book's sessions, newest first; the newest is asked for by name, for lists are a little late."""
    newest = await _newest(client, workflow)
    if newest is None:
        return
    if newest.workflow_type == _SESSION:
        yield newest
    async for execution in client.list_workflows(
        f"WorkflowId = '{workflow}' AND WorkflowType = '{_SESSION}'"
    ):
        if execution.run_id != newest.run_id:
            yield execution


async def _newest(client: Client, workflow: str) -> WorkflowExecution | None:
    try:
        return await client.get_workflow_handle(workflow).describe(rpc_timeout=ANSWER_TIMEOUT)
    except RPCError as error:
        if error.status != RPCStatusCode.NOT_FOUND:
            raise
        return None
