"""The wire protocol: a process over stdin and stdout, and HTTP on this machine."""

import asyncio
import json
import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp import Client

from gateway.cli.book.init import init_book
from gateway.desk.book.book_tools import BookToolService
from gateway.mcp.http import LARGEST_BODY, address_of, listening_at, token_of, web_server
from gateway.mcp.server import ToolServer
from penwright.errors import UsageMistake
from tests.support.engine.shared import console_script
from tests.support.gateway.mcp_http import BEARER, TOKEN, known_client
from tests.support.gateway.services import StageServices

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "by-hand", "version": "1"},
    },
}
ACCEPT = {"accept": "application/json, text/event-stream"}
DEEP = "[" * 5000 + "]" * 5000


def _call(number: object, arguments: str, tool: str = "read_chapter") -> str:
    return (
        f'{{"jsonrpc":"2.0","id":{json.dumps(number)},"method":"tools/call",'
        f'"params":{{"name":"{tool}","arguments":{arguments}}}}}'
    )


@pytest.fixture
def book(tmp_path: Path) -> Path:
    place = tmp_path / "tide"
    init_book(StageServices(), place, {"title": "Low Tide"}, ask=False)
    return place


@pytest.fixture
def process(book: Path, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A server that has shaken hands; it has no engine, and reads the book all the same."""
    environ = {**os.environ, "PENWRIGHT_HOME": str(tmp_path / "home")}
    command = [str(console_script("penwright")), "mcp", str(book)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, env=environ, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as running:
        _send(running, json.dumps(HELLO), '{"jsonrpc":"2.0","method":"notifications/initialized"}')
        assert running.stdout is not None
        assert json.loads(running.stdout.readline())["result"]["serverInfo"]["name"] == "penwright"
        yield running
        running.kill()


def _send(running: subprocess.Popen[str], *lines: str) -> None:
    assert running.stdin is not None
    running.stdin.write("".join(f"{line}\n" for line in lines))
    running.stdin.flush()


def _heard(running: subprocess.Popen[str], count: int) -> list[Any]:  # Any: JSON
    assert running.stdout is not None
    return [json.loads(running.stdout.readline()) for _ in range(count)]


def test_the_server_answers_every_line_and_ends_with_its_input(
    process: subprocess.Popen[str],
) -> None:
    _send(
        process,
        "this is no JSON",
        _call(2, '{"text":"\\ud800"}', "search_book"),
        _call(3, f'{{"text":{DEEP}}}', "search_book"),
        _call("four", '{"number":1}'),
        '{"jsonrpc":"2.0","id":5,"method":"nonsense"}',
        _call(6, '{"number":1}', "write_file"),
    )

    answers = {answer["id"]: answer for answer in _heard(process, 6)}
    rest, _ = process.communicate(timeout=30)

    assert set(answers) == {None, 2, 3, "four", 5, 6}
    assert answers[None]["error"]["code"] == -32700
    for torn in (2, 3):
        assert answers[torn]["result"]["structuredContent"]["error_code"] == "INVALID_ARGUMENTS"
    assert answers["four"]["result"]["isError"] is False
    assert answers[5]["error"]["code"] == -32601
    assert answers[6]["result"]["structuredContent"]["error_code"] == "UNKNOWN_TOOL"
    assert (process.returncode, rest) == (0, "")


def test_a_client_that_went_away_is_an_end_and_no_fault(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    with suppress(BrokenPipeError):
        _send(process, _call(2, '{"number":1}'))
        process.stdin.close()

    assert process.wait(timeout=30) == 0
    said = process.stderr.read()
    assert "bug in penwright" not in said
    assert "Traceback" not in said


@asynccontextmanager
async def serving(book: Path) -> AsyncIterator[str]:
    """The address of a server in this process."""
    with listening_at(0) as listening:
        web = web_server(ToolServer(BookToolService(StageServices(), str(book))), listening, TOKEN)
        task = asyncio.create_task(web.serve(sockets=[listening]))
        try:
            yield address_of(listening)
        finally:
            web.should_exit = True
            await task


async def test_http_speaks_the_newest_protocol_as_well(book: Path) -> None:
    async with serving(book) as url, Client(known_client(url)) as client:
        opened = await client.call_tool("open_session", {"retry_key": "mine"})
        again = await client.call_tool("open_session", {"retry_key": "mine"})
        other = await client.call_tool("open_session", {})

    assert opened.structured_content is not None
    assert again.structured_content is not None
    assert opened.structured_content["session"] == again.structured_content["session"]
    assert other.is_error


async def test_http_refuses_oversized_bodies_and_foreign_origins(book: Path) -> None:
    known = ACCEPT | BEARER
    async with serving(book) as url, httpx.AsyncClient(headers=known, trust_env=False) as client:
        endless = await client.post(url, content=b"x" * (LARGEST_BODY + 1))
        foreign = await client.post(url, json=HELLO, headers={"origin": "https://elsewhere.example"})
        rebound = await client.post(url, json=HELLO, headers={"host": "elsewhere.example"})
        hello = await client.post(url, json=HELLO)

    assert [each.status_code for each in (endless, foreign, rebound, hello)] == [413, 403, 421, 200]


async def test_http_answers_a_request_whose_id_cannot_be_used(book: Path) -> None:
    asked = {"jsonrpc": "2.0", "id": True, "method": "tools/list"}
    async with serving(book) as url, httpx.AsyncClient(headers=ACCEPT | BEARER, trust_env=False) as client:
        opened = await client.post(url, json=HELLO)
        session = {"mcp-session-id": opened.headers["mcp-session-id"]}
        told = await client.post(url, json=asked, headers=session)

    assert (told.status_code, told.json()["id"], told.json()["error"]["code"]) == (400, None, -32600)


@pytest.mark.parametrize("given", ["", f"Bearer {TOKEN}x", "Bearer", TOKEN, f"bearer{TOKEN}", "Bearer é"])
async def test_http_is_closed_without_the_token(book: Path, given: str) -> None:
    headers = ACCEPT | ({"authorization": given} if given else {})
    sent = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    async with serving(book) as url, httpx.AsyncClient(trust_env=False) as client:
        answer = await client.post(url, json=HELLO, headers=sent)

    assert answer.status_code == 401
    assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.long
def test_the_process_prints_a_new_token_and_opens_to_it_alone(book: Path, tmp_path: Path) -> None:
    environ = {**os.environ, "PENWRIGHT_HOME": str(tmp_path / "home")}
    environ.pop("PENWRIGHT_MCP_TOKEN", None)
    command = [str(console_script("penwright")), "mcp", str(book), "--http", "0"]
    with subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True) as running:
        try:
            assert running.stderr is not None
            url, token = (running.stderr.readline().split()[-1] for _ in range(2))
            bearer = ACCEPT | {"authorization": f"Bearer {token}"}
            known = httpx.post(url, json=HELLO, headers=bearer, trust_env=False)
            unknown = httpx.post(url, json=HELLO, headers=ACCEPT, trust_env=False)
        finally:
            running.terminate()

    assert (known.status_code, unknown.status_code) == (200, 401)


@pytest.mark.parametrize("weak", ["short", "has a space in its middle", "täktäktäktäktäktäk"])
def test_a_weak_token_of_the_environment_is_refused(weak: str) -> None:
    with pytest.raises(UsageMistake) as refused:
        token_of({"PENWRIGHT_MCP_TOKEN": weak})

    assert refused.value.code == "mcp-token-weak"


def test_a_line_without_a_readable_id_is_answered_with_none(process: subprocess.Popen[str]) -> None:
    codes = {
        "this is no JSON": -32700,
        '{"jsonrpc":"2.0","id":1,': -32700,
        "[]": -32600,
        "7": -32600,
        '{"jsonrpc":"1.0","method":"tools/list"}': -32600,
        '{"jsonrpc":"2.0","id":true,"method":"tools/list"}': -32600,
        '{"jsonrpc":"2.0","id":null,"method":"tools/list"}': -32600,
        '{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}': -32600,
        '{"jsonrpc":"2.0","id":[1],"method":"tools/list"}': -32600,
    }

    answers = {}
    for line in codes:
        _send(process, line)
        (answers[line],) = _heard(process, 1)

    assert {line: answer["error"]["code"] for line, answer in answers.items()} == codes
    assert {answer["jsonrpc"] for answer in answers.values()} == {"2.0"}
    # The protocol wants the id, also where it is null.
    assert all("id" in answer and answer["id"] is None for answer in answers.values())


def test_calls_in_hand_are_answered_when_the_input_ends(process: subprocess.Popen[str]) -> None:
    calls = "".join(_call(number, '{"number":1}') + "\n" for number in range(2, 12))

    said, _ = process.communicate(calls, timeout=60)

    answers = [json.loads(line) for line in said.splitlines()]
    assert sorted(each["id"] for each in answers) == list(range(2, 12))
    assert all("result" in each for each in answers)
