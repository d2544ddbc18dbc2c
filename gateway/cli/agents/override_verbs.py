"""``penwright agent seed|amend``: sets of overrides."""

from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.agents.verbs import NameArgument
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.desk.agents import overrides as desk
from penwright.errors import UsageMistake
from schemas.overrides import OverrideField

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
