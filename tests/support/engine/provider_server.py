"""A local server that speaks OpenAI's chat and Anthropic's messages protocol, with all their misbehaviour."""

import json
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from penwright.adapters.models.demo.model import answer as demo_answer
from schemas.base import Effect, OpId
from schemas.model import BudgetScope, Message, ModelRequest
from tests.support.engine import messages_protocol

FULL_USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


@dataclass(frozen=True)
class Behaviour:
    """The server's behaviour for one request. The answer's own JSON is open, hence ``Any``."""

    text: str | None = "The lamp went out."
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None
    """Sent instead of a well-formed answer."""
    finish: str = "stop"
    refusal: str | None = None
    """Said in the field of that name, in place of the text; only of a reply that is not streamed."""
    as_asked: bool = False
    """The text is what the demo model would say: JSON by its schema, a session, a call that is asked for."""
    thinks: int = 0
    """Tokens of thought before the answer; with less room than that, nothing else comes."""
    thinks_aloud: bool = False
    """The thought stands in the text, between tags, and is not counted apart."""
    as_tool: bool = False
    """The text is in the arguments of the forced tool."""
    calls: tuple[Any, ...] = ()
    """Calls in wire format; ``called`` makes one."""
    usage: dict[str, Any] | None = field(default_factory=lambda: dict(FULL_USAGE))
    rejects: str = ""
    """A parameter; requests that have it are answered with status 400."""
    wants_thought: bool = False
    """Requests that have calls without the thought before them are answered with status 400."""
    window: int = 0
    """Tokens; requests for more output are answered with status 400."""
    hang: bool = False
    drip: bool = False
    """One byte now and then, for ever."""
    reset: bool = False
    cut: bool = False
    """The connection ends in the middle of the answer."""
    huge: bool = False
    """A body without end."""
    stall: bool = False
    """Of a reply that is streamed: half of it comes, and then nothing more; also the next two."""
    silent_end: bool = False
    """It ends as if nothing were missing: no finish, no ``[DONE]``."""
    stream_error: str = ""
    """Message of an error event in place of the second half."""
    pause_s: float = 0
    """Seconds before each word of a reply that is streamed."""


def error(status: int, message: str, **headers: str) -> Behaviour:
    """An error answer as vendors send it."""
    body = json.dumps({"error": {"message": message, "type": "error", "code": None}}).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Behaviour(status=status, body=body, headers=named)


def within(code: int, message: str, **metadata: Any) -> Behaviour:
    """An error as OpenRouter sends it once the status 200 is out: in the body, without choices."""
    said = {"code": code, "message": message, "metadata": metadata}
    return Behaviour(body=json.dumps({"error": said, "user_id": "user_1"}).encode())


def broken_off(code: int, message: str, text: str = "") -> Behaviour:
    """An answer whose provider failed in the middle: the choice holds the error, and what had been said."""
    choice = {
        "index": 0,
        "finish_reason": "error",
        "native_finish_reason": "error",
        "message": {"role": "assistant", "content": text},
        "error": {"code": code, "message": message},
    }
    answer = {
        "id": "gen-1",
        "object": "chat.completion",
        "created": 1,
        "model": "vendor/tiny",
        "choices": [choice],
    }
    return Behaviour(body=json.dumps(answer | {"usage": FULL_USAGE}).encode())


def messages_answer(text: str = "The lamp went out.", *, stop: str = "end_turn", **usage: int) -> Behaviour:
    """An answer in Anthropic's messages protocol with these counts.

    ``stop``: its reason to stop; ``refusal`` is one.
    """
    answer = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-tiny",
        "content": [{"type": "text", "text": text}],
        "stop_reason": stop,
        "usage": usage,
    }
    return Behaviour(body=json.dumps(answer).encode())


def content_answer(text: str = "The lamp went out.", **usage: int) -> Behaviour:
    """An answer in Google's protocol with these counts."""
    said = {"content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP", "index": 0}
    return Behaviour(body=json.dumps({"candidates": [said], "usageMetadata": usage}).encode())


def called(name: object, arguments: object = "{}", id: object = "call_1") -> dict[str, Any]:
    """A call on the wire; each part may be anything, as with real vendors."""
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def calling(*calls: Any, text: str | None = None, finish: str = "tool_calls", **rest: Any) -> Behaviour:
    """An answer that calls tools."""
    return Behaviour(text=text, calls=calls, finish=finish, **rest)


class ProviderServer:
    """Answers with the queued behaviours in order, then with the last one for ever."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        """Of each request, by name in lower case."""
        self.behaviours: list[Behaviour] = [Behaviour()]
        self.released = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def behave(self, *behaviours: Behaviour) -> None:
        self.behaviours = list(behaviours)

    def take(self, request: dict[str, Any]) -> Behaviour:
        self.requests.append(request)
        return self.behaviours.pop(0) if len(self.behaviours) > 1 else self.behaviours[0]

    @contextmanager
    def running(self) -> Iterator["ProviderServer"]:
        thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        thread.start()
        try:
            yield self
        finally:
            self.released.set()
            self._http.shutdown()
            self._http.server_close()
            thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                request = json.loads(self.rfile.read(length))
                server.headers.append({name.lower(): value for name, value in self.headers.items()})
                try:
                    how = server.take(request)
                    if self.path.endswith("/messages"):
                        how, request = _in_messages(how, request)
                    _answer(self, how, request, server.released)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing; the tests look at ``requests``."""

        return Handler


def _in_messages(how: Behaviour, request: dict[str, Any]) -> tuple[Behaviour, dict[str, Any]]:
    """The behaviour in Anthropic's protocol; thought without its signature is refused."""
    if why := messages_protocol.unsigned(request):
        how = error(400, why)
    chat = messages_protocol.as_chat(request)
    how = _rejecting(how, chat)
    if how.body is None:
        how = _having_thought(_saying_what_is_asked(how, chat), chat)
        message, finish = _message(how, chat), "tool_calls" if how.calls else how.finish
        answer = messages_protocol.answered(request, message, finish=finish, usage=how.usage)
        return replace(how, body=json.dumps(answer).encode()), chat
    if how.status >= 400:
        how = replace(how, body=messages_protocol.failed(how.status, how.body))
    return how, chat


def _rejecting(how: Behaviour, request: dict[str, Any]) -> Behaviour:
    """An error in place of an answer, if the request has what is rejected."""
    if how.rejects in request:
        return error(400, f"Unsupported parameter: {how.rejects!r} is not supported with this model.")
    calling = [each for each in request.get("messages", ()) if each.get("tool_calls")]
    if how.wants_thought and not all(each.get("reasoning_content") for each in calling):
        return error(400, "The `reasoning_content` in the thinking mode must be passed back to the API.")
    if 0 < how.window < _room(request):
        return error(400, f"max_tokens is too large: {_room(request)}. This model takes {how.window}.")
    return how


def _answer(
    handler: BaseHTTPRequestHandler, how: Behaviour, request: dict[str, Any], released: threading.Event
) -> None:
    how = _rejecting(how, request)
    how = _having_thought(_saying_what_is_asked(how, request), request)
    if how.hang:
        released.wait()
        return
    if how.reset:
        # A linger of zero makes the close a reset.
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        handler.connection.close()
        return
    if request.get("stream") and how.body is None and not (how.huge or how.drip):
        _stream(handler, how, request, released)
        return
    body = how.body if how.body is not None else _body(how, request)
    handler.send_response(how.status)
    handler.send_header("Content-Type", "application/json")
    for name, value in how.headers.items():
        handler.send_header(name, value)
    if not how.huge and not how.drip:
        handler.send_header("Content-Length", str(len(body)))
    handler.send_header("Connection", "close")
    handler.end_headers()
    handler.close_connection = True
    if how.drip:
        while not released.wait(0.05):
            handler.wfile.write(b" ")
    elif how.huge:
        while not released.is_set():
            handler.wfile.write(b" " * 1_000_000)
    else:
        handler.wfile.write(body[: len(body) // 2] if how.cut else body)


def _room(request: dict[str, Any]) -> int:
    """Tokens that the answer may have."""
    return request.get("max_tokens") or request.get("max_completion_tokens") or 1_000_000


def _saying_what_is_asked(how: Behaviour, request: dict[str, Any]) -> Behaviour:
    if not how.as_asked or how.body is not None:
        return how
    if call := re.search(r"Call the tool `(\w+)`", str(request["messages"][-1]["content"])):
        return replace(how, calls=how.calls or (called(call[1]),), text=None, finish="tool_calls")
    return replace(how, text=demo_answer(_read(request)))


def _read(request: dict[str, Any]) -> ModelRequest:
    """The request as the demo model takes it."""
    form = request.get("response_format") or {}
    told = [(each["role"], each.get("content") or "") for each in request["messages"]]
    messages = (Message(role="user" if role == "tool" else role, content=str(text)) for role, text in told)
    return ModelRequest(
        effect=Effect(op_id=OpId("vendor"), issued_at=datetime(2026, 3, 1, tzinfo=UTC)),
        role="vendor",
        messages=tuple(messages),
        max_output_tokens=_room(request),
        scope=BudgetScope(run="vendor", subject="vendor"),
        output_schema=form.get("json_schema", {}).get("schema"),
    )


def _having_thought(how: Behaviour, request: dict[str, Any]) -> Behaviour:
    if not how.thinks:
        return how
    spent = min(how.thinks, _room(request))
    done = how if how.thinks < _room(request) else replace(how, text="", calls=(), finish="length")
    counts = {"prompt_tokens": 11, "completion_tokens": spent + 7}
    if how.thinks_aloud:
        closed = "</think>" if done is how else ""
        return replace(done, text=f"<think>{'hm ' * spent}{closed}{done.text or ''}", usage=counts)
    return replace(done, usage=counts | {"completion_tokens_details": {"reasoning_tokens": spent}})


def _message(how: Behaviour, request: dict[str, Any]) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": how.text}
    if how.refusal is not None:
        message |= {"content": None, "refusal": how.refusal}
    if how.as_tool:
        call = called(request["tools"][-1]["function"]["name"], how.text)
        message |= {"content": None, "tool_calls": [call]}
    if how.thinks and not how.thinks_aloud:
        message["reasoning_content"] = "Hm."
    if how.calls:
        message["tool_calls"] = list(how.calls)
    return message


def _body(how: Behaviour, request: dict[str, Any]) -> bytes:
    answer = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": request["model"],
        "choices": [{"index": 0, "message": _message(how, request), "finish_reason": how.finish}],
    }
    if how.usage is not None:
        answer["usage"] = how.usage
    return json.dumps(answer).encode()


def _stream(
    handler: BaseHTTPRequestHandler, how: Behaviour, request: dict[str, Any], released: threading.Event
) -> None:
    """The answer as server-sent events, word by word."""
    handler.protocol_version = "HTTP/1.1"
    handler.send_response(how.status)
    handler.send_header("Content-Type", "text/event-stream")
    handler.send_header("Transfer-Encoding", "chunked")
    handler.end_headers()
    handler.close_connection = True
    words = re.findall(r"\S+\s*|\s+", how.text or "")
    broken = how.stall or how.silent_end or how.stream_error or how.cut
    for word in words[: len(words) // 2] if broken else words:
        released.wait(how.pause_s)
        _send_chunk(handler, _event(request, {"content": word}))
    if how.stall:
        released.wait()
    if how.stream_error:
        _send_chunk(handler, {"error": {"message": how.stream_error, "type": "server_error", "code": 502}})
    if how.cut:
        handler.wfile.write(b"40\r\ndata: {")
        return
    if not broken:
        _send_chunk(handler, _event(request, {}, finish=how.finish))
        if how.usage is not None:
            _send_chunk(handler, _event(request, None) | {"usage": how.usage})
        _send_chunk(handler, "[DONE]")
    handler.wfile.write(b"0\r\n\r\n")


def _event(
    request: dict[str, Any], delta: dict[str, Any] | None, finish: str | None = None
) -> dict[str, Any]:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": request["model"],
        "choices": choices,
    }


def _send_chunk(handler: BaseHTTPRequestHandler, event: dict[str, Any] | str) -> None:
    said = event if isinstance(event, str) else json.dumps(event)
    data = f"data: {said}\n\n".encode()
    handler.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
    handler.wfile.flush()
