"""Decrypts histories for the Temporal UI: HTTP on loopback, for that UI's origin only."""

import asyncio
import json
import signal
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from google.protobuf.message import DecodeError
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp
from temporalio.api.common.v1 import Payload, Payloads

from penwright.domain.text.whole_numbers import whole_number
from penwright.errors import PenwrightError, PermanentError, UsageMistake
from workers.home.folder import Home
from workers.http_server import listen, serving
from workers.payloads.codec import Cipher, cipher
from workers.settings import Settings

HOST = "127.0.0.1"
LARGEST_REQUEST = 8_000_000
"""Bytes."""


@dataclass(frozen=True, slots=True)
class CodecServer:
    """A listening socket, and the application that answers there."""

    app: ASGIApp
    listening: socket.socket

    @property
    def url(self) -> str:
        """Address on which it listens."""
        return f"http://{HOST}:{self.listening.getsockname()[1]}"


class _Codec:
    """``POST /encode`` and ``POST /decode`` as Temporal's UI and CLI speak them."""

    def __init__(self, codec: Cipher, origins: Sequence[str]) -> None:
        self._work = {"/encode": codec.encode, "/decode": codec.decode}
        self._origins = frozenset(origins)

    async def answer(self, request: Request) -> Response:
        response = await self._response(request)
        if (origin := request.headers.get("origin")) in self._origins:
            response.headers["access-control-allow-origin"] = str(origin)
            response.headers["access-control-allow-methods"] = "POST, OPTIONS"
            response.headers["access-control-allow-headers"] = "content-type, x-namespace"
            response.headers["vary"] = "origin"
        return response

    async def _response(self, request: Request) -> Response:
        # A page of another origin is refused; a program that is no browser sends none.
        allowed = request.headers.get("origin") in (None, *self._origins)
        if request.method == "OPTIONS":  # the browser's preflight question
            return Response(status_code=204) if allowed else JSONResponse({}, 403)
        if not allowed:
            return JSONResponse({"error": "this origin may not read histories"}, 403)
        if (work := self._work.get(request.url.path)) is None:
            return JSONResponse({"error": "there are /encode and /decode"}, 404)
        if whole_number(request.headers.get("content-length", ""), LARGEST_REQUEST) is None:
            return JSONResponse({"error": f"a request holds at most {LARGEST_REQUEST} bytes"}, 413)
        try:
            return await _converted(await request.body(), work)
        except ClientDisconnect:
            return Response(status_code=400)


async def _converted(body: bytes, work: Callable[[Sequence[Payload]], Awaitable[list[Payload]]]) -> Response:
    try:
        given = ParseDict(json.loads(body), Payloads())
        return JSONResponse(MessageToDict(Payloads(payloads=await work(given.payloads))))
    except (ValueError, TypeError, ParseError, DecodeError, RecursionError) as error:
        why = " ".join(str(error).split())
        return JSONResponse({"error": f"the body is not a list of payloads: {why}"}, 400)
    except PenwrightError as error:
        return JSONResponse({"error": error.message, "code": error.code}, 422)


def open_server(settings: Settings, *, port: int, ui: str | None) -> CodecServer:
    """A server for the keys of ``settings``; ``ui`` is the address of the web page that may ask.

    Raises:
        UsageMistake: no encryption key is set.
        PermanentError: the port is taken.
    """
    codec = cipher(settings)
    if codec is None:
        raise UsageMistake(
            "encryption-off",
            "no encryption key is set, so there is nothing to decrypt; set PENWRIGHT_ENCRYPTION_KEY",
        )
    app = Starlette(
        routes=[Route("/{path:path}", _Codec(codec, _origins(ui)).answer, methods=["POST", "OPTIONS"])]
    )
    try:
        return CodecServer(app, listen(HOST, port))
    except OSError as error:
        raise PermanentError(
            "port-taken", f"port {port} is in use by another program; choose another with --port"
        ) from error


def serve_engine(settings: Settings, on_ready: Callable[[], None]) -> int:
    """Serve the embedded engine's own UI until SIGTERM."""
    record = Home(settings.home).read()
    if record is None or record.codec_port is None:
        raise PermanentError("engine-not-running", "no engine runs here; start it with `penwright up`")
    serve(open_server(settings, port=record.codec_port, ui=record.ui), on_ready)
    return 0


def serve(server: CodecServer, on_ready: Callable[[], None]) -> None:
    """Answer until SIGTERM or SIGINT."""
    asyncio.run(_serve(server, on_ready))


async def _serve(server: CodecServer, on_ready: Callable[[], None]) -> None:
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    async with serving(server.app, server.listening):
        on_ready()
        await stopped.wait()


def _origins(ui: str | None) -> tuple[str, ...]:
    if ui is None:
        return ()
    address = ui.rstrip("/")
    return (address, address.replace(f"//{HOST}:", "//localhost:"))
