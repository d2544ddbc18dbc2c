"""Options that the commands for worlds and their people share."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.completing import things
from gateway.desk.services import Services
from gateway.desk.worlds.forms.yaml_reading import LARGEST
from gateway.desk.worlds.reading_files import read_text
from gateway.desk.worlds.storing import EntityFields

NameArgument = Annotated[str, typer.Argument(metavar="NAME", help="Its name, on one line.")]


def _of_group(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Names of the kind that the command's group is called after."""
    return things(ctx.command_path.split()[-2])(ctx, incomplete)


ThingArgument = Annotated[
    str, typer.Argument(metavar="NAME", help="Its id, or its name.", autocompletion=_of_group)
]
FromOption = Annotated[
    Path | None,
    typer.Option("--from", metavar="FILE", help="Take the fields from a YAML form; - is standard input."),
]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", metavar="FIELD=VALUE", help="Set one field; repeatable.")
]
BasedOnOption = Annotated[
    int | None,
    typer.Option("--based-on", metavar="VERSION", help="What you read. Default: as the form says."),
]
FormFlag = Annotated[bool, typer.Option("--form", help="Print the YAML form, for `--from`.")]
DryRunFlag = Annotated[bool, typer.Option("--dry-run", help="Say what would go, and remove nothing.")]
DescriptionOption = Annotated[str | None, typer.Option("--description", "-d", help="What it is.")]
NoteOption = Annotated[str | None, typer.Option("--author-note", help="How to write, for the models.")]
PlotOption = Annotated[str | None, typer.Option("--plot", help="What has happened, what is to happen.")]
GoalsOption = Annotated[str | None, typer.Option("--goals", help="What the story is to reach.")]
WorldOption = Annotated[
    str | None,
    typer.Option("--world", "-w", metavar="WORLD", help="Its id or name.", autocompletion=things("world")),
]
CampaignOption = Annotated[
    str | None,
    typer.Option(
        "--campaign", "-c", metavar="CAMPAIGN", help="Its id or name.", autocompletion=things("campaign")
    ),
]
AgainFlag = Annotated[bool, typer.Option("--again", help="Even what was imported before.")]
VerboseFlag = Annotated[
    bool, typer.Option("--verbose", help="Name every field that means something else here, or nothing.")
]
ForceFlag = Annotated[bool, typer.Option("--force", help="Replace a file that exists.")]
OutputOption = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Default: the id, in the current folder."),
]


def wanted(
    services: Services,
    from_: Path | None,
    sets: Sequence[str] | None,
    **options: str | int | bool | Sequence[str] | None,
) -> EntityFields:
    """Return what a command line gives for fields; options stand for ``--set`` of the field of their name.

    Raises:
        UsageMistake: as ``read_text``.
    """
    given = [f"{name}={_word(value)}" for name, value in options.items() if value not in (None, [], ())]
    return EntityFields(form=form_text(services, from_), words=(*given, *(sets or ())))


def form_text(services: Services, from_: Path | None) -> str:
    """Return the form that ``--from`` names; empty without one."""
    if from_ is None:
        return ""
    incoming = services.incoming() if str(from_) == "-" else None
    stdin = incoming.read(LARGEST + 1) if incoming else None
    return read_text(from_, most=LARGEST, stdin=stdin) or "{}"


def _word(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
