"""Verbs that take back: rollback, its undo, and reset. What they discard is archived first."""

import asyncio
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from gateway.cli.arguments import BookArgument, SureFlag
from gateway.cli.asking import confirm, confirm_by_name
from gateway.cli.book import reports
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.desk.book import restoring
from gateway.desk.services import Services
from gateway.desk.works import books
from gateway.desk.works.books import Book
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
    confirm("Go on?", sure=yes, first=f"look with `{restoring.looking(plan, quote(name))}`", about=lines)
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
