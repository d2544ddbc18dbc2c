"""Arguments and options that several verbs of scenes share."""

from typing import Annotated

import typer

from gateway.cli.completing import things
from penwright.errors import UsageMistake

SceneArgument = Annotated[
    str,
    typer.Argument(
        metavar="ID",
        help="The scene's id, or its title. `penwright scene list` shows both.",
        autocompletion=things("scene"),
    ),
]
WhoArgument = Annotated[
    str,
    typer.Argument(
        metavar="NAME",
        help="A character: its id, name or nickname.",
        autocompletion=things("character"),
    ),
]
MessageArgument = Annotated[
    str, typer.Argument(metavar="MESSAGE", help="A message's number, as `scene show` has it, or its id.")
]
QueueFlag = Annotated[
    bool, typer.Option("--queue", help="Wait for the end of a round that runs, then start.")
]
DetachFlag = Annotated[bool, typer.Option("--detach", help="Return at once; `watch` comes back to it.")]
MinutesOption = Annotated[int | None, typer.Option("--minutes", min=1, help="Until the round must end.")]
BudgetOption = Annotated[
    float | None, typer.Option("--budget", min=0, help="US dollars that the round may cost.")
]
SetOption = Annotated[
    list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="May be given several times.")
]
RoundOption = Annotated[
    int,
    typer.Option(
        "--round", "-r", metavar="N", min=0, help="A round. Default: the newest.", show_default=False
    ),
]
TakeOption = Annotated[
    int, typer.Option("--take", metavar="N", min=0, help="An earlier take of the round, from `scene log`.")
]


def pairs(given: list[str] | None) -> dict[str, str]:
    """``NAME=VALUE`` as a mapping; raises ``UsageMistake`` (``no-value``)."""
    told = {}
    for each in given or ():
        name, sign, value = each.partition("=")
        if not sign or not name.strip():
            raise UsageMistake("no-value", f"{each!r} sets nothing", hint="write it as NAME=VALUE")
        told[name.strip()] = value
    return told


def micros(dollars: float | None) -> int | None:
    """Millionths of a US dollar."""
    return None if dollars is None else round(dollars * 1_000_000)
