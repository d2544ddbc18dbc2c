"""Address of the engine: of an external one by settings, of our own by its record."""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

from penwright.errors import EngineUnavailable
from workers.home.folder import Home, Record
from workers.settings import LONGEST_START_S, Settings

_POLL_S = 0.1
_AGAIN = "`penwright down` and `penwright up --detach`"


@dataclass(frozen=True, slots=True)
class Address:
    """Addresses of Temporal and PostgreSQL."""

    temporal: str | None
    """``host:port``; None when a profile of Temporal's own configuration names it."""
    namespace: str
    database_url: str
    ui: str | None = None


def address(settings: Settings) -> Address:
    """Find the engine that ``settings`` mean.

    Raises:
        EngineUnavailable: it is an embedded one, and it does not run.
    """
    record = _running(settings) if settings.embeds_temporal or settings.embeds_postgres else None
    database = settings.database_url.get_secret_value() if settings.database_url else None
    return Address(
        temporal=record.temporal if record and settings.embeds_temporal else settings.engine.address,
        namespace=settings.engine.namespace,
        database_url=database or (record.database_url if record else None) or "",
        ui=record.ui if record else None,
    )


def web_address(
    settings: Settings, waiting: Callable[[], AbstractContextManager[object]] = nullcontext
) -> str:
    """Find the address of the workspace, such as ``http://127.0.0.1:7280``; waits while it starts.

    Args:
        waiting: entered while it waits, if it has to.

    Raises:
        EngineUnavailable: no engine runs, or ``web-not-running``: it runs without the workspace.
    """
    # The engine is ready for work some seconds before its workspace is.
    deadline = time.monotonic() + LONGEST_START_S
    record = _running(settings)
    if _web_starts(record):
        with waiting():
            while _web_starts(record) and time.monotonic() < deadline:
                time.sleep(_POLL_S)
                record = _running(settings)
    return _served(record)


def _web_starts(record: Record) -> bool:
    child = record.children.get("web")
    return child is not None and child.state == "starting"


def _served(record: Record) -> str:
    child = record.children.get("web")
    if record.web is None or child is None:
        raise EngineUnavailable(
            "web-not-running",
            "the engine runs without the workspace",
            hint=f"set web.enabled = true in penwright.toml, then run {_AGAIN}",
        )
    if child.state == "given up":
        raise EngineUnavailable(
            "web-not-running",
            "the workspace ended each time it was started and was given up",
            hint=f"`penwright logs web` says why; then run {_AGAIN}",
        )
    if child.state != "ready":
        raise EngineUnavailable(
            "web-not-running",
            f"the workspace is not ready: {child.state}",
            hint="wait a moment; `penwright logs web` says what it does",
        )
    return record.web


def _running(settings: Settings) -> Record:
    home = Home(settings.home)
    record = home.read()
    if record is None or not record.running or home.holder() is None:
        raise EngineUnavailable(
            "engine-not-running",
            f"no engine runs in {str(settings.home)!r}; start it with `penwright up`",
            hint="run `penwright up --detach`",
        )
    return record
