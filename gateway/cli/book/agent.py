"""Verbs for an agent of your own: open, close, advance, complete."""

from typing import Annotated

import typer

from gateway.cli.arguments import BookArgument, IntentOption
from gateway.cli.output import EXIT_REFUSED, JsonFlag, Printer, print_json
from gateway.desk.services import services_of

SummaryOption = Annotated[
    str, typer.Option("--summary", help="One paragraph for Summary.md; it may begin with a dash.")
]
HumanEditOption = Annotated[
    list[str] | None,
    typer.Option("--human-edit", help="A path from the payload's human_edits; once for each."),
]


def open_(
    ctx: typer.Context,
    book: BookArgument = ".",
    opener: Annotated[
        str,
        typer.Option("--opener", help="Your name; the same name may open twice."),
    ] = "",
    intent: IntentOption = "",
    json: Annotated[bool, typer.Option("--json", help="The payload is always JSON.", hidden=True)] = True,
) -> None:
    """Open a session for your own agent; prints the payload.

    \b
    Write the prose from the payload, then hand it in with `penwright book close`.

    \b
      penwright book open ~/books/tide > payload.json
      my-agent payload.json | penwright book close ~/books/tide --summary "The flood comes."

    Exit codes: 0 open, 3 not open (kill_requested, session_already_run, sealed or refused).
    """
    from gateway.desk import outside_agent
    from penwright.errors import Refused

    opened, payload = outside_agent.open_book(services_of(ctx), book, opener, intent)
    if payload is None:
        raise Refused(opened.code or opened.verdict, opened.message or f"the book is {opened.verdict}")
    print_json(payload)
    if opened.verdict != "open":
        raise typer.Exit(EXIT_REFUSED)


def close(
    ctx: typer.Context,
    book: BookArgument = ".",
    summary: SummaryOption = "",
    human_edit: HumanEditOption = None,
    arcs_closed: Annotated[
        bool, typer.Option("--arcs-closed", help="Every arc of the outline is closed with this prose.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Hand in an open session's prose on standard input.

    \b
      penwright book close ~/books/tide --summary "Mara finds the letter." < prose.md

    The prose is safe in the store before anything else happens to it. UTF-8 only, at most a million words.
    """
    from gateway.cli.book import reports
    from gateway.desk import outside_agent

    report = outside_agent.close_book(
        services_of(ctx), book, summary, human_edit or [], arcs_closed=arcs_closed
    )
    Printer(json).result(report, reports.closed_lines(report))


def advance(ctx: typer.Context, book: BookArgument = ".", json: JsonFlag = False) -> None:
    """Move on to the next chapter's outline.

    \b
      penwright book advance ~/books/tide

    It refuses (exit 3) below nine tenths of the chapter's words, or while the next outline is missing.
    """
    from gateway.cli.book import reports
    from gateway.desk import outside_agent

    report = outside_agent.advance_book(services_of(ctx), book)
    Printer(json).result(report.model_dump(mode="json", exclude_none=True), reports.advance_line(report))
    if report.status != "advanced":
        raise typer.Exit(EXIT_REFUSED)


def complete(
    ctx: typer.Context,
    book: BookArgument = ".",
    early: Annotated[bool, typer.Option("--early", help="Seal it even far below its target length.")] = False,
    json: JsonFlag = False,
) -> None:
    """Seal a finished book.

    \b
      penwright book complete ~/books/tide

    It refuses (exit 3) while instructions are open or the book is too short.
    """
    from gateway.cli.book import reports
    from gateway.desk import outside_agent

    report = outside_agent.complete_book(services_of(ctx), book, early=early)
    Printer(json).result(report.model_dump(mode="json", exclude_none=True), reports.complete_line(report))
    if report.status != "complete":
        raise typer.Exit(EXIT_REFUSED)
