"""``penwright mcp`` as a harness: its own process, and a client of the protocol's official SDK."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TextIO

import anyio
import httpx
import mcp_types as types
import psutil
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.shared.message import SessionMessage

from schemas.workspace import Denial
from tests.contract.harness.harness import Call, Can, Outcome
from tests.support.engine.shared import console_script
from tests.support.gateway.mcp_http import BEARER, TOKEN, known_client

_TWIN = "twin"
_PATIENCE_S = 60.0
# Any: the SDK's streams, whose types it keeps to itself.
Streams = tuple[Any, Any]


@dataclass
class McpHarness:
    """One server process for one book, and one client."""

    kind: Literal["stdio", "http"]
    book: Path
    environ: Mapping[str, str]
    log: Path
    era: str = "legacy"
    """How the client opens: ``legacy`` shakes hands, ``auto`` speaks the newest protocol."""
    can: frozenset[Can] = frozenset(Can) - {Can.FILES, Can.LOSE}
    _client: Client | None = None
    _tap: "_Tap | None" = None
    _pid: int = 0
    _url: str = ""
    _living: "asyncio.Task[None] | None" = None
    _closing: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def who(self) -> str:
        return "conformance 1.0"

    async def start(self) -> None:
        self._closing = asyncio.Event()
        ready = asyncio.Event()
        # The SDK's scopes must be left by the task that entered them, and fixtures end in another one.
        self._living = asyncio.create_task(self._live(ready))
        waiting = asyncio.create_task(ready.wait())
        await asyncio.wait({self._living, waiting}, return_when=asyncio.FIRST_COMPLETED, timeout=_PATIENCE_S)
        waiting.cancel()
        assert ready.is_set(), self.log.read_text()

    async def stop(self) -> None:
        self._closing.set()
        assert self._living is not None
        with suppress(Exception):  # a server that was killed leaves its client unhappy
            await self._living

    async def kill(self) -> None:
        os.kill(self._pid, signal.SIGKILL)
        await self.stop()

    async def open(self, key: str) -> str:
        opened = await self.call(Call("open_session", {"retry_key": key}))
        assert not opened.denied, opened.value
        return str(opened.value["session"])

    def selecting(self, session: str, intent: str) -> Call:
        return Call("select_active_intent", {"session": session, "intent_id": intent})

    def writing(self, session: str, prose: str) -> Call:
        return Call("deliver_prose", {"session": session, "prose": prose})

    async def call(self, call: Call, heard: list[str] | None = None) -> Outcome:
        assert self._client is not None

        async def hear(progress: float, total: float | None, message: str | None) -> None:
            if heard is not None:
                heard.append(message or "")

        try:
            return _outcome(
                await self._client.call_tool(call.tool, dict(call.arguments), progress_callback=hear)
            )
        except (MCPError, anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
            raise ConnectionError(str(error)) from error

    async def together(self, calls: Sequence[Call]) -> list[Outcome]:
        return await asyncio.gather(*(self.call(each) for each in calls))

    def lose(self) -> None:
        raise AssertionError("its answers are lost with its process")

    async def twins(self, calls: Sequence[Call]) -> list[Outcome]:
        assert self._tap is not None
        if self.kind == "http":
            # The SDK's client gives up on a request when it sends another under its id.
            return await _posted(self._url, calls)
        return [_outcome(await answer) for answer in [self._tap.ask(call) for call in calls]]

    async def _live(self, ready: asyncio.Event) -> None:
        with self.log.open("a") as log:
            async with self._transport(log) as transport:
                self._tap = _Tap(transport)
                known = types.Implementation(name="conformance", version="1.0")
                async with Client(self._tap, mode=self.era, client_info=known) as self._client:
                    self._pid = self._server()
                    ready.set()
                    await self._closing.wait()

    @asynccontextmanager
    async def _transport(self, log: TextIO) -> AsyncIterator[AbstractAsyncContextManager[Streams]]:
        serve = ["mcp", str(self.book)]
        command = str(console_script("penwright"))
        if self.kind == "stdio":
            yield stdio_client(
                StdioServerParameters(command=command, args=serve, env=dict(self.environ)), errlog=log
            )
            return
        given = {**self.environ, "PENWRIGHT_MCP_TOKEN": TOKEN}
        process = await asyncio.create_subprocess_exec(
            command, *serve, "--http", "0", env=given, stderr=asyncio.subprocess.PIPE
        )
        try:
            assert process.stderr is not None
            said = (await asyncio.wait_for(process.stderr.readline(), _PATIENCE_S)).decode()
            log.write(said)
            log.flush()
            self._url = said.split()[-1]
            yield known_client(self._url)
        finally:
            with suppress(ProcessLookupError):
                process.terminate()
            await process.wait()

    def _server(self) -> int:
        children = psutil.Process().children()
        (server,) = (each for each in children if _serves(each, self.book, http=self.kind == "http"))
        return server.pid


def _serves(process: psutil.Process, book: Path, *, http: bool) -> bool:
    try:
        words = process.cmdline()
    except psutil.Error:
        return False
    return str(book) in words and ("--http" in words) is http


async def _posted(url: str, calls: Sequence[Call]) -> list[Outcome]:
    """Calls under one id over a session of their own, without the SDK."""
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "conformance", "version": "1.0"},
    }
    accept = {"accept": "application/json, text/event-stream"}
    async with httpx.AsyncClient(headers=accept | BEARER, timeout=_PATIENCE_S, trust_env=False) as client:
        opened = await client.post(url, json=_request("initialize", hello))
        client.headers["mcp-session-id"] = opened.headers["mcp-session-id"]
        asked = [_request("tools/call", {"name": c.tool, "arguments": dict(c.arguments)}) for c in calls]
        answers = await asyncio.gather(*(client.post(url, json=each) for each in asked))
    return [_outcome(types.CallToolResult.model_validate(_result(each.text))) for each in answers]


def _request(method: str, params: Mapping[str, object]) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": _TWIN, "method": method, "params": params}


def _result(events: str) -> object:
    """The data of an answer's only event."""
    (data,) = (line.removeprefix("data: ") for line in events.splitlines() if line.startswith("data: {"))
    return json.loads(data)["result"]


def _outcome(result: types.CallToolResult) -> Outcome:
    assert isinstance(result.structured_content, dict)
    if not result.is_error:
        return Outcome(result.structured_content)
    denial = Denial.model_validate(result.structured_content)
    assert denial.action_hint, denial
    return Outcome(result.structured_content, denial.error_code)


class _Tap(AbstractAsyncContextManager[Streams]):
    """A transport into which a test puts calls of its own, under an id that is not unique."""

    def __init__(self, inner: AbstractAsyncContextManager[Streams]) -> None:
        self._inner = inner
        self._waiting: list[asyncio.Future[types.CallToolResult]] = []
        self._sent: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Streams:
        self._reading, self._writing = await self._inner.__aenter__()
        self._passed, passed = anyio.create_memory_object_stream[SessionMessage | Exception](100)
        self._relay = asyncio.create_task(self._pass_on())
        return passed, self._writing

    async def __aexit__(self, *error: Any) -> bool | None:  # Any: as the base class has it
        self._relay.cancel()
        with suppress(asyncio.CancelledError):
            await self._relay
        self._passed.close()
        return await self._inner.__aexit__(*error)

    def ask(self, call: Call) -> "asyncio.Future[types.CallToolResult]":
        """Send a second call of the same request id; return a future of its result."""
        answer: asyncio.Future[types.CallToolResult] = asyncio.get_running_loop().create_future()
        self._waiting.append(answer)
        params = {"name": call.tool, "arguments": dict(call.arguments)}
        asked = types.JSONRPCRequest(jsonrpc="2.0", id=_TWIN, method="tools/call", params=params)
        self._sent.append(asyncio.ensure_future(self._writing.send(SessionMessage(asked))))
        return answer

    async def _pass_on(self) -> None:
        with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
            async for item in self._reading:
                said = item.message if isinstance(item, SessionMessage) else None
                if isinstance(said, types.JSONRPCResponse) and said.id == _TWIN:
                    self._waiting.pop(0).set_result(types.CallToolResult.model_validate(said.result))
                else:
                    await self._passed.send(item)
        self._passed.close()
