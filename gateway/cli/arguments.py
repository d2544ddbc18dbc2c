"""Arguments and options that several commands share."""

from enum import StrEnum
from typing import Annotated

import typer

from gateway.cli.completing import works

BookArgument = Annotated[
    str,
    typer.Argument(
        metavar="[BOOK]",
        help="The book's folder, or its registered id. Default: the current folder.",
        show_default=False,
        autocompletion=works("book"),
    ),
]

WorkArgument = Annotated[
    str,
    typer.Argument(
        metavar="[BOOK]",
        help="The folder of a book or novel, or its registered id. Default: the current folder.",
        show_default=False,
        autocompletion=works("book", "novel"),
    ),
]

SureFlag = Annotated[
    bool, typer.Option("--yes", "-y", help="Do it without asking; needed without a terminal.")
]

TagOption = Annotated[
    str,
    typer.Option(
        "--tag", metavar="TAG", help="Override set of the agents. Default: that of each one's profile."
    ),
]
IntentOption = Annotated[
    str,
    typer.Option(
        "--intent",
        help="The intent to write under. Default: the first in progress that owns the review file.",
    ),
]

TitleOption = Annotated[str | None, typer.Option("--title", help="The book's title.")]
AuthorOption = Annotated[str | None, typer.Option("--author", help="The author's name, as on the cover.")]
EncodingOption = Annotated[
    str,
    typer.Option("--encoding", metavar="NAME", help="Of a text that is not UTF-8. Default: found by itself."),
]
ChaptersOption = Annotated[
    str | None,
    typer.Option(
        "--chapters-at",
        metavar="LEVEL|PATTERN",
        help="Where chapters begin: 1 to 6, a level of headings; or what their lines begin with.",
    ),
]


class TrackedChanges(StrEnum):
    """Choices for a document's tracked changes."""

    ACCEPT = "accept"
    REJECT = "reject"
    REVIEW = "review"


ChangesOption = Annotated[
    TrackedChanges | None,
    typer.Option("--changes", help="Tracked changes of a DOCX. Default: accept in a new work, else review."),
]
LanguageOption = Annotated[
    str, typer.Option("--language", help="The language it is written in. Default: by its script, or English.")
]
AgentFlag = Annotated[
    bool, typer.Option("--agent", help="Ask nothing; print the questions as JSON for an agent to ask.")
]


class Authorship(StrEnum):
    """Declared author of a text, by its owner."""

    HUMAN = "human"
    MODEL = "model"
    MIXED = "mixed"
    UNKNOWN = "unknown"


SummaryOption = Annotated[
    str, typer.Option("--summary", help="One paragraph for Summary.md; it may begin with a dash.")
]
HumanEditOption = Annotated[
    list[str] | None,
    typer.Option("--human-edit", help="A path from the payload's human_edits; once for each."),
]
