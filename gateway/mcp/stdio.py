"""The tools over standard input and output; unreadable lines get an answer, too."""

import io
import json
import os
import re
import sys
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any, cast

import anyio
import mcp_types as types
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from pydantic import ValidationError

from gateway.mcp.ids import NO_REQUEST, has_unusable_id, is_usable, parsed
from gateway.mcp.server import ToolServer, refused
from penwright.errors import UsageMistake

_ID = re.compile(r'"id"\s*:\s*(\d{1,15}|"[^"\\]{1,100}")')
_WHAT = (
    "the message is no JSON that can be carried on: not well-formed, half of a surrogate pair, or too deep"
)
_NO_MESSAGE = "null\n"
"""A line that the SDK cannot read, and therefore hands on."""
_ENDING_S = 2.0
"""Seconds for calls that are in hand when the input ends; the SDK breaks off the others, and says so."""


async def serve_stdio(server: ToolServer) -> None:
    """Serve until standard input ends. Whatever else the process prints goes to standard error."""
    try:
        await _serve(server)
    except* BrokenPipeError:
        # The client ended first. What it called is done; what is left in the buffer is for no reader.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


async def _serve(server: ToolServer) -> None:
    protocol = server.protocol
    # Of the file, the SDK only reads the lines.
    lines = cast("anyio.AsyncFile[str]", _Lines(anyio.wrap_file(_input())))
    async with stdio_server(lines) as (reading, writing):
        passing, passed = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        answering, answered = anyio.create_memory_object_stream[SessionMessage](0)
        in_hand, changed = Counter[types.RequestId](), anyio.Condition()

        async def sift() -> None:
            """The SDK drops what it cannot read, and a client would wait for the answer for ever."""
            async with passing:
                async for item in reading:
                    answer = _answer(item) if isinstance(item, ValidationError) else None
                    if answer is None:
                        in_hand.update(_ids(item, types.JSONRPCRequest))
                        await passing.send(item)
                    else:
                        await writing.send(SessionMessage(answer))
                with anyio.move_on_after(_ENDING_S):
                    async with changed:
                        while +in_hand:
                            await changed.wait()

        async def hand_on() -> None:
            async with writing:
                async for message in answered:
                    await writing.send(message)
                    async with changed:
                        in_hand.subtract(_ids(message, types.JSONRPCResponse, types.JSONRPCError))
                        changed.notify_all()

        async with anyio.create_task_group() as group:
            group.start_soon(sift)
            async with anyio.create_task_group() as outward:
                outward.start_soon(hand_on)
                await protocol.run(passed, answering, server.options)
            group.cancel_scope.cancel()


# Any: a message, or what could not be read as one.
def _ids(item: Any, *kinds: Any) -> list[types.RequestId]:
    """The id of a request or an answer; none of anything else."""
    message: Any = getattr(item, "message", None)
    return [message.id] if isinstance(message, kinds) and message.id is not None else []


def _input() -> io.TextIOWrapper:
    """The standard input for us alone: whatever else reads it in this process finds its end."""
    # Never closed: at the end a thread may still wait on it.
    own = os.fdopen(os.dup(sys.stdin.fileno()), "rb", closefd=False)
    os.dup2(os.open(os.devnull, os.O_RDONLY), sys.stdin.fileno())
    return io.TextIOWrapper(own, encoding="utf-8", errors="replace")


class _Lines:
    """The lines of a client; one whose id cannot be used stands as one that cannot be read."""

    def __init__(self, file: "anyio.AsyncFile[str]") -> None:
        self._file = file

    async def __aiter__(self) -> AsyncIterator[str]:
        async for line in self._file:
            yield _NO_MESSAGE if has_unusable_id(parsed(line)) else line


def _answer(error: ValidationError) -> types.JSONRPCResponse | types.JSONRPCError | None:
    """The answer to an unreadable line, without an id if that cannot be read; None to an empty line."""
    line = error.errors(include_url=False)[0].get("input")
    if not isinstance(line, str):
        return _fault(None, types.INVALID_REQUEST, NO_REQUEST)
    if not line.strip():
        return None
    if (asked := _asked(line)) is None:
        is_json = _is_json(line)
        return _fault(None, *((types.INVALID_REQUEST, NO_REQUEST) if is_json else (types.PARSE_ERROR, _WHAT)))
    number, called = asked
    if not called:
        return _fault(number, types.PARSE_ERROR, _WHAT)
    refusal = refused(
        UsageMistake("invalid-arguments", f"{_WHAT}; the call was not made", fields="arguments")
    )
    result = refusal.model_dump(by_alias=True, mode="json", exclude_none=True)
    return types.JSONRPCResponse(jsonrpc="2.0", id=number, result=result)


def _fault(number: int | str | None, code: int, said: str) -> types.JSONRPCError:
    return types.JSONRPCError(jsonrpc="2.0", id=number, error=types.ErrorData(code=code, message=said))


def _is_json(line: str) -> bool:
    try:
        json.loads(line)
    except (RecursionError, ValueError):
        return False
    return True


def _asked(line: str) -> tuple[int | str, bool] | None:
    """The id in a line, and whether it calls a tool."""
    try:
        said: Any = json.loads(line)  # Any: what a client sent
    except RecursionError:
        found = _ID.search(line)
        return (json.loads(found[1]), '"tools/call"' in line) if found else None
    except ValueError:
        return None
    number = said.get("id") if isinstance(said, dict) else None
    if not is_usable(number):
        return None
    return number, said.get("method") == "tools/call"
