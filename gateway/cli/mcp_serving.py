"""Serving of a book, novel, scene or agent to an outside harness, for ``penwright mcp``."""

import asyncio
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import psutil

from gateway.desk.agents.runs import RunRequest
from gateway.desk.agents.tools import AgentToolService
from gateway.desk.book.book_tools import BookToolService
from gateway.desk.manuscript.scene_tools import SceneToolService
from gateway.desk.scene.round_tools import RoundToolService
from gateway.desk.services import Services
from gateway.desk.tool_desk import ToolDesk
from gateway.desk.works import works
from gateway.mcp.agent_offer import AgentOffer
from gateway.mcp.http import serve_http, token_of
from gateway.mcp.offers import BOOK, NOVEL, SCENE, Offer
from gateway.mcp.server import ToolServer
from gateway.mcp.stdio import serve_stdio
from schemas.agent_run import RunLimits


@dataclass(frozen=True, slots=True)
class ServingOptions:
    """Which agent to serve, on what, and how; without one, the work."""

    agent: str
    work: str
    run_id: str
    params: Mapping[str, Any]
    """Any: JSON. By type name."""
    flags: Mapping[str, str]
    tag: str
    minutes: float

    def served(self, services: Services) -> tuple[AgentToolService, AgentOffer]:
        """The desk that carries the calls out, and the offer to clients."""
        desk = AgentToolService(services, self._request(), timedelta(minutes=self.minutes))
        sys.stderr.write(
            f"serving {self.agent} in the run {desk.run_id}; --id {desk.run_id} goes on with it\n"
        )
        return desk, AgentOffer(desk)

    def _request(self) -> RunRequest:
        return RunRequest(
            agent=self.agent,
            task="",
            params=self.params,
            flags=self.flags,
            limits=RunLimits(),
            subject=_subject(self.work),
            run_id=self.run_id,
            override_tag=self.tag,
        )


def serve(services: Services, wish: ServingOptions, scene: str, *, worlds: bool, port: int | None) -> None:
    """Answer a client until it leaves, on standard input and output, or over HTTP on ``port``.

    Args:
        scene: served in place of a work; empty for none.
        worlds: serve what scenes share, too.
    """
    desk, offer = wish.served(services) if wish.agent else _served(services, wish.work or ".", scene, worlds)
    if port is None:
        asyncio.run(_serve_stdio(desk, offer))
    else:
        asyncio.run(_serve_http(desk, offer, port, token_of(services.defaults().environment)))


def _subject(work: str) -> str:
    """A folder by its whole path, whatever the server's own folder is; any other name as it is."""
    folder = Path(work).expanduser()
    return str(folder.resolve()) if work and folder.is_dir() else work


def _served(services: Services, work: str, scene: str, shared: bool) -> tuple[ToolDesk, Offer]:
    """The desk of a scene or work, and the offer of it to clients."""
    if scene:
        return RoundToolService(services, scene, worlds=shared), SCENE
    found = works.find(services, work)
    if found.kind == "novel":
        return SceneToolService(services, found.workspace.path), NOVEL
    return BookToolService(services, found.workspace.path), BOOK


async def _serve_stdio(desk: ToolDesk, offer: Offer) -> None:
    approver = desk if isinstance(desk, AgentToolService) else None
    await serve_stdio(ToolServer(desk, offer, peer=_peer(), approver=approver))
    await desk.close()


async def _serve_http(desk: ToolDesk, offer: Offer, port: int, token: str) -> None:
    await serve_http(ToolServer(desk, offer), port, token)
    await desk.close()


def _peer() -> str:
    """The process that started us and holds the other end; it stays the same when it starts us again."""
    parent = os.getppid()
    try:
        return f"{parent}@{psutil.Process(parent).create_time():.0f}"
    except psutil.Error:
        return str(parent)
