"""``ink-cli``: the tool contract of the seed document, answered by the running engine.

Whatever happens, stdout carries exactly one JSON document. What the book's rules decide
(``session_already_run``, ``needs_…``, ``chapter_not_ready``) leaves with exit code 0; a guard or a failure
with 1, wrong use with 2.
"""

import asyncio
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from typer.main import get_command

from gateway.cli import output
from gateway.cli.arguments import (
    AgentFlag,
    AuthorOption,
    HumanEditOption,
    IntentOption,
    SummaryOption,
    SureFlag,
    TitleOption,
)
from gateway.cli.asking import confirm, confirm_by_name, on_terminal
from gateway.cli.book.agent import close_book
from gateway.cli.book.init import init_book, named
from gateway.cli.command_lines import CheckedCommand
from gateway.cli.context import services_of
from gateway.desk.agents import outside as outside_agent
from gateway.desk.book import overview, restoring
from gateway.desk.works import books
from penwright import errors

RepoPath = Annotated[str, typer.Argument(metavar="REPO_PATH", help="The book's repository.")]

_SEED_WORDS: Mapping[str, str] = {
    "no-active-session": "no active session",
    "already-delivered": "no active session",  # the session closed a moment ago, and winds up
    "already-complete": "book already complete",
    "book-sealed": "book already complete",
    "sealed": "book already complete",
}
"""Guards whose message the seed document fixes."""

_SEED_STATUSES = frozenset({"complete", "needs_revision"})
"""Statuses that the seed document lets ``complete`` answer; anything else is a guard's error."""
_WRITE_ON = (
    "write on with `ink-cli session-open BOOK`; "
    "its author may seal it: `penwright book complete BOOK --early`"
)
_DONE = "nothing is left to do; tell the author, and have the book's schedule removed"
_STEPS: Mapping[str, str] = {
    "no active session": "call `ink-cli session-open BOOK` first, and write from what it prints",
    "book already complete": _DONE,
}
"""Next step of a guard's agent, in its own commands."""

app = typer.Typer(
    help="Tools of a book-writing agent; each prints one JSON document.",
    no_args_is_help=True,
    rich_markup_mode=None,
    add_completion=False,
)


@app.command(cls=CheckedCommand)
def init(
    ctx: typer.Context,
    repo_path: RepoPath,
    title: TitleOption = None,
    author: AuthorOption = None,
    agent: AgentFlag = False,
) -> None:
    """Lay out a book; returns the questions to ask its author."""
    with _seed_errors():
        ask = on_terminal() and not agent
        output.print_json(init_book(services_of(ctx), Path(repo_path), named(title, author), ask=ask))


@app.command("session-open", cls=CheckedCommand)
def session_open(ctx: typer.Context, repo_path: RepoPath, intent: IntentOption = "") -> None:
    """Open a session; returns everything the writer needs."""
    with _seed_errors():
        services = services_of(ctx)
        found = books.find(services, repo_path)
        opened, payload = asyncio.run(outside_agent.open_book(services, found, intent=intent))
        if payload is None or opened.verdict in ("sealed", "refused", "reviewed"):
            raise errors.Refused(opened.code or opened.verdict, opened.message or "the session was refused")
        output.print_json(payload)


@app.command("select-active-intent", cls=CheckedCommand)
def select_active_intent(
    ctx: typer.Context,
    repo_path: RepoPath,
    intent: Annotated[str, typer.Argument(metavar="INTENT_ID", help="Of an intent in progress.")],
) -> None:
    """Say which intent the open session works for; returns what it asks.

    Do it again when the intent was changed: what was selected before is then denied at the close.
    """
    with _seed_errors():
        services = services_of(ctx)
        found = books.find(services, repo_path)
        output.print_json(asyncio.run(outside_agent.select_intent(services, found, intent)))


@app.command("session-close", cls=CheckedCommand)
def session_close(
    ctx: typer.Context, repo_path: RepoPath, summary: SummaryOption = "", human_edit: HumanEditOption = None
) -> None:
    """Close the session with the prose on standard input."""
    with _seed_errors():
        output.print_json(close_book(services_of(ctx), repo_path, summary, human_edit or []))


@app.command(cls=CheckedCommand)
def complete(ctx: typer.Context, repo_path: RepoPath) -> None:
    """Seal the book, unless instructions are still open; one that is too short is an error."""
    with _seed_errors():
        services = services_of(ctx)
        found = books.find(services, repo_path)
        report = asyncio.run(outside_agent.complete_book(services, found, early=False, by_agent=True))
        if report.status not in _SEED_STATUSES:
            raise errors.Refused(report.status.replace("_", "-"), report.message, hint=_WRITE_ON)
        output.print_json(report.model_dump(mode="json", exclude_none=True))


@app.command("advance-chapter", cls=CheckedCommand)
def advance_chapter(ctx: typer.Context, repo_path: RepoPath) -> None:
    """Move on to the next chapter's outline."""
    with _seed_errors():
        services = services_of(ctx)
        report = asyncio.run(outside_agent.advance_book(services, books.find(services, repo_path)))
        output.print_json(report.model_dump(mode="json", exclude_none=True))


@app.command(cls=CheckedCommand)
def rollback(ctx: typer.Context, repo_path: RepoPath, yes: SureFlag = False) -> None:
    """Take the book back to where its last session began; what is discarded is archived."""
    with _seed_errors():
        services = services_of(ctx)
        found = books.find(services, repo_path)
        plan = restoring.planned(services, found, to=None, undo=False)
        lines = restoring.plan_lines(plan)
        sys.stderr.write("\n".join(lines) + "\n")
        confirm("Go on?", sure=yes, about=lines)
        output.print_json(asyncio.run(restoring.take_back(services, found, plan)))


@app.command(cls=CheckedCommand)
def reset(ctx: typer.Context, repo_path: RepoPath, yes: SureFlag = False) -> None:
    """Empty the book; what is discarded is archived."""
    with _seed_errors():
        services = services_of(ctx)
        found = books.find(services, repo_path)
        name = Path(found.workspace.path).name
        confirm_by_name(f"This empties {found.workspace.path}.", name, given=name if yes else None)
        output.print_json(asyncio.run(restoring.restore(services, found, "reset")))


@app.command(cls=CheckedCommand)
def status(ctx: typer.Context, repo_path: RepoPath) -> None:
    """Show the status of the book; needs no engine."""
    with _seed_errors():
        services = services_of(ctx)
        output.print_json(overview.book_status(services, books.find(services, repo_path, laid_out=False)))


@app.command(cls=CheckedCommand)
def doctor(ctx: typer.Context, repo_path: RepoPath) -> None:
    """Check the book; needs no engine."""
    with _seed_errors():
        checks = overview.book_checks(services_of(ctx), repo_path)
        output.print_json(
            {
                "status": "healthy" if all(check.ok for check in checks) else "issues",
                "checks": [check.model_dump(mode="json") for check in checks],
            }
        )


def main(argv: Sequence[str] | None = None) -> NoReturn:
    """The console script."""
    output.hurry()
    output.leave(run(sys.argv[1:] if argv is None else argv))


def run(argv: Sequence[str], *, obj: object = None) -> int:
    """One command line; ``obj`` may bring services."""
    return output.run(get_command(app), "ink-cli", argv, obj=obj, always_json=True)


@contextmanager
def _seed_errors() -> Iterator[None]:
    """A rule's no is a failed guard here: exit code 1, in the seed's words where it has some."""
    try:
        yield
    except errors.Refused as refused:
        message = _SEED_WORDS.get(refused.code, refused.message)
        step = _STEPS.get(message) or output.next_step(refused)
        raise errors.PermanentError(refused.code, message, **{**refused.details, "hint": step}) from refused
