"""``penwright agent``: what the agents are told, what they may do, and whether they are in order."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gateway.cli.agents.params import ParamsOption, SetOption
from gateway.cli.output import EXIT_FAILED, JsonFlag, Printer
from gateway.desk.services import services_of

if TYPE_CHECKING:
    from penwright.agents.definition.agent import AgentDefinition
    from penwright.agents.prompt.parameters import Parameters
    from penwright.agents.state import State
    from penwright.roles.catalogue import Entry
    from schemas.overrides import ResolvedOverrides

_HELP = """\
Look at the agents: what they are told, and what they may do.

An agent is one definition: sections with their tools, rules and output. Nothing here asks a model.
"""

NameArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="The agent, such as ink/writer; its last part will do.")
]
OpenOption = Annotated[
    list[str] | None, typer.Option("--open", metavar="PATH", help="Show a summarised section in full.")
]
OverridesOption = Annotated[
    str, typer.Option("--overrides", metavar="FILE", help="A file of overrides; stale ones are named.")
]


def register(app: typer.Typer) -> None:
    """Add the group to ``app``."""
    group = typer.Typer(help=_HELP, no_args_is_help=True, rich_markup_mode=None)
    group.command("list")(list_)
    group.command("show")(show)
    group.command("render")(render)
    group.command("lint")(lint)
    app.add_typer(group, name="agent")


def list_(ctx: typer.Context, json: JsonFlag = False) -> None:
    """List the agents.

    \b
      penwright agent list
    """
    from gateway.cli.agents import reports as agent_reports
    from penwright.roles.catalogue import all_agents

    services_of(ctx).register_agents()
    rows = [agent_reports.row(entry.definition) for entry in all_agents().values()]
    Printer(json).result({"agents": rows}, agent_reports.listed(rows))


def show(ctx: typer.Context, name: NameArgument, json: JsonFlag = False) -> None:
    """Show how an agent is made: its sections, tools, rules and parameters.

    \b
      penwright agent show ink/writer
    """
    from gateway.cli.agents import reports as agent_reports
    from penwright.roles.catalogue import find

    services_of(ctx).register_agents()
    shown = agent_reports.shown(find(name).definition)
    Printer(json).result(shown, agent_reports.shown_lines(shown))


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
    """Print what an agent is told at the start of a run.

    \b
      penwright agent render ink/writer
      penwright agent render ink/writer --set SessionTask.words_wanted=0 --tools
      penwright agent render ink/writer --params run.json --overrides bolder.json --json

    Parameters that are not given are the agent's example ones.
    """
    from gateway.cli.agents import reports as agent_reports
    from penwright.agents.prompt import rendering
    from penwright.agents.prompt.overrides import texts_of
    from penwright.roles.catalogue import find

    services_of(ctx).register_agents()
    entry = find(name)
    given = _parameters(entry, params, set_ or [])
    state = _state(entry.definition, open_ or [])
    resolved = _overrides(entry.definition, overrides)
    told = rendering.render(entry.definition, given, state, texts_of(resolved))
    out = Printer(json)
    out.result(
        agent_reports.rendered(entry.definition, given, told, resolved),
        [told.text, *(agent_reports.offer_lines(told) if tools else [])],
    )
    out.note(agent_reports.rendered_note(told, resolved))


def lint(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="One agent. Default: all of them.")] = "",
    json: JsonFlag = False,
) -> None:
    """Check the agents: whether they render, and ask nothing but their arguments.

    \b
      penwright agent lint
      penwright agent lint ink/writer --json

    Exit codes: 0 in order, 1 findings.
    """
    from gateway.cli.agents import reports as agent_reports
    from penwright.roles.catalogue import all_agents, find

    services_of(ctx).register_agents()
    entries = [find(name)] if name else list(all_agents().values())
    found = [agent_reports.linted(entry) for entry in entries]
    Printer(json).result({"agents": found}, agent_reports.linted_lines(found))
    if any(each["findings"] for each in found):
        raise typer.Exit(EXIT_FAILED)


def _parameters(entry: "Entry", path: str, fields: list[str]) -> "Parameters":
    """The example parameters, with those of the file and then single fields in their place."""
    from gateway.cli.agents.params import merged
    from penwright.agents.prompt import parameters

    examples = {type(value).__name__: value.model_dump(mode="json") for value in entry.example}
    return parameters.read(entry.definition, merged(examples, path, fields))


def _overrides(definition: "AgentDefinition", path: str) -> "ResolvedOverrides":
    """What the file's texts come to for this definition."""
    from penwright.adapters.overrides.file_format import read
    from penwright.agents.prompt.overrides import resolve

    given = read(Path(path).expanduser().read_bytes(), path) if path else None
    return resolve(definition, given)


def _state(definition: "AgentDefinition", paths: list[str]) -> "State":
    """A run's first state, with these sections open."""
    from penwright.agents.definition.opened_sections import SectionOpened
    from penwright.agents.state import apply, empty_state
    from penwright.errors import NotFound

    known = [place.path for place in definition.places]
    for path in paths:
        if path not in known:
            hint = f"its sections: {', '.join(known)}"
            raise NotFound("unknown-section", f"{definition.name!r} has no section {path!r}", hint=hint)
    return apply(empty_state(definition.registry), [SectionOpened(path=path) for path in paths])
