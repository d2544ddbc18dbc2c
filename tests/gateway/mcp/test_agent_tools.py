"""An agent's definition served over the protocol: tools, policies, approvals and state of one run."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.client.client import ConnectMode
from mcp.client.session import ElicitationFnT
from mcp_types import CallToolResult, ElicitRequestParams, ElicitResult, Implementation
from mcp_types.version import LATEST_PROTOCOL_VERSION
from temporalio.testing import WorkflowEnvironment

from gateway.desk.agents.runs import RunRequest, ShownCall, decide
from gateway.desk.agents.tools import AgentToolService
from gateway.mcp.agent_offer import AgentOffer
from gateway.mcp.server import ToolServer
from penwright.errors import NotFound, UsageMistake
from schemas.agent_run import RunLimits
from tests.support.gateway.agent_services import LibraryServices
from tests.support.gateway.services import StageServices
from tests.support.workflows.librarian import Library, library

pytestmark = pytest.mark.server


def request(agent: str = "test/librarian", run_id: str = "") -> RunRequest:
    limits = RunLimits()
    return RunRequest(
        agent=agent, task="", params={}, flags={}, limits=limits, subject="shelf", run_id=run_id
    )


class Present(LibraryServices):
    """Services in the present: a run's time is limited, and Temporal's clock is no stage's."""

    def now(self) -> datetime:
        return datetime.now(UTC)


@asynccontextmanager
async def served(
    here: Library, run_id: str, asks: ElicitationFnT | None = None, mode: ConnectMode = "auto"
) -> AsyncIterator[Client]:
    """A client of a server of its own, which knows nothing but the id of the run."""
    services = Present(here, {"PENWRIGHT_CONFIG": ""})
    desk = AgentToolService(services, request(run_id=run_id), timedelta(minutes=5))
    server = ToolServer(desk, AgentOffer(desk), peer="pipe", approver=desk)
    codex = Implementation(name="codex", version="1.0")
    try:
        async with Client(server.protocol, client_info=codex, mode=mode, elicitation_callback=asks) as client:
            yield client
    finally:
        await desk.close()


# Any: JSON.
def content(result: CallToolResult, *, failed: bool = False) -> Any:
    assert result.is_error is failed, result.structured_content
    return result.structured_content


async def test_an_outside_harness_works_under_the_agents_policies_and_a_later_server_goes_on(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with library(temporal_env.client, tmp_path, pages={"a": "old"}) as here:
        run_id = f"mcp-{here.queue[:8]}"
        async with served(here, run_id) as client:
            offered = {tool.name: tool for tool in (await client.list_tools()).tools}
            idle = content(await client.call_tool("run_status", {}))
            unread = await client.call_tool("write_page", {"path": "a", "text": "new"})
            wrong = await client.call_tool("read_page", {"page": "a"})
            unknown = await client.call_tool("burn_page", {"path": "a"})
            read = content(await client.call_tool("read_page", {"path": "a"}))
        async with served(here, run_id) as client:
            written = content(await client.call_tool("write_page", {"path": "a", "text": "new"}))
            busy = content(await client.call_tool("run_status", {}))
            ending = content(await client.call_tool("final_answer", {"answer": "All is kept."}))
            late = await client.call_tool("read_page", {"path": "a"})
            over = content(await client.call_tool("run_status", {}))
        transcript = here.transcript(run_id)

    assert set(offered) == {
        "read_page",
        "write_page",
        "send_letter",
        "ask_clerk",
        "final_answer",
        "run_status",
    }
    assert offered["read_page"].annotations is not None
    assert offered["read_page"].annotations.read_only_hint
    assert idle["status"] == "begins with the first call"
    assert "Keep the pages." in idle["instructions"]
    assert content(unread, failed=True)["error_code"] == "STALE"
    assert content(wrong, failed=True)["error_code"] == "INVALID_ARGUMENTS"
    assert content(unknown, failed=True)["error_code"] == "UNKNOWN_TOOL"
    assert (read["call"], read["text"]) == (4, "old")
    assert written["commit"] == "commit-1"
    assert here.shelf.pages["a"] == "new"
    assert [each["tool"] for each in busy["newest_calls"]][-2:] == ["read_page", "write_page"]
    assert ending["ended"] == "completed"
    assert content(late, failed=True)["error_code"] == "RUN_ENDED"
    assert (over["status"], over["outcome"]) == ("completed", "completed")
    assert {entry.data["who"] for entry in transcript if entry.kind == "call-received"} == {"codex 1.0"}


async def test_a_call_that_needs_approval_waits_for_a_person(
    temporal_env: WorkflowEnvironment, tmp_path: Path
) -> None:
    async with library(temporal_env.client, tmp_path) as here, served(here, "") as client:
        letter = {"path": "ada", "text": "Hello."}
        sending = asyncio.create_task(client.call_tool("send_letter", letter))
        waits = await here.until_notified()
        status = content(await client.call_tool("run_status", {}))
        services = LibraryServices(here, {"PENWRIGHT_CONFIG": ""})
        assert here.shelf.pages == {}
        await decide(services, status["run"], "denied", shown=ShownCall(waits["id"]), reason="Not today.")
        denied = await sending
        sending = asyncio.create_task(client.call_tool("send_letter", letter))
        waits = await here.until_notified()
        await decide(services, status["run"], "approved", shown=ShownCall(waits["id"]))
        sent = content(await sending)
        await client.call_tool("final_answer", {"answer": "Sent."})

    assert status["waits_for_a_person"]["tool"] == "send_letter"
    refused = content(denied, failed=True)
    assert (refused["error_code"], "Not today." in refused["message"]) == ("APPROVAL_DENIED", True)
    assert "do not make the call again" in refused["action_hint"]
    assert sent["text"] == "sent to ada"
    assert here.shelf.pages == {"letters/ada": "Hello."}


@pytest.mark.parametrize("mode", ["legacy", LATEST_PROTOCOL_VERSION])
@pytest.mark.parametrize(
    ("answer", "sent"),
    [
        (ElicitResult(action="accept", content={"allow": True}), True),
        (ElicitResult(action="accept", content={"allow": False}), False),
        (ElicitResult(action="decline"), False),
    ],
    ids=["allowed", "not-allowed", "declined"],
)
async def test_a_client_that_can_ask_puts_the_question_to_its_person(
    temporal_env: WorkflowEnvironment, tmp_path: Path, answer: ElicitResult, sent: bool, mode: ConnectMode
) -> None:
    asked: list[str] = []

    async def ask(context: object, params: ElicitRequestParams) -> ElicitResult:
        asked.append(params.message)
        return answer

    async with library(temporal_env.client, tmp_path) as here, served(here, "", ask, mode) as client:
        result = await client.call_tool("send_letter", {"path": "ada", "text": "Hello."})

    assert len(asked) == 1
    assert "send_letter" in asked[0]
    assert "Hello." in asked[0]
    assert (not result.is_error, here.shelf.pages == {"letters/ada": "Hello."}) == (sent, sent)


@pytest.mark.parametrize("mode", ["legacy", LATEST_PROTOCOL_VERSION])
async def test_a_question_that_is_dismissed_leaves_the_call_waiting(
    temporal_env: WorkflowEnvironment, tmp_path: Path, mode: ConnectMode
) -> None:
    dismissed = asyncio.Event()

    async def ask(context: object, params: ElicitRequestParams) -> ElicitResult:
        dismissed.set()
        return ElicitResult(action="cancel")

    async with library(temporal_env.client, tmp_path) as here, served(here, "", ask, mode) as client:
        sending = asyncio.create_task(client.call_tool("send_letter", {"path": "ada", "text": "Hello."}))
        waits = await here.until_notified()
        await asyncio.wait_for(dismissed.wait(), 30)
        status = content(await client.call_tool("run_status", {}))
        services = LibraryServices(here, {"PENWRIGHT_CONFIG": ""})
        await decide(services, status["run"], "approved", shown=ShownCall(waits["id"]))
        sent = content(await sending)

    assert status["waits_for_a_person"]["tool"] == "send_letter"
    assert sent["text"] == "sent to ada"


def test_an_unknown_agent_is_refused_with_the_list_of_agents() -> None:
    with pytest.raises(NotFound) as unknown:
        AgentToolService(StageServices(), request("ink/edtor"), timedelta(minutes=5))

    assert unknown.value.code == "unknown-agent"
    assert "'ink/editor'" in unknown.value.message
    assert "ink/editor" in unknown.value.details["hint"]
    assert "manuscript/critic" in unknown.value.details["hint"]


def test_an_agent_whose_answers_its_pipeline_reads_is_not_served() -> None:
    with pytest.raises(UsageMistake) as refused:
        AgentToolService(StageServices(), request("manuscript/critic"), timedelta(minutes=5))

    assert refused.value.code == "agent-not-for-outside"
    assert "part of a pipeline" in refused.value.message
    assert "ink/editor" in refused.value.details["hint"]
    assert "manuscript/critic" not in refused.value.details["hint"]


async def test_without_an_engine_the_tools_are_listed_and_calls_say_so() -> None:
    services = StageServices()
    services.runs = False
    desk = AgentToolService(services, request("ink/editor"), timedelta(minutes=5))
    async with Client(ToolServer(desk, AgentOffer(desk), peer="pipe").protocol) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        refused = content(await client.call_tool("read_material", {"path": "Soul.md"}), failed=True)

    assert "select_active_intent" in names
    assert "write_to_file" in names
    assert refused["error_type"] == "UNAVAILABLE"
