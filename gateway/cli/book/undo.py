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
from gateway.desk.book.restoring import RestorePlan
from gateway.desk.works import books
from penwright.errors import Refused

_SHOWN = 12


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
    services, out = services_of(ctx), Printer(json)
    found = books.find(services, book, laid_out=False)
    plan = restoring.planned(services, found, to=to, undo=undo)
    lines = plan_lines(plan)
    for line in lines:
        out.note(line)
    if dry_run:
        out.result(_plan_data(plan), "Nothing was changed.")
        return
    confirm("Go on?", sure=yes or undo, about=lines)
    if restoring.planned(services, found, to=to, undo=undo) != plan:
        raise Refused(
            "changed-since",
            "the book was changed since this was listed; nothing was taken back",
            hint=f"look again with `penwright book rollback {quote(book)} --dry-run`",
        )
    kind: restoring.Kind = "undo" if undo else "rollback"
    report = asyncio.run(restoring.restore(services, found, kind, plan.target))
    out.result(report, reports.restore_lines(report, book))


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
    report = asyncio.run(restoring.restore(services, found, "reset", None))
    out.result(report, reports.restore_lines(report, book))


def plan_lines(plan: RestorePlan) -> list[str]:
    """What a rollback would do, for people."""
    if plan.target is None:
        return ["This brings back what the last rollback or reset set aside."]
    shown = [f"  {commit}" for commit in plan.commits[:_SHOWN]]
    if len(plan.commits) > _SHOWN:
        shown.append(f"  … and {len(plan.commits) - _SHOWN} more")
    head = f"This goes back to {plan.target}, and sets aside under refs/penwright/archive/:"
    return [head, *(shown or ["  nothing"]), *_staying_lines(plan)]


def _staying_lines(plan: RestorePlan) -> list[str]:
    """What people changed meanwhile, and where it goes with the session."""
    stays = [f"  {commit}" for commit in plan.kept[:_SHOWN]] + [f"  unsaved: {path}" for path in plan.unsaved]
    if len(plan.kept) > _SHOWN:
        stays.append(f"  … and {len(plan.kept) - _SHOWN} more")
    lines = ["What people changed since stays:", *stays] if stays else []
    if plan.gone_with:
        files = ", ".join(plan.gone_with)
        lines.append(f"But passages that the session wrote and people changed go with it: {files}.")
    return lines


def _plan_data(plan: RestorePlan) -> dict[str, object]:
    return {
        "status": "dry_run",
        "target": plan.target,
        "commits": list(plan.commits),
        "unsaved": list(plan.unsaved),
        "kept": list(plan.kept),
        "gone_with": list(plan.gone_with),
    }
