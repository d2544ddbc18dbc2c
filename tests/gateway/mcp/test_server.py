"""The book tools over the protocol, to the client's very session, with everything real but Temporal."""

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import CallToolResult, Implementation
from typer.main import get_command

from gateway.cli.book.init import init_book
from gateway.cli.output import run
from gateway.cli.program import app
from gateway.desk.book.book_tools import BookToolService
from gateway.mcp.http import serve_http
from gateway.mcp.keyed_locks import KeyedLocks
from gateway.mcp.server import ToolServer
from penwright.domain.book.files.layout import REVIEW
from penwright.errors import UsageMistake
from schemas.control import KillRequest
from tests.gateway.cli.book.test_story import lay_story
from tests.support.gateway.services import StageServices, git_in

PROSE = "The tide went out. " * 10
ERAS = ("legacy", "auto")


@dataclass
class Stage:
    """A book, its server, and one client of it."""

    services: StageServices
    place: Path
    client: Client

    async def call(self, tool: str, **arguments: object) -> Any:  # Any: JSON
        """The result of a call; it must succeed."""
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.structured_content
        return result.structured_content

    async def refused(self, tool: str, **arguments: object) -> Any:  # Any: JSON
        """The denial a call answers."""
        result: CallToolResult = await self.client.call_tool(tool, arguments)
        assert result.is_error, result.structured_content
        return result.structured_content

    async def opened(self) -> str:
        """A session with its intent selected."""
        session: str = (await self.call("open_session"))["session"]
        await self.call("select_active_intent", session=session, intent_id="INT-001")
        return session


@asynccontextmanager
async def stage(
    place: Path, era: str = "auto", services: StageServices | None = None
) -> AsyncIterator[Stage]:
    if services is None:
        services = StageServices()
        init_book(services, place, {"title": "Low Tide"}, ask=False)
    desk = BookToolService(services, str(place))
    known = Implementation(name="claude-code", version="2.1")
    async with Client(ToolServer(desk, peer="pipe").protocol, mode=era, client_info=known) as client:
        yield Stage(services, place, client)
    await desk.close()


@pytest.mark.parametrize("era", ERAS)
async def test_a_book_is_written_through_the_tools(tmp_path: Path, era: str) -> None:
    async with stage(tmp_path / "tide", era) as on:
        session = await on.opened()
        closed = await on.call("deliver_prose", session=session, prose=PROSE, summary="The tide goes out.")

    assert (closed["session_word_count"], closed["repeated"]) == (40, False)
    assert closed["commit"] == git_in(on.place, "rev-parse", "HEAD")
    body = git_in(on.place, "log", "-1", "--format=%B")
    assert "Penwright-Agent: claude-code 2.1" in body
    assert "Penwright-Intent: INT-001" in body
    assert PROSE.strip() in (on.place / REVIEW).read_text()


async def test_tools_declare_their_arguments_and_read_only_hints(tmp_path: Path) -> None:
    async with stage(tmp_path / "tide") as on:
        offered = {tool.name: tool for tool in (await on.client.list_tools()).tools}
        instructions = on.client.instructions or ""

    reads = {name for name, tool in offered.items() if tool.annotations and tool.annotations.read_only_hint}
    story = {"read_story", "read_facts", "read_threads", "read_brief", "read_contradictions"}
    assert reads == {"read_chapter", "read_material", "search_book", "session_status", *story}
    assert offered["read_chapter"].input_schema["required"] == ["number"]
    assert "select_active_intent" in instructions


async def test_what_the_clerk_has_read_is_told(tmp_path: Path) -> None:
    async with stage(tmp_path / "tide") as on:
        lay_story(on.place)
        story = await on.call("read_story", chapter=2)
        facts = await on.call("read_facts", about="the keeper", most=1)
        threads = await on.call("read_threads")
        brief = await on.call("read_brief")
        found = await on.call("read_contradictions")
        unknown = await on.refused("read_facts", about="Nobody")

    assert [each["summaries"] for each in story["chapters"]] == [["Mara goes on."]]
    assert [each["value"] for each in facts["entities"][0]["facts"]] == ["grey", "green"]
    assert [each["name"] for each in threads["threads"]] == ["the ledger"]
    assert brief["text"].startswith("## Story so far")
    assert [each["rule"] for each in found["contradictions"]] == ["one-value"]
    assert unknown["error_code"] == "NOT_IN_STORY"


async def test_the_same_client_gets_its_session_back_and_another_does_not(tmp_path: Path) -> None:
    async with stage(tmp_path / "tide") as on:
        first = await on.call("open_session")
        again = await on.call("open_session")
        keyed = await on.refused("open_session", retry_key="mine")
        status = await on.call("session_status", session="guess")

    assert first["session"] == again["session"]
    assert keyed["error_code"] == "ALREADY_RUNNING"
    assert "claude-code 2.1" in keyed["message"]
    assert first["session"] not in str(keyed) + str(status)


async def test_a_text_above_the_size_limit_is_refused(tmp_path: Path) -> None:
    place = tmp_path / "tide"
    services = StageServices()
    init_book(services, place, {"title": "Low Tide"}, ask=False)
    (place / "Global Material/Lore.md").write_text("Salt. " * 20_000)

    async with stage(place, services=services) as on:
        opened = await on.call("open_session")
        page = await on.call("read_material", path=opened["left_out"][0]["path"], offset=119_990)

    assert opened["left_out"] == [{"path": "Global Material/Lore.md", "characters": 120_000}]
    assert "Salt. Salt." not in str(opened)
    assert (page["text"], page["next_offset"]) == ("lt. Salt. ", None)


async def test_reading_works_while_the_engine_is_down(tmp_path: Path) -> None:
    async with stage(tmp_path / "tide") as on:
        on.services.runs = False
        down = await on.refused("open_session")
        read = await on.call("read_chapter", number=1)
        on.services.runs = True
        await on.call("open_session")

    assert (down["error_type"], down["error_code"]) == ("UNAVAILABLE", "ENGINE_NOT_RUNNING")
    assert down["recoverable"] is True
    assert "penwright up" in down["action_hint"]
    assert read["path"].endswith("Chapter_01.md")


async def test_a_fault_of_our_own_is_an_answer_too(tmp_path: Path) -> None:
    async with stage(tmp_path / "tide") as on:
        on.services.pipelines = None  # type: ignore[assignment]
        fault = await on.refused("open_session")

    assert (fault["error_type"], fault["error_code"], fault["recoverable"]) == (
        "FAILED",
        "INTERNAL_ERROR",
        False,
    )


async def test_a_killed_session_is_reported_and_the_next_one_opens(tmp_path: Path) -> None:
    async with stage(tmp_path / "tide") as on:
        session = await on.opened()
        book = on.services.book(on.place)
        await on.services.pipelines.signal(book.book_id, KillRequest(who="ada", reason="wrong chapter"))
        late = await on.refused("deliver_prose", session=session, prose=PROSE)
        await on.opened()

    assert late["error_code"] == "KILLED"
    assert "wrong chapter" in late["message"]
    assert "a person ended the session" in late["action_hint"]
    assert "tell the person" in late["action_hint"]


async def test_turns_are_taken_in_the_order_they_were_asked_for() -> None:
    turns, taken = KeyedLocks(), list[int]()

    async def take(number: int) -> None:
        async with turns.hold("same"):
            await asyncio.sleep(0)
            taken.append(number)

    await asyncio.gather(*(take(number) for number in range(5)))

    assert taken == [0, 1, 2, 3, 4]


async def test_a_port_that_is_taken_is_a_mistake_with_a_way_out(tmp_path: Path) -> None:
    server = ToolServer(BookToolService(StageServices(), str(tmp_path)))
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        held.listen()
        with pytest.raises(UsageMistake, match="cannot be had") as mistake:
            await serve_http(server, held.getsockname()[1])

    assert mistake.value.code == "port-taken"


def test_the_help_holds_the_client_configuration(capsys: pytest.CaptureFixture[str]) -> None:
    code = run(get_command(app), "penwright", ["mcp", "--help"])

    told = capsys.readouterr().out
    assert code == 0
    assert "claude mcp add tide -- penwright mcp" in told
    assert "[mcp_servers.tide]" in told
    configured = next(line for line in told.splitlines() if "mcpServers" in line)
    assert json.loads(configured)["mcpServers"]["tide"]["command"] == "penwright"


def test_a_folder_without_a_book_is_refused_before_serving(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(get_command(app), "penwright", ["mcp", str(tmp_path)], obj=StageServices())

    told = capsys.readouterr()
    assert (code, told.out) == (1, "")
    assert "error[" in told.err
