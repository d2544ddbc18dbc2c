"""The process that serves the workspace and its API: ``python -m gateway.web``, a child of the engine."""

import argparse
import asyncio
import faulthandler
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, closing, suppress
from dataclasses import dataclass
from socket import socket

import uvicorn
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp

from gateway.desk.access import Access
from gateway.desk.installed_services import PooledServices
from gateway.desk.principals import local_user
from gateway.desk.services import Services
from gateway.http.app import http_app
from gateway.http.guard import Guard
from gateway.http.site import UI, site_of
from gateway.http.temporal_ui import temporal_ui
from gateway.ui.app import mount
from penwright.errors import PenwrightError, PermanentError, Refused
from workers.engine.supervisor import DEFAULT_WEB_PORT
from workers.engine.temporal import HOST
from workers.health.liveness import LivenessWriter
from workers.health.readiness import checks_of
from workers.home.folder import Home, Record
from workers.http_guard import loopback_hosts
from workers.http_server import configuration, listen, serving
from workers.log_setup import configure
from workers.processes.lifecycle import open_worker_process
from workers.settings import Settings, drop_git_variables, load

DRAIN_S = 2
"""Time running requests may take once the process stops; streams of events never end by themselves."""
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def build(services: Services, settings: Settings, *, port: int) -> ASGIApp:
    """Pages and API over ``services``, behind the guard."""
    access, site = Access(services), site_of(settings, port)
    app = http_app(services, access, site)
    app.add_api_route("/", _to_pages, include_in_schema=False)
    mount(app, services, app.state.hub)
    return Guard(app, access, site)


async def _to_pages() -> Response:
    return RedirectResponse(f"{UI}/")


def main(argv: list[str] | None = None) -> int:
    """Serve until SIGTERM or SIGINT; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m gateway.web", description=__doc__)
    parser.add_argument("--ready-fd", type=int, help="descriptor on which readiness is reported")
    given = parser.parse_args(argv)
    try:
        loaded = load()
        drop_git_variables()
        configure(loaded.settings.telemetry, process="web")
        faulthandler.register(signal.SIGUSR1, all_threads=True)
        services = PooledServices(dict(loaded.environ))
        serve(services, loaded.settings, LivenessWriter(given.ready_fd))
    except PenwrightError as error:
        sys.stderr.write(f"error[{error.code}]: {error.message}\n")
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


def serve(services: PooledServices, settings: Settings, writer: LivenessWriter) -> None:
    """Answer until asked to end: at the addresses that the engine chose; without one, at ``web.port``."""
    record = _record_of_engine(settings)
    port = record.web_port if record and record.web_port else settings.web.port or DEFAULT_WEB_PORT
    refuse_open_door(Access(services), services, settings)
    app = build(services, settings, port=port)
    try:
        with suppress(KeyboardInterrupt), closing(_listen(settings.web.host, port)) as listening:
            board = _board(services, settings, record) if record else None
            asyncio.run(_serve(app, settings, listening, board, writer))
    finally:
        services.close()


def _record_of_engine(settings: Settings) -> Record | None:
    """The record of the engine of this home; None if Temporal and the database are elsewhere, and none runs.

    Raises:
        PermanentError: ``engine-not-running``.
    """
    home = Home(settings.home)
    if home.holder() is not None:
        return home.read()
    if settings.embeds_temporal or settings.embeds_postgres:
        raise PermanentError("engine-not-running", "no engine runs here; start it with `penwright up`")
    return None


@dataclass(frozen=True, slots=True)
class _Board:
    """The Temporal UI, and where browsers find it."""

    app: ASGIApp
    listening: socket


def _board(services: Services, settings: Settings, record: Record) -> _Board | None:
    if record.ui_port is None or record.ui is None:
        return None
    home, port = Home(settings.home), record.ui_port

    def upstream() -> str | None:
        now = home.read()
        return now.ui_upstream if now else None

    access = Access(services) if settings.engine.shared else None
    cookie = f"{site_of(settings, port).cookie.removeprefix('__Host-')}_temporal"
    return _Board(temporal_ui(upstream, loopback_hosts(port), access, cookie), _listen(HOST, port))


def _listen(host: str, port: int) -> socket:
    try:
        return listen(host, port)
    except OSError as error:
        raise PermanentError("port-taken", f"port {port} cannot be had: {error.strerror}") from error


async def _serve(
    app: ASGIApp,
    settings: Settings,
    listening: socket,
    board: _Board | None,
    writer: LivenessWriter,
) -> None:
    async with AsyncExitStack() as stack:
        process = await stack.enter_async_context(
            open_worker_process(settings, "web", settings.health.web_port, writer.report)
        )

        async def on_ready() -> None:
            await process.announce(writer.ready, checks_of(settings))

        if board is not None:
            await stack.enter_async_context(serving(board.app, board.listening))
        await WebServer(configured(app, settings), on_ready).serve(sockets=[listening])


def configured(app: ASGIApp, settings: Settings) -> uvicorn.Config:
    """Configure the server of ``app``: over TLS, and nothing else, where the settings name a certificate."""
    config = configuration(app, drain_s=DRAIN_S, lifespan=True, websockets=True)
    config.ssl_certfile = settings.web.tls_certificate
    config.ssl_keyfile = settings.web.tls_key
    return config


class WebServer(uvicorn.Server):
    """Says when it answers."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], Awaitable[None]]) -> None:
        super().__init__(config)
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket] | None = None) -> None:
        await super().startup(sockets)
        await self._on_ready()


def refuse_open_door(access: Access, services: Services, settings: Settings) -> None:
    """Beyond this machine nothing is served before a token was made; settings check the rest."""
    if settings.web.host in _LOOPBACK:
        return
    if not access.tokens(local_user(services.person())):
        raise Refused(
            "web-without-token",
            f"the workspace is not opened to {settings.web.host} before there is a token; "
            "make one with `penwright web tokens create NAME --scope read`",
        )


if __name__ == "__main__":
    sys.exit(main())
