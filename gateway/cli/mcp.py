"""``penwright mcp``: the tools of a book, novel, scene or agent over the Model Context Protocol."""

from typing import Annotated

import typer

from gateway.cli.agents.flags import FlagsOption, flags_given
from gateway.cli.agents.params import ParamsOption, SetOption, merged
from gateway.cli.completing import things, works
from gateway.cli.context import services_of


def mcp(
    ctx: typer.Context,
    work: Annotated[
        str,
        typer.Argument(
            metavar="[WORK]",
            help="The folder of the book or novel, or its registered id. Default: the current folder. "
            "With --agent: what it works on, which may be any name.",
            autocompletion=works("book", "novel"),
        ),
    ] = "",
    scene: Annotated[
        str,
        typer.Option(
            "--scene",
            metavar="ID",
            help="Serve a scene to play in, in place of a work.",
            autocompletion=things("scene"),
        ),
    ] = "",
    shared: Annotated[
        bool,
        typer.Option("--worlds", help="With --scene: also what scenes share, as characters of others."),
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
    # Help is there at once without what serves.
    from gateway.cli.mcp_serving import ServingOptions, serve

    services = services_of(ctx)
    wish = ServingOptions(
        agent, work, id_, merged({}, params, set_ or []), flags_given(flags or []), tag, minutes
    )
    serve(services, wish, scene, worlds=shared, port=http)
