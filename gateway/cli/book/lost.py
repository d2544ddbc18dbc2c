"""Verbs that decide on a session that the remote lost, as after another's forced push."""

import asyncio
import shlex

import typer

from gateway.cli.arguments import BookArgument, SureFlag
from gateway.cli.asking import confirm
from gateway.cli.book import reports
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.desk.book import restoring
from gateway.desk.works import books


def accept_remote(
    ctx: typer.Context, book: BookArgument = ".", yes: SureFlag = False, json: JsonFlag = False
) -> None:
    """Take out here what the remote no longer has.

    \b
      penwright book accept-remote ~/books/tide --yes

    What was committed here since stays, commit by commit, and so do unsaved edits. All of it as it was
    is kept under refs/penwright/archive/; `penwright book rollback --undo` brings it back.
    """
    look = f"look with `penwright book status {shlex.quote(book)}`"
    confirm("This takes out of the book here what the remote no longer has. Go on?", sure=yes, first=look)
    _decide(ctx, book, "accept-remote", json=json)


def restore_session(ctx: typer.Context, book: BookArgument = ".", json: JsonFlag = False) -> None:
    """Publish again what the remote no longer has.

    \b
      penwright book restore-session ~/books/tide

    What the remote has besides is merged.
    """
    _decide(ctx, book, "restore-session", json=json)


def _decide(ctx: typer.Context, book: str, kind: restoring.Kind, *, json: bool) -> None:
    services, out = services_of(ctx), Printer(json)
    found = books.find(services, book)
    report = asyncio.run(restoring.restore(services, found, kind))
    out.result(report, reports.restore_lines(report, book))
