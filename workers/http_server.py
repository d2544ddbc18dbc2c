"""The one HTTP stack: a Starlette application under uvicorn, on an event loop that is already there."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE_S = 5.0
"""Time a connection may take to send the head of a request, on a new one counted from its beginning."""
DRAIN_S = 1
"""Time running requests may take once the server stops."""

LARGEST_MESSAGE = 1_000_000
"""Bytes of one WebSocket message."""


class PatientProtocol(H11Protocol):
    """Closes a connection that asks for nothing; uvicorn itself limits only the time between requests."""

    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self._end_patience()
        elif self._patience is None and before is not None and before.response_complete:
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_patience()
        super().connection_lost(exc)

    def _await_head(self) -> None:
        self._patience = self.loop.call_later(PATIENCE_S, self._close_if_silent, self.cycle)

    def _end_patience(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _close_if_silent(self, before: object) -> None:
        self._patience = None
        # A connection that became a WebSocket has another protocol by now.
        if self.cycle is before and self.transport.get_protocol() is self:
            self.transport.close()


class HttpServer(uvicorn.Server):
    """Leaves signals to the process that it runs in."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def configuration(
    app: ASGIApp, *, drain_s: int = DRAIN_S, lifespan: bool = False, websockets: bool = False
) -> uvicorn.Config:
    """Settings that all our servers share: no access log, no compiled parsers, WebSockets where wanted."""
    return uvicorn.Config(
        app,
        http=PatientProtocol,
        ws="websockets-sansio" if websockets else "none",
        ws_max_size=LARGEST_MESSAGE,
        lifespan="on" if lifespan else "off",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=drain_s,
    )


def listen(host: str, port: int) -> socket.socket:
    """A socket that takes connections from now on; port 0 takes a free one.

    Raises:
        OSError: the address is in use, or is not one of this machine.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family)


@asynccontextmanager
async def serving(app: ASGIApp, listening: socket.socket) -> AsyncIterator[None]:
    """Answer requests while the block runs; closes ``listening``."""
    server = HttpServer(configuration(app))
    running = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        yield
    finally:
        server.should_exit = True
        await running
