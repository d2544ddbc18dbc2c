"""Verbs that bring back what was lost: by the remote, as after another's forced push, or here."""

import asyncio
from dataclasses import asdict
from typing import Annotated

import typer

from gateway.cli.arguments import BookArgument, SureFlag
from gateway.cli.book import reports
from gateway.cli.book.undo import take_back
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.desk.book import editing, lost_config, restoring
from gateway.desk.works import books
from penwright.domain.text.words import told_length


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


def restore(
    ctx: typer.Context,
    book: BookArgument = ".",
    text: Annotated[
        str | None, typer.Option("--text", metavar="PATH", help="Bring back the words of a text instead.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Bring back a lost Config.yml, or the words of an emptied text.

    \b
      penwright book restore ~/books/tide
      penwright book restore ~/books/tide --text Review/current.md

    A session never commits its deletion, or an empty one, as your edit. If you committed that yourself, the
    next session takes the restored file in. A broken file stays beside it, as Config.yml.broken. A text is
    saved as your commit, as it was when it held words last.
    """
    services = services_of(ctx)
    found = books.find(services, book, laid_out=False)
    if text is not None:
        back = asyncio.run(editing.restore_text(services, found, text, who=services.person()))
        length = told_length(back.words, books.unit_in(services, found))
        line = f"{text} has its {length} back, as in commit {back.commit[:10]}."
        Printer(json).result({"status": "restored", "book_id": found.book_id, **asdict(back)}, line)
        return
    done = lost_config.restore_config(services, found)
    data = {"status": "restored", "book_id": found.book_id, **asdict(done)}
    aside = f" The broken one is now {done.aside}." if done.aside else ""
    Printer(json).result(data, f"{done.path} is back, as in commit {done.commit[:10]}.{aside}")
