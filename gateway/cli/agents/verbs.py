"""Verbs of ``penwright agent``: list, show, render, lint."""

from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.agents import reports
from gateway.cli.agents.params import ParamsOption, SetOption, merged
from gateway.cli.context import services_of
from gateway.cli.output import EXIT_FAILED, JsonFlag, Printer
from gateway.desk.agents import definitions as agents

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="The agent, such as ink/writer; its last part will do.")
]
OpenOption = Annotated[
    list[str] | None, typer.Option("--open", metavar="PATH", help="Show a summarised section in full.")
]
OverridesOption = Annotated[
    str, typer.Option("--overrides", metavar="FILE", help="A file of overrides; stale ones are named.")
]


def list_(ctx: typer.Context, json: JsonFlag = False) -> None:
    """List the agents.

    \b
      penwright agent list
    """
    rows = agents.listed(services_of(ctx))
    Printer(json).result({"agents": rows}, reports.listed(rows))


def show(ctx: typer.Context, name: NameArgument, json: JsonFlag = False) -> None:
    """Show the sections, tools, rules and parameters of an agent.

    \b
      penwright agent show ink/writer
    """
    shown = agents.described(services_of(ctx), name)
    Printer(json).result(shown, reports.shown_lines(shown))


def render(
    ctx: typer.Context,
    name: NameArgument,
    params: ParamsOption = "",
    set_: SetOption = None,
    open_: OpenOption = None,
    overrides: OverridesOption = "",
    tools: Annotated[bool, typer.Option("--tools", help="Print the tools it is offered, too.")] = False,
    json: JsonFlag = False,
) -> None:
    """Print the prompt of an agent at the start of a run.

    \b
      penwright agent render ink/writer
      penwright agent render ink/writer --set SessionTask.words_wanted=0 --tools
      penwright agent render ink/writer --params run.json --overrides bolder.json --json

    Parameters that are not given are the agent's example ones.
    """
    services = services_of(ctx)
    given = merged(agents.example_parameters(services, name), params, set_ or [])
    file = Path(overrides) if overrides else None
    data, prompt, resolved = agents.render_agent(services, name, given, opened=open_ or [], overrides=file)
    out = Printer(json)
    out.result(data, [prompt.text, *(reports.offer_lines(prompt) if tools else [])])
    out.note(reports.rendered_note(prompt, resolved))


def lint(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="One agent. Default: all of them.")] = "",
    json: JsonFlag = False,
) -> None:
    """Check that agents render and their functions are pure.

    \b
      penwright agent lint
      penwright agent lint ink/writer --json

    Pure: no clock, randomness, environment or disk. Exit codes: 0 clean, 1 findings.
    """
    found = agents.lint(services_of(ctx), name)
    Printer(json).result({"agents": found}, reports.linted_lines(found))
    if any(each["findings"] for each in found):
        raise typer.Exit(EXIT_FAILED)
