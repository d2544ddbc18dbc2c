"""Verbs of ``penwright agent``: list, show, render, seed, amend, lint."""

import json as jsonlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.agents.params import ParamsOption, SetOption, merged
from gateway.cli.context import services_of
from gateway.cli.output import EXIT_FAILED, JsonFlag, Printer, columns
from gateway.desk.agents import definitions as agents
from gateway.desk.agents import overrides as desk
from gateway.desk.agents.definitions import Json
from penwright.agents.prompt.rendering import Rendered
from penwright.domain.text.counted import counted
from penwright.errors import UsageMistake
from schemas.agent import SkippedOverride
from schemas.overrides import OverrideField, ResolvedOverrides

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
    Printer(json).result({"agents": rows}, listed(rows))


def show(ctx: typer.Context, name: NameArgument, json: JsonFlag = False) -> None:
    """Show the sections, tools, rules and parameters of an agent.

    \b
      penwright agent show ink/writer
    """
    shown = agents.described(services_of(ctx), name)
    Printer(json).result(shown, shown_lines(shown))


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
    out.result(data, [prompt.text, *(offer_lines(prompt) if tools else [])])
    out.note(rendered_note(prompt, resolved))


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
    Printer(json).result({"agents": found}, linted_lines(found))
    if any(each["findings"] for each in found):
        raise typer.Exit(EXIT_FAILED)


_SHORT = 12
"""Characters of a digest that people are shown."""


def listed(rows: Sequence[Json]) -> list[str]:
    """The list as a table."""
    cells = [
        (
            each["name"],
            str(each["version"]),
            str(each["sections"]),
            str(len(each["tools"])),
            each["output"],
            each["digest"][:_SHORT],
            each["title"],
        )
        for each in rows
    ]
    return columns([("name", "version", "sections", "tools", "output", "digest", "title"), *cells])


def shown_lines(made: Json) -> list[str]:
    """The same for people."""
    lines = [f"{made['name']}, version {made['version']}: {made['title']}", ""]
    for section in made["sections"]:
        lines += _section_lines(section)
    lines += ["", f"answers: {made['output']}, repaired at most {counted(made['repairs'], 'time')}"]
    for kind, schema in made["parameters"].items():
        lines.append(f"parameters: {kind} ({', '.join(_field_names(schema)) or 'no fields'})")
    for name, flag in made["flags"].items():
        lines.append(f"flag: {name} ({flag['type']}), else {jsonlib.dumps(flag['default'])}")
    for guard in ("policies", "feedback"):
        lines += [f"{guard}: {', '.join(made[guard])}"] if made[guard] else []
    lines += [f"done when: {made['completion']}"] if made["completion"] else []
    lines += [f"state: {', '.join(made['slices'])}", f"digest: {made['digest']}", ""]
    texts = [(each["path"], each["field"], each["digest"][:_SHORT]) for each in made["texts"]]
    return [*lines, "texts that an override may replace:", *columns([("at", "field", "digest"), *texts])]


def offer_lines(prompt: Rendered) -> Iterator[str]:
    """The tools as they are described to a model."""
    for offer in prompt.offers:
        yield ""
        yield f"tool {offer.name}: {offer.description}"
        yield jsonlib.dumps(offer.parameters, ensure_ascii=False, indent=2)


def rendered_note(prompt: Rendered, resolved: ResolvedOverrides) -> str:
    """Lines on a rendered prompt beside its text."""
    lines = ["", f"sections: {', '.join(prompt.paths)}", f"tools: {', '.join(prompt.tools) or 'none'}"]
    lines += [_skipped(each) for each in resolved.skipped]
    return "\n".join([*lines, f"digest: {prompt.digest}"])


def _skipped(override: SkippedOverride) -> str:
    if override.why:
        return f"skipped: {override.why}"
    found = override.found[:_SHORT] or "gone"
    written = override.expected[:_SHORT]
    return f"skipped: {override.field} at {override.path}, written against {written}; now it is {found}"


def linted_lines(found: Sequence[Json]) -> list[str]:
    """The same for people, agent after agent."""
    lines: list[str] = []
    for each in found:
        lines.append(f"{each['name']}: {_count(each['findings'])}")
        lines += [f"  {one['code']}: {one['message']}" for one in each["findings"]]
    return lines or ["no agents"]


def _count(found: Sequence[object]) -> str:
    return f"{len(found)} finding{'s' if len(found) > 1 else ''}" if found else "in order"


def _section_lines(section: Json) -> Iterator[str]:
    indent = "  " * section["number"].count(".")
    marks = [f"visibility {section['visibility']}"] if section["visibility"] != "full" else []
    marks += ["only in some states"] if section["enabled"] == "depends" else []
    marks += [f"filled by {section['params']}"] if section["params"] else []
    about = f"  [{'; '.join(marks)}]" if marks else ""
    yield f"{indent}{section['number']} {section['title']} ({section['path']}){about}"
    for tool in section["tools"]:
        asks = ", asks a person" if tool["approval"] else ""
        yield f"{indent}  tool {tool['name']} ({tool['effect']}{asks}): {tool['description']}"
    yield from (f"{indent}  skill {skill['name']}" for skill in section["skills"])
    yield from (f"{indent}  policy {name}" for name in section["policies"])


def _field_names(schema: Json) -> list[str]:
    wanted = schema.get("required", [])
    return [name if name in wanted else f"[{name}]" for name in schema.get("properties", {})]


TagOption = Annotated[
    str, typer.Option("--tag", help="Name of the set, as the option --tag of `run start` takes it.")
]


def seed(ctx: typer.Context, name: NameArgument, tag: TagOption, json: JsonFlag = False) -> None:
    """Store an agent's present texts as a set of overrides.

    \b
      penwright agent seed ink/editor --tag bolder
      penwright agent amend ink/editor --tag bolder --path craft --from craft.md
      penwright run start ink/editor --tag bolder --subject ~/books/tide --task "Correct the lore."
    """
    made = desk.seed(services_of(ctx), name, tag)
    agent = f"{made.namespace}/{made.key}"
    data = {"status": "seeded", "agent": agent, "tag": tag, "texts": len(made.overrides)}
    Printer(json).result(data, f"{agent} has {len(made.overrides)} texts in the set {tag!r}.")


def amend(
    ctx: typer.Context,
    name: NameArgument,
    tag: TagOption,
    path: Annotated[
        str, typer.Option("--path", help="Of the text, from `penwright agent show AGENT --json`.")
    ],
    from_: Annotated[Path, typer.Option("--from", metavar="FILE", help="The new text, UTF-8.")],
    field: Annotated[
        str, typer.Option("--field", help="body, summary, description, param or example.")
    ] = "body",
    expected: Annotated[
        str, typer.Option("--expected", help="Digest of the text that it replaces. Default: the present one.")
    ] = "",
    json: JsonFlag = False,
) -> None:
    """Put one text into a set of overrides.

    \b
      penwright agent amend ink/editor --tag bolder --path craft --from craft.md

    An override holds as long as the text that it replaces stays as it is.
    """
    made = desk.amend(services_of(ctx), name, tag, path, _field(field), _text(from_), expected=expected)
    agent = f"{made.namespace}/{made.key}"
    data = {"status": "amended", "agent": agent, "tag": tag, "path": path, "field": field}
    Printer(json).result(data, f"The {field} at {path!r} of {agent} is amended in the set {tag!r}.")


def _field(given: str) -> OverrideField:
    fields: tuple[OverrideField, ...] = ("body", "summary", "description", "param", "example")
    for each in fields:
        if each == given:
            return each
    raise UsageMistake("bad-field", f"{given!r} is no kind of text; give one of {', '.join(fields)}")


def _text(file: Path) -> str:
    try:
        return file.expanduser().read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageMistake("unreadable-text", f"{file} cannot be read as UTF-8 text: {error}") from None
