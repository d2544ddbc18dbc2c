"""Verbs that decide on a session that the remote lost, as after another's forced push."""

import asyncio
from typing import Annotated

import typer

from gateway.cli.arguments import BookArgument, SureFlag
from gateway.cli.book import reports
from gateway.cli.book.undo import take_back
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.desk.book import restoring
from gateway.desk.works import books


def accept_remote(
    ctx: typer.Context,
    book: BookArgument = ".",
    yes: SureFlag = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be taken out.")] = False,
    json: JsonFlag = False,
) -> None:
    """Take out here what the remote no longer has.

    \b
      penwright book accept-remote ~/books/tide --dry-run
      penwright book accept-remote ~/books/tide --yes

    What was committed here since stays, commit by commit, and so do unsaved edits. All of it as it was
    is kept under refs/penwright/archive/; `penwright book rollback --undo` brings it back.
    """
    services = services_of(ctx)
    found = books.find(services, book)
    take_back(
        services,
        found,
        restoring.planned_acceptance(services, found),
        book,
        yes=yes,
        dry_run=dry_run,
        json=json,
    )


def restore_session(ctx: typer.Context, book: BookArgument = ".", json: JsonFlag = False) -> None:
    """Publish again what the remote no longer has.

    \b
      penwright book restore-session ~/books/tide

    What the remote has besides is merged.
    """
    services, out = services_of(ctx), Printer(json)
    found = books.find(services, book)
    report = asyncio.run(restoring.restore(services, found, "restore-session"))
    out.result(report, reports.restore_lines(report, book))
