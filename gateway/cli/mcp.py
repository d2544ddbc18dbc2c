"""``penwright mcp``: the tools of a book, novel, scene or agent over the Model Context Protocol."""

import asyncio
import os
from typing import Annotated

import psutil
import typer

from gateway.cli.agents.flags import FlagsOption, flags_given
from gateway.cli.agents.params import ParamsOption, SetOption, merged
from gateway.cli.context import services_of
from gateway.cli.mcp_agent import Wish
from gateway.desk.agents.tool_desk import ToolDesk
from gateway.desk.agents.tools import AgentToolService
from gateway.desk.book.book_tools import BookToolService
from gateway.desk.manuscript.scene_tools import SceneToolService
from gateway.desk.scene.round_tools import RoundToolService
from gateway.desk.services import Services
from gateway.desk.works import works
from gateway.mcp.bearer import token_of
from gateway.mcp.http import serve_http
from gateway.mcp.offers import BOOK, NOVEL, SCENE, Offer
from gateway.mcp.server import ToolServer
from gateway.mcp.stdio import serve_stdio
from penwright.errors import UsageMistake


def mcp(
    ctx: typer.Context,
    work: Annotated[
        str,
        typer.Argument(
            metavar="[WORK]",
            help="The folder of the book or novel, or its registered id. Default: the current folder. "
            "With --agent: what it works on, which may be any name.",
        ),
    ] = "",
    scene: Annotated[
        str, typer.Option("--scene", metavar="ID", help="Serve a scene to play in, in place of a work.")
    ] = "",
    shared: Annotated[
        bool,
        typer.Option("--worlds", help="With --scene: also what scenes share, as pictures of characters."),
    ] = False,
    agent: Annotated[
        str,
        typer.Option("--agent", metavar="NAME", help="Serve an agent of the catalogue, such as ink/editor."),
    ] = "",
    id_: Annotated[
        str, typer.Option("--id", help="Of the agent's run; the same id goes on with it. Default: a new one.")
    ] = "",
    params: ParamsOption = "",
    set_: SetOption = None,
    flags: FlagsOption = None,
    tag: Annotated[str, typer.Option("--tag", help="The agent's override set to work with.")] = "",
    minutes: Annotated[
        float, typer.Option("--minutes", min=0.1, help="How long the agent's run may take.")
    ] = 1440,
    http: Annotated[
        int | None,
        typer.Option(
            "--http", min=0, max=65535, metavar="PORT", help="Serve HTTP on 127.0.0.1; 0: any free port."
        ),
    ] = None,
) -> None:
    """Give an outside agent the tools of a book, a novel, a scene or an agent.

    The agent may be Claude, Codex or any other MCP client.

    \b
    Claude Code:
      claude mcp add tide -- penwright mcp ~/books/tide

    \b
    Codex, in ~/.codex/config.toml:
      [mcp_servers.tide]
      command = "penwright"
      args = ["mcp", "/home/you/books/tide"]
      tool_timeout_sec = 1800

    \b
    Any other client:
      {"mcpServers": {"tide": {"command": "penwright", "args": ["mcp", "/home/you/books/tide"]}}}

    \b
    A scene to play in:
      claude mcp add harbour -- penwright mcp --scene harbour

    \b
    The tools, policies and state of an agent, in a run of its own:
      claude mcp add editor -- penwright mcp ~/books/tide --agent ink/editor

    \b
    Over HTTP, for clients on this machine that send its token. It is printed
    at the start, or is what PENWRIGHT_MCP_TOKEN says:
      penwright mcp ~/books/tide --http 8765        http://127.0.0.1:8765/mcp

    It speaks on standard input and output, and logs on standard error. The engine must run (`penwright up`).
    """
    services = services_of(ctx)
    if scene and agent:
        raise UsageMistake("scene-or-agent", "--scene and --agent serve different things; give one of them")
    if shared and not scene:
        raise UsageMistake("worlds-without-scene", "--worlds goes with --scene")
    wish = Wish(agent, work, id_, merged({}, params, set_ or []), flags_given(flags or []), tag, minutes)
    desk, offer = wish.served(services) if agent else _served(services, work or ".", scene, shared)
    if http is None:
        asyncio.run(_serve_stdio(desk, offer))
    else:
        token = token_of(services.defaults().environment)
        asyncio.run(_serve_http(desk, offer, http, token))


def _served(services: Services, work: str, scene: str, shared: bool) -> tuple[ToolDesk, Offer]:
    """What is served, and what clients are offered of it."""
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
