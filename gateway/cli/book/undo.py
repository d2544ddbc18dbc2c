"""Verbs that take back: rollback, its undo, and reset. What they discard is archived first."""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gateway.cli.arguments import BookArgument, SureFlag
from gateway.cli.output import JsonFlag, Printer
from gateway.desk.services import Services, services_of

if TYPE_CHECKING:
    from gateway.desk.books import Book
    from schemas.book_session import RestoreReport

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

    Everything discarded, unsaved edits included, is kept under refs/penwright/archive/ and pushed there.
    """
    from gateway.cli.asking import confirm
    from gateway.cli.book import reports
    from gateway.desk import books

    services, out = services_of(ctx), Printer(json)
    found = books.find(services, book, laid_out=not undo)
    plan = planned(services, found, to=to, undo=undo)
    for line in plan.lines:
        out.note(line)
    if dry_run:
        out.result(plan.data, "Nothing was changed.")
        return
    confirm("Go on?", sure=yes or undo)
    report = restore(services, found, kind="undo" if undo else "rollback", target=plan.target)
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
    from gateway.cli.asking import confirm_by_name
    from gateway.cli.book import reports
    from gateway.desk import books

    services, out = services_of(ctx), Printer(json)
    found = books.find(services, book)
    name = Path(found.workspace.path).name
    out.note(f"This empties {found.title!r} in {found.workspace.path}: prose, outlines, material, changelog.")
    confirm_by_name("Everything is archived first.", name, given=yes)
    report = restore(services, found, kind="reset", target=None)
    out.result(report, reports.restore_lines(report, book))


@dataclass(frozen=True, slots=True)
class Plan:
    """What a rollback would do."""

    target: str | None
    commits: tuple[str, ...]
    unsaved: tuple[str, ...]

    @property
    def lines(self) -> list[str]:
        if self.target is None:
            return ["This brings back what the last rollback or reset set aside."]
        shown = [f"  {commit}" for commit in self.commits[:_SHOWN]]
        if len(self.commits) > _SHOWN:
            shown.append(f"  … and {len(self.commits) - _SHOWN} more")
        unsaved = [f"  unsaved: {path}" for path in self.unsaved]
        kept = "Kept under refs/penwright/archive/ in the book, and pushed there:"
        return [f"Back to {self.target}.", kept, *(shown + unsaved or ["  nothing"])]

    @property
    def data(self) -> dict[str, object]:
        return {
            "status": "dry_run",
            "target": self.target,
            "commits": list(self.commits),
            "unsaved": list(self.unsaved),
        }


def planned(services: Services, found: "Book", *, to: str | None, undo: bool) -> Plan:
    """What a rollback, or its undo, would do."""
    from penwright.adapters.scaffold.repository_folder import git

    top = Path(found.workspace.path)
    dirty = git(top, "-c", "core.quotePath=false", "status", "--porcelain", "-z", "--no-renames")
    unsaved = tuple(entry[3:] for entry in dirty.split("\0") if entry)
    if undo:
        return Plan(None, (), unsaved)
    target = _target(services, found, to)
    log = git(top, "log", "--format=%h %s", f"refs/tags/{target}..refs/heads/{found.workspace.branch}", "--")
    return Plan(target, tuple(log.splitlines()), unsaved)


def _target(services: Services, found: "Book", to: str | None) -> str:
    """The tag to go back to; named here, so that what was shown is what happens."""
    from penwright.errors import NotFound

    tags = services.workspaces().tags(found.workspace)
    if to is None and tags:
        return tags[-1]
    if to is None or to not in tags:
        listed = ", ".join(tags[-5:]) or "none yet"
        raise NotFound(
            "no-such-tag",
            f"{found.title!r} has no session tag {to!r}" if to else f"{found.title!r} has no session yet",
            hint=f"the latest tags are: {listed}",
        )
    return to


def restore(services: Services, found: "Book", *, kind: str, target: str | None) -> "RestoreReport":
    """Run the errand and give its report."""
    from gateway.desk import books
    from penwright.errors import PermanentError

    given = books.errand_input(services, found, kind=kind, target=target)

    async def ask() -> "RestoreReport | None":
        async with services.engine() as engine:
            return (await engine.pipelines.errand(given)).restore

    if (report := asyncio.run(ask())) is None:
        raise PermanentError("no-report", f"the errand for {found.book_id!r} ended without a report")
    return report
