"""Decrypts histories for the Temporal UI: HTTP on loopback, for that UI's origin only."""

import asyncio
import json
import signal
import threading
from collections.abc import Callable, Coroutine, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast

from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from temporalio.api.common.v1 import Payload, Payloads

from penwright.errors import PenwrightError, PermanentError, UsageMistake
from workers.codec import Cipher, cipher
from workers.engine.home import Home
from workers.settings import Settings

HOST = "127.0.0.1"
LARGEST_REQUEST = 8_000_000
"""Bytes."""


class CodecServer(ThreadingHTTPServer):
    """``POST /encode`` and ``POST /decode`` as Temporal's UI and CLI speak them."""

    daemon_threads = True

    def __init__(self, port: int, codec: Cipher, origins: Sequence[str]) -> None:
        self.codec = codec
        self.origins = frozenset(origins)
        super().__init__((HOST, port), _Handler)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://{HOST}:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    def do_OPTIONS(self) -> None:
        """The browser's question whether the UI may ask."""
        self._answer(204 if self._welcome() else 403, {})

    def do_POST(self) -> None:
        """Encode or decode the payloads of the body."""
        codec = self._server().codec
        work = {"/encode": codec.encode, "/decode": codec.decode}.get(self.path)
        if not self._welcome():
            self._answer(403, {"error": "this origin may not read histories"})
        elif work is None:
            self._answer(404, {"error": "there are /encode and /decode"})
        else:
            self._convert(work)

    def _convert(self, work: Callable[[Sequence[Payload]], Coroutine[None, None, list[Payload]]]) -> None:
        size = self.headers.get("content-length", "")
        if not size.isdigit() or int(size) > LARGEST_REQUEST:
            self._answer(413, {"error": f"a request holds at most {LARGEST_REQUEST} bytes"})
            return
        try:
            given = ParseDict(json.loads(self.rfile.read(int(size))), Payloads())
            self._answer(200, MessageToDict(Payloads(payloads=asyncio.run(work(given.payloads)))))
        except (ValueError, ParseError) as error:
            self._answer(400, {"error": f"the body is not a list of payloads: {error}"})
        except PenwrightError as error:
            self._answer(422, {"error": error.message, "code": error.code})

    def _welcome(self) -> bool:
        """A page of another origin may not; a program that is no browser sends none."""
        origin = self.headers.get("origin")
        return origin is None or origin in self._server().origins

    def _answer(self, status: int, body: dict[str, object]) -> None:
        text = b"" if status == 204 else json.dumps(body).encode()
        self.send_response(status)
        if self.headers.get("origin") and self._welcome():
            self.send_header("access-control-allow-origin", self.headers["origin"])
            self.send_header("access-control-allow-methods", "POST, OPTIONS")
            self.send_header("access-control-allow-headers", "content-type, x-namespace")
            self.send_header("vary", "origin")
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *args: object) -> None:
        """Silent: a request line says nothing that an operator needs."""

    def _server(self) -> CodecServer:
        return cast(CodecServer, self.server)


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
    try:
        return CodecServer(port, codec, _origins(ui))
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
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: threading.Thread(target=server.shutdown).start())
    with server:
        on_ready()
        server.serve_forever()


def _origins(ui: str | None) -> tuple[str, ...]:
    if ui is None:
        return ()
    address = ui.rstrip("/")
    return (address, address.replace(f"//{HOST}:", "//localhost:"))
