"""Arguments and options that several verbs of manuscripts share."""

from typing import Annotated

import typer

from gateway.cli.completing import works
from schemas.agent_state import MOST_HUNKS, MOST_PASSES, MOST_TARGETS, WHOLE_NOVEL
from schemas.manuscript import MOST_MINUTES

NovelArgument = Annotated[
    str,
    typer.Argument(
        metavar="[NOVEL]",
        help="The novel's folder, or its registered id. Default: the current folder.",
        show_default=False,
        autocompletion=works("novel"),
    ),
]

TextArgument = Annotated[
    str,
    typer.Argument(
        metavar="[SCENE]",
        help=f"The scene. Default: {WHOLE_NOVEL!r}, the manuscript of the whole novel, or the only one.",
        show_default=False,
    ),
]

SceneArgument = Annotated[
    str,
    typer.Argument(
        metavar="[SCENE]",
        help=f"The scene. Default: {WHOLE_NOVEL!r}, the manuscript of the whole novel.",
        show_default=False,
    ),
]

SceneOption = Annotated[
    str | None,
    typer.Option(
        "--scene",
        metavar="SCENE",
        help="A scene's name; - is the whole-novel manuscript. Default: that, or the only scene.",
    ),
]
MaxPassesOption = Annotated[
    int | None,
    typer.Option("--max-passes", min=1, max=MOST_PASSES, help="Critique and revise so often at most."),
]
MinScoreOption = Annotated[
    float | None, typer.Option("--min-score", min=0, max=1, help="The critic's score that is good enough.")
]
MaxHunksOption = Annotated[
    int | None, typer.Option("--max-hunks", min=1, max=MOST_HUNKS, help="Edits of one reply at most.")
]
MaxTargetsOption = Annotated[
    int | None,
    typer.Option(
        "--max-targets",
        min=1,
        max=MOST_TARGETS,
        help="Sentences of one citation scan at most. Default: as the last time, or 10.",
    ),
]
MinutesOption = Annotated[
    int | None, typer.Option("--minutes", min=1, max=MOST_MINUTES, help="Until it must end.")
]
