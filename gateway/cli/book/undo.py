"""Verbs that take back or bring back: rollback, reset, restore, and what the remote lost."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from gateway.cli.arguments import BookArgument, SureFlag
from gateway.cli.asking import confirm, confirm_by_name
from gateway.cli.book import reports
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.desk.book import editing, lost_config, restoring
from gateway.desk.services import Services
from gateway.desk.works import books
from gateway.desk.works.books import Book
from penwright.domain.text.words import told_length
from schemas.workspace import RestorePlan


def rollback(
    ctx: typer.Context,
    book: BookArgument = ".",
    to: Annotated[
        str | None, typer.Option("--to", metavar="TAG", help="Session tag to go back to. Default: the last.")
    ] = None,
    undo: Annotated[bool, typer.Option("--undo", help="Bring back what was discarded last.")] = False,
    yes: SureFlag = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be discarded.")] = False,
    json: JsonFlag = False,
) -> None:
    """Take the book back to where a session began.

    \b
      penwright book rollback ~/books/tide --dry-run
      penwright book rollback ~/books/tide --to ink-2026-02-22-14-30 --yes
      penwright book rollback ~/books/tide --undo

    Your later commits and unsaved edits stay, except in passages that the session wrote. Everything is kept
    under refs/penwright/archive/ as it was, and pushed there if the book has a remote.
    """
    services = services_of(ctx)
    found = books.find(services, book, laid_out=False)
    plan = restoring.planned(services, found, to=to, undo=undo)
    take_back(services, found, plan, book, yes=yes or undo, dry_run=dry_run, json=json)


def take_back(
    services: Services, found: Book, plan: RestorePlan, name: str, *, yes: bool, dry_run: bool, json: bool
) -> None:
    """List what is planned, ask, and do it. ``name``: the book as it was called."""
    out = Printer(json)
    held = asyncio.run(restoring.in_the_way(services, found))
    lines = [*restoring.plan_lines(plan), *([f"warning: {held}"] if held else [])]
    for line in lines:
        out.note(line)
    if dry_run:
        told = plan.model_dump(mode="json", exclude={"digest"})
        out.result({"status": "dry_run", **told, "in_the_way": held}, "Nothing was changed.")
        return
    confirm(
        "Go on?", sure=yes, first=f"look with `{restoring.dry_run_command(plan, quote(name))}`", about=lines
    )
    report = asyncio.run(restoring.take_back(services, found, plan))
    for warning in report.warnings:
        out.note(f"warning: {warning}")
    out.result(report, reports.restore_lines(report, name))


def reset(
    ctx: typer.Context,
    book: BookArgument = ".",
    yes: Annotated[
        str | None,
        typer.Option("--yes", metavar="NAME", help="The folder's name, to confirm."),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Empty the book and begin again.

    \b
      penwright book reset ~/books/tide --yes tide

    Its text stays in the history; unsaved edits and old session tags are archived, and
    `penwright book rollback --undo` brings everything back.
    """
    services, out = services_of(ctx), Printer(json)
    found = books.find(services, book)
    name = Path(found.workspace.path).name
    empties = f"This empties {found.title!r} in {found.workspace.path}: prose, outlines, material, changelog."
    out.note(empties)
    confirm_by_name("Everything is archived first.", name, given=yes, about=[empties])
    report = asyncio.run(restoring.restore(services, found, "reset"))
    out.result(report, reports.restore_lines(report, book))


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
