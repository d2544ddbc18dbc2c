"""Arguments and options that several commands share."""

from typing import Annotated

import typer

BookArgument = Annotated[
    str,
    typer.Argument(
        metavar="[BOOK]", help="The book's folder, or its registered id. Default: the current folder."
    ),
]

SureFlag = Annotated[
    bool, typer.Option("--yes", "-y", help="Do it without asking; needed where nobody can answer.")
]

IntentOption = Annotated[
    str,
    typer.Option(
        "--intent",
        help="The intent to write under. Default: the first in progress that owns the review file.",
    ),
]
