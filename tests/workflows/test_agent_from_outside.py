"""An agent whose calls come from an outside harness: the same rules, state, approvals and records."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from temporalio.client import WorkflowHandle, WorkflowUpdateFailedError, WorkflowUpdateStage
from temporalio.testing import WorkflowEnvironment

from penwright.agents.definition.output import FINAL_ANSWER
from penwright.agents.loop.outside import CONTINUES
from schemas.agent_run import AgentRunResult, CallDecision, OutsideAnswer, OutsideCall, RunLimits
from schemas.control import KillRequest
from tests.support.workflows.librarian import Library, library, says
from workers.failures import as_error
from workflows.agents.loop import AgentLoop

Handle = WorkflowHandle[AgentLoop, AgentRunResult]
_ACCEPTED = WorkflowUpdateStage.ACCEPTED


# Any: arguments of any tool.
def call(tool: str, **arguments: Any) -> OutsideCall:
    return OutsideCall(id=uuid4().hex, tool=tool, arguments=json.dumps(arguments), who="codex 1.0")


async def asked(handle: Handle, tool: str, **arguments: Any) -> OutsideAnswer:
    """The answer to a call, as clients get it: sent again while the run continues as new."""
    while True:
        try:
            return await handle.execute_update(AgentLoop.call_tool, call(tool, **arguments))
        except WorkflowUpdateFailedError as failure:
            error = as_error(failure)
            if error is None or error.code != CONTINUES:
                raise


async def begun(here: Library, **changes: Any) -> Handle:
    return await here.start(here.given(outside=True, **changes))


async def test_calls_go_through_the_agents_policies_and_its_state_lasts(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with library(temporal_env.client, tmp_path, pages={"a": "old"}) as here:
        handle = await begun(here)
        unread = await asked(handle, "write_page", path="a", text="new")
        read = await asked(handle, "read_page", path="a")
        written = await asked(handle, "write_page", path="a", text="new")
        unknown = await asked(handle, "burn_page", path="a")
        answer = await asked(handle, FINAL_ANSWER, answer="All is kept.")
        result = await handle.result()

    assert (unread.kind, here.shelf.pages) == ("stale", {"a": "new"})
    assert (read.kind, read.text_at is not None) == ("succeeded", True)
    assert (written.kind, written.commit) == ("succeeded", "commit-1")
    assert unknown.kind == "unknown-tool"
    assert (answer.kind, answer.ended) == ("succeeded", "completed")
    assert (result.outcome, result.output, result.tool_calls) == ("completed", "All is kept.", 5)
    assert result.spent.model_calls == 0


async def test_every_call_is_in_the_messages_and_the_transcript(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with library(temporal_env.client, tmp_path, pages={"a": "old"}) as here:
        handle = await begun(here)
        await asked(handle, "read_page", path="a")
        await asked(handle, FINAL_ANSWER, answer="Done.")
        result = await handle.result()
        assert result.head is not None
        messages = here.store.messages.messages(result.head)
        entries = here.transcript()

    # The result names the chain before its last messages, which the last step stores.
    assert [message.role for message in messages] == ["user", "assistant", "tool"]
    assert messages[2].content == "old"
    kinds = [entry.kind for entry in entries]
    assert kinds.count("call-received") == 2
    assert [entry.data["who"] for entry in entries if entry.kind == "call-received"] == ["codex 1.0"] * 2
    assert kinds[-1] == "run-ended"


async def test_an_external_call_waits_for_a_person_and_is_made_once(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with library(temporal_env.client, tmp_path) as here:
        handle = await begun(here)
        sending = await handle.start_update(
            AgentLoop.call_tool, call("send_letter", path="ada", text="Hello."), wait_for_stage=_ACCEPTED
        )
        request = await here.until_notified()
        assert here.shelf.pages == {}
        yes = CallDecision(
            approval=request["id"], digest=request["digest"], decided="approved", by="a person"
        )
        await handle.execute_update(AgentLoop.decide_call, yes)
        sent = await sending.result()
        await handle.signal(AgentLoop.kill, KillRequest(who="ada", reason="enough"))
        await handle.result()

    assert sent.kind == "succeeded"
    assert here.shelf.pages == {"letters/ada": "Hello."}


async def test_a_killed_run_answers_what_waits_and_takes_no_more(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with library(temporal_env.client, tmp_path) as here:
        handle = await begun(here)
        letter = call("send_letter", path="ada", text="Hello.")
        sending = await handle.start_update(AgentLoop.call_tool, letter, wait_for_stage=_ACCEPTED)
        await here.until_notified()
        await handle.signal(AgentLoop.kill, KillRequest(who="ada", reason="enough"))
        cut = await sending.result()
        result = await handle.result()

    assert (cut.kind, cut.ended) == ("cancelled", "cancelled")
    assert (result.outcome, here.shelf.pages) == ("cancelled", {})


async def test_a_run_whose_time_is_over_ends_without_last_words(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    limits = RunLimits(deadline=datetime.now(UTC) + timedelta(seconds=1), last_turn_s=0)
    async with library(temporal_env.client, tmp_path) as here:
        result = await (await begun(here, limits=limits)).result()

    assert (result.outcome, result.spent.model_calls) == ("deadline", 0)


async def test_the_run_continues_as_new_between_calls_and_keeps_its_state(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with library(temporal_env.client, tmp_path, pages={"a": "old"}) as here:
        handle = await begun(here, limits=RunLimits(segment_steps=2))
        await asked(handle, "read_page", path="a")
        for number in range(3):
            await asked(handle, "read_page", path=f"none-{number}")
        written = await asked(handle, "write_page", path="a", text="new")
        await asked(handle, FINAL_ANSWER, answer="Done.")
        result = await handle.result()
        first = (await handle.describe()).run_id

    assert written.kind == "succeeded", "the page counts as read, four segments later"
    assert (result.outcome, result.tool_calls) == ("completed", 6)
    assert first != handle.first_execution_run_id


async def test_a_run_in_which_a_model_thinks_takes_no_calls(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with library(temporal_env.client, tmp_path, says("Done.")) as here:
        handle = await here.start()
        await handle.signal(AgentLoop.pause)
        with pytest.raises(WorkflowUpdateFailedError) as refused:
            await asked(handle, "read_page", path="a")
        await handle.signal(AgentLoop.resume)
        await here.until_ended()

    error = as_error(refused.value)
    assert error is not None
    assert error.code in ("run-not-outside", "run-ended")


async def test_an_empty_answer_is_asked_for_again(temporal_env: WorkflowEnvironment, tmp_path: Path) -> None:
    async with library(temporal_env.client, tmp_path) as here:
        handle = await begun(here)
        empty = await asked(handle, FINAL_ANSWER, answer="  ")
        answer = await asked(handle, FINAL_ANSWER, answer="Done.")
        result = await handle.result()

    assert (empty.kind, empty.code, empty.ended) == ("invalid-arguments", "empty-reply", None)
    assert answer.ended == "completed"
    assert result.output == "Done."
