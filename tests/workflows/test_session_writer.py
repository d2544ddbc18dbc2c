"""The writer of a session as an agent: it looks things up, asks its session for changes, and delivers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

import pytest
from temporalio.client import WorkflowFailureError, WorkflowHandle
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from penwright.errors import BudgetSpent, Refused
from penwright.roles.ink_writer.role_call import MODEL_CALLS
from penwright.roles.ink_writer.tools import TOOL_CALLS
from schemas.agent import ToolCall
from schemas.agent_run import CallModel, EndRun, ModelAnswered
from schemas.base import BlobRef
from schemas.book_session import AdvanceChapter, BookSessionResult, CloseSession
from schemas.control import KillRequest
from schemas.prose import CraftReport, Finding
from tests.support.books.sessions import (
    EDITED,
    PAYLOAD,
    PROSE,
    a_brief,
    a_move,
    a_reply,
    a_selection,
    an_edit,
    an_opening,
    given,
)
from tests.support.workflows.fake_activities import FakeActivities
from workers.temporal_plugin import WORKFLOWS
from workflows.book_session import BookSession
from workflows.options import TASK_TIMEOUT

KILL = KillRequest(who="ada", reason="wrong chapter")
READ = ("read_chapter", '{"number": 1}')
SEARCH = ("search_book", '{"text": "lamp"}')
SELECT = ("select_active_intent", '{"intent_id": "INT-002"}')
ADVANCE = ("advance_chapter", "{}")
MOVED = BlobRef(sha256="e" * 64, size=10)


def turn(*made: tuple[str, str]) -> ModelAnswered:
    """A turn of the model in which it calls tools."""
    calls = (ToolCall(id=f"c{n}", name=name, arguments=text) for n, (name, text) in enumerate(made))
    return ModelAnswered(head=a_reply().head, calls=tuple(calls), finish_reason="tool")


@asynccontextmanager
async def session(
    env: WorkflowEnvironment, fakes: FakeActivities
) -> AsyncIterator[WorkflowHandle[BookSession, BookSessionResult]]:
    queue = f"q-{uuid4().hex[:8]}"
    async with Worker(env.client, task_queue=queue, workflows=WORKFLOWS, activities=fakes.all()):
        yield await env.client.start_workflow(
            BookSession.run,
            given(book_id=queue, repo_queue=queue, model_queue=queue),
            id=f"book/{queue}",
            task_queue=queue,
            task_timeout=TASK_TIMEOUT,
        )


def told(fakes: FakeActivities) -> list[str]:
    """The results of the model's calls, in order; results stored by reference are empty here."""
    new = [each for order in fakes.orders if isinstance(order, CallModel) for each in order.new]
    return [each.message.content for each in new if each.message.role == "tool"]


def ending(fakes: FakeActivities) -> EndRun:
    (order,) = [order for order in fakes.orders if isinstance(order, EndRun)]
    return order


async def test_a_writer_reads_searches_selects_advances_and_delivers(
    temporal_env: WorkflowEnvironment,
) -> None:
    turns = [turn(READ, SEARCH), turn(SELECT), turn(ADVANCE), a_reply()]
    fakes = FakeActivities(call_model=turns, advance_chapter=a_move(payload=MOVED))

    async with session(temporal_env, fakes) as running:
        result = await running.result()

    steps = [name for name in fakes.asked if name not in ("call_model", "open_session", "brief_writer")]
    assert steps == [
        *("prepare_run", "carry_out", "carry_out", "select_intent", "advance_chapter"),
        *("end_run", "close_session", "push_book", "end_session"),
    ]
    (moving,) = [order for order in fakes.orders if isinstance(order, AdvanceChapter)]
    (closing,) = [order for order in fakes.orders if isinstance(order, CloseSession)]
    assert moving.effect.op_id == f"{running.id}/s/call/4"
    assert moving.payload == PAYLOAD
    assert closing.pin is not None
    assert closing.pin.intent_id == "INT-002"
    assert result.outcome == "closed"
    assert ending(fakes).result.tool_calls == 4


async def test_the_writer_changes_nothing_before_it_selects_an_intent(
    temporal_env: WorkflowEnvironment,
) -> None:
    fakes = FakeActivities(call_model=[turn(ADVANCE), a_reply()])

    async with session(temporal_env, fakes) as running:
        result = await running.result()

    assert "advance_chapter" not in fakes.asked
    assert told(fakes)[0].startswith("No intent is selected")
    assert result.outcome == "closed"


async def test_a_rule_denial_is_a_tool_result_and_the_session_continues(
    temporal_env: WorkflowEnvironment,
) -> None:
    no = Refused("intent-unknown", "there is no 'INT-002'", error_type="INTENT_UNKNOWN")
    early = a_move(report=a_move().report.model_copy(update={"status": "chapter_not_ready"}), commit=None)
    fakes = FakeActivities(
        call_model=[turn(SELECT), turn(SELECT), turn(ADVANCE), a_reply()],
        select_intent=[no, a_selection("INT-002")],
        advance_chapter=early,
    )

    async with session(temporal_env, fakes) as running:
        result = await running.result()

    assert '"error_type": "INTENT_UNKNOWN"' in told(fakes)[0]
    assert '"action_hint"' in told(fakes)[0]
    assert '"error_code": "CHAPTER_NOT_READY"' in told(fakes)[2]
    assert result.outcome == "closed"


async def test_invalid_calls_are_answered_within_the_budget(
    temporal_env: WorkflowEnvironment,
) -> None:
    odd = turn(("burn_book", "{}"), ("read_chapter", '{"number": "one"}'), ("search_book", "{"), *[READ] * 10)
    fakes = FakeActivities(call_model=[odd, turn(*[READ] * 10), a_reply()])

    async with session(temporal_env, fakes) as running:
        result = await running.result()

    assert fakes.asked.count("carry_out") == TOOL_CALLS
    assert told(fakes)[0].startswith("There is no tool 'burn_book'.")
    assert len(told(fakes)) == 23
    assert result.outcome == "closed"


async def test_a_writer_that_never_stops_calling_is_stopped(temporal_env: WorkflowEnvironment) -> None:
    fakes = FakeActivities(call_model=turn(READ))

    async with session(temporal_env, fakes) as running:
        with pytest.raises(WorkflowFailureError) as failed:
            await running.result()
        history = await running.fetch_history()

    assert isinstance(failed.value.cause, ApplicationError)
    assert failed.value.cause.type == "model-calls-spent"
    assert fakes.asked.count("call_model") == MODEL_CALLS
    assert fakes.asked.count("carry_out") == TOOL_CALLS
    assert "release_book" in fakes.asked
    assert sum(event.ByteSize() for event in history.events) < 200_000


async def test_a_kill_interrupts_a_reading_tool(temporal_env: WorkflowEnvironment) -> None:
    fakes = FakeActivities(call_model=turn(READ), carry_out="hang")

    async with session(temporal_env, fakes) as running:
        await fakes.reached["carry_out"].wait()
        await running.signal(BookSession.kill, KILL)
        result = await running.result()
        fakes.let_go.set()

    assert (result.outcome, result.stopped_by) == ("stopped", "ada")
    assert fakes.asked[-4:] == ["end_run", "release_book", "push_book", "end_session"]
    assert ending(fakes).result.outcome == "cancelled"


async def test_a_kill_lets_a_writing_tool_finish(temporal_env: WorkflowEnvironment) -> None:
    fakes = FakeActivities(call_model=[turn(SELECT), turn(ADVANCE)], advance_chapter="hang")

    async with session(temporal_env, fakes) as running:
        await fakes.reached["advance_chapter"].wait()
        await running.signal(BookSession.kill, KILL)
        await running.query(BookSession.progress)
        fakes.let_go.set()
        result = await running.result()
        state = await running.query(BookSession.state)

    assert result.outcome == "stopped"
    assert len(state.advances) == 1
    assert ending(fakes).result.commit == "a1"


async def test_a_kill_keeps_prose_that_was_too_short(temporal_env: WorkflowEnvironment) -> None:
    fakes = FakeActivities(call_model=[a_reply(new_words=500), "hang"])

    async with session(temporal_env, fakes) as running:
        while fakes.asked.count("call_model") < 2:
            await running.query(BookSession.progress)
        await running.signal(BookSession.kill, KILL)
        result = await running.result()
        fakes.let_go.set()

    assert (result.outcome, result.report is not None) == ("stopped", True)
    assert "release_book" not in fakes.asked


async def test_a_budget_that_is_spent_at_the_mend_ends_the_session_with_the_draft_and_says_so(
    temporal_env: WorkflowEnvironment,
) -> None:
    found = Finding(rule="echo", quote="They met.", start=0, end=9, hard=True)
    draft = a_reply(craft=CraftReport(findings=(found,)), mends=True)
    spent = BudgetSpent("budget-spent", "This call would exceed the 'day' cap.")
    fakes = FakeActivities(call_model=[draft, spent])

    async with session(temporal_env, fakes) as running:
        await running.result()

    (closing,) = [order for order in fakes.orders if isinstance(order, CloseSession)]
    assert (closing.written.prose, closing.written.craft.findings) == (PROSE, (found,))
    assert "day" in closing.written.craft.unmended


EDITING = {
    "open_session": an_opening(index=PROSE),
    "brief_writer": a_brief().model_copy(update={"awaits_editor": True}),
}


async def closed_with(env: WorkflowEnvironment, fakes: FakeActivities) -> tuple[CloseSession, list[str]]:
    """The close of a session, and what was asked between its writer and it."""
    async with session(env, fakes) as running:
        result = await running.result()
    assert result.outcome == "closed"
    (closing,) = [order for order in fakes.orders if isinstance(order, CloseSession)]
    return closing, fakes.asked[fakes.asked.index("brief_editor") : fakes.asked.index("close_session")]


async def test_an_editor_reads_the_draft_before_it_is_closed(temporal_env: WorkflowEnvironment) -> None:
    fakes = FakeActivities(**EDITING, call_model=[a_reply(model="plain"), an_edit()])

    closing, asked = await closed_with(temporal_env, fakes)

    assert asked == ["brief_editor", "prepare_run", "call_model", "end_run"]
    assert (closing.written.prose, closing.written.model) == (EDITED, "plain, sharp")
    runs = [order.result.run_id.rpartition("/")[2] for order in fakes.orders if isinstance(order, EndRun)]
    assert runs == ["s", "editor"]


async def test_a_budget_that_is_spent_at_the_editor_ends_the_session_with_the_draft(
    temporal_env: WorkflowEnvironment,
) -> None:
    spent = BudgetSpent("budget-spent", "This call would exceed the 'day' cap.")
    fakes = FakeActivities(**EDITING, call_model=[a_reply(), spent])

    closing, _ = await closed_with(temporal_env, fakes)

    assert closing.written.prose == PROSE
    assert "day" in closing.written.craft.unedited


async def test_a_draft_stands_whose_editor_cannot_be_briefed(temporal_env: WorkflowEnvironment) -> None:
    fakes = FakeActivities(**EDITING, brief_editor=Refused("blob-not-found", "It is lost."))

    closing, asked = await closed_with(temporal_env, fakes)

    assert (closing.written.prose, closing.written.craft.unedited) == (PROSE, "It is lost.")
    assert asked == ["brief_editor"]
