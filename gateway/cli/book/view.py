"""Verbs that look without changing anything: status, log, doctor, list."""

import asyncio
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gateway.cli.arguments import BookArgument
from gateway.cli.output import EXIT_FAILED, JsonFlag, Printer
from gateway.desk.services import Services, services_of

if TYPE_CHECKING:
    from gateway.desk.books import Book
    from schemas.base import BookId, Progress
    from schemas.book import BookStatus, Check
    from schemas.records import BookRow, RunRow
    from schemas.workspace import Workspace


def status(ctx: typer.Context, book: BookArgument = ".", json: JsonFlag = False) -> None:
    """Show where a book stands.

    \b
      penwright book status ~/books/tide
      penwright book status tide-4f2a --json

    It reads the repository itself and needs no engine; with one, it also shows the running session.
    """
    from gateway.cli.book import reports
    from gateway.desk import books

    services = services_of(ctx)
    found = books.find(services, book)
    stands = book_status(services, found)
    up, progress, trouble = asyncio.run(_progress(services, found.book_id))
    data = {
        **stands.model_dump(mode="json"),
        "title": found.title,
        "path": found.workspace.path,
        "engine_running": up,
        "progress": progress.model_dump(mode="json") if progress else None,
        "trouble": trouble,
    }
    Printer(json).result(data, reports.status_lines(stands, found.title, progress, trouble))


def log(
    ctx: typer.Context,
    book: BookArgument = ".",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="How many, newest first.")] = 20,
    json: JsonFlag = False,
) -> None:
    """List the sessions of a book, newest first.

    \b
      penwright book log ~/books/tide -n 5

    Commits and words come from the repository; costs and sessions without text from the engine's store.
    """
    from gateway.cli.book import reports
    from gateway.desk import books
    from gateway.desk.session_log import session_log

    services, out = services_of(ctx), Printer(json)
    found = books.find(services, book)
    runs = _runs(services, found.book_id, limit)
    if runs is None:
        out.note("The engine is not running: costs, and sessions that wrote nothing, are not shown.")
    entries = session_log(found, runs or (), limit)
    out.result({"book_id": found.book_id, "sessions": entries}, reports.log_lines(entries))


def doctor(ctx: typer.Context, book: BookArgument = ".", json: JsonFlag = False) -> None:
    """Check a book and say how to mend what is wrong.

    \b
      penwright book doctor ~/books/tide

    Exit codes: 0 healthy, 1 something needs attention.
    """
    services = services_of(ctx)
    checks = book_checks(services, book)
    healthy = all(check.ok for check in checks)
    lines = [
        f"{'ok' if check.ok else 'MEND':4}  {check.name:22}  {check.detail}".rstrip() for check in checks
    ]
    advice = [f"      {check.name}: {check.advice}" for check in checks if not check.ok and check.advice]
    Printer(json).result(
        {
            "status": "healthy" if healthy else "issues",
            "checks": [check.model_dump(mode="json") for check in checks],
        },
        [*lines, *(["What to do:", *advice] if advice else [])],
    )
    if not healthy:
        raise typer.Exit(EXIT_FAILED)


def list_(ctx: typer.Context, json: JsonFlag = False) -> None:
    """List every registered book and where it stands.

    \b
      penwright book list --json

    A book is registered by its first session, or by `init` and `import` while the engine runs.
    """
    from gateway.cli.book import reports

    services = services_of(ctx)
    with services.open_store() as store:
        rows = store.records.books()
    entries = [_listed(services, row) for row in rows]
    Printer(json).result({"books": entries}, reports.list_lines(entries))


def book_status(services: Services, found: "Book") -> "BookStatus":
    """Where the book stands, read at its tip."""
    from penwright.domain.book.layout import FULL_BOOK, SESSION_PATTERNS, names_at
    from penwright.domain.book.status import book_status as standing
    from penwright.domain.book.view import read_book

    workspaces, now = services.workspaces(), services.now()
    snapshot = workspaces.snapshot(found.workspace, SESSION_PATTERNS, names=names_at(now))
    view = read_book(snapshot)
    if view.needs_count:
        patterns = (*SESSION_PATTERNS, FULL_BOOK)
        view = read_book(workspaces.snapshot(found.workspace, patterns, names=names_at(now), at=snapshot.tip))
    tags = workspaces.tags(found.workspace)
    return standing(view, book_id=found.book_id, now=now, last_tag=tags[-1] if tags else "")


def book_checks(services: Services, named: str) -> "tuple[Check, ...]":
    """Everything worth checking about a book: its repository, its files, its remote."""
    from gateway.desk import books
    from penwright.domain.book.examination import examine_book
    from penwright.domain.book.layout import FULL_BOOK, SESSION_PATTERNS, names_at

    workspace = books.workspace_at(services, books.folder(services, named))
    repository = _repository_check(services, workspace)
    if not repository.ok:
        return (repository,)
    snapshot = services.workspaces().snapshot(
        workspace, (*SESSION_PATTERNS, FULL_BOOK), names=names_at(services.now())
    )
    return (repository, *examine_book(snapshot, now=services.now()), _remote_check(services, workspace))


def _repository_check(services: Services, workspace: "Workspace") -> "Check":
    from penwright.errors import PenwrightError
    from schemas.book import Check

    try:
        services.workspaces().check(workspace)
        services.workspaces().snapshot(workspace, ())
    except PenwrightError as error:
        return Check(name="repository", ok=False, detail=error.message, advice=error.details.get("hint", ""))
    return Check(name="repository", ok=True, detail=f"{workspace.path}, branch {workspace.branch}")


def _remote_check(services: Services, workspace: "Workspace") -> "Check":
    from pathlib import Path

    from penwright.adapters.scaffold.repository_folder import git
    from penwright.errors import BrokenWorkspace
    from schemas.book import Check

    top = Path(workspace.path)
    if not git(top, "remote", "get-url", workspace.remote, check=False):
        return Check(name="remote", ok=True, detail="none; the book lives on this machine alone")
    try:
        git(top, "ls-remote", "--heads", workspace.remote, environment=services.defaults().environment)
    except BrokenWorkspace as error:
        return Check(
            name="remote",
            ok=False,
            detail=error.message,
            advice="sessions go on without it and push later; check the network and your access",
        )
    return Check(name="remote", ok=True, detail=f"{workspace.remote} answers")


async def _progress(services: Services, book_id: "BookId") -> "tuple[bool, Progress | None, str]":
    """Whether the engine runs, where the book's session stands, and why that is not known."""
    from gateway.desk.pipelines import NO_ANSWER
    from penwright.errors import EngineUnavailable

    try:
        async with services.engine() as engine:
            return True, await engine.pipelines.progress(book_id), ""
    except EngineUnavailable as error:
        if error.code != NO_ANSWER:
            return False, None, "the engine is not running; start it with `penwright up --detach`"
        return True, None, f"{error.message}; {error.details.get('hint', 'see `penwright logs worker`')}"


def _runs(services: Services, book_id: "BookId", limit: int) -> "tuple[RunRow, ...] | None":
    from penwright.errors import EngineUnavailable, StoreUnavailable

    try:
        with services.open_store() as store:
            return store.records.runs(subject=book_id, pipeline="book-session", limit=limit)
    except (EngineUnavailable, StoreUnavailable):
        return None


def _listed(services: Services, row: "BookRow") -> dict[str, Any]:  # Any: JSON
    from pathlib import Path

    from gateway.desk import books
    from penwright.errors import PenwrightError

    entry: dict[str, Any] = {"book_id": row.book_id, "title": row.title, "path": row.path}
    try:
        found = books.at(services, Path(row.path))
        stands = book_status(services, found)
    except PenwrightError as error:
        return {**entry, "state": "unreadable", "detail": error.message, "words": 0, "target": 0}
    state = "complete" if stands.complete else "session running" if stands.session_active else "idle"
    return {
        **entry,
        "title": found.title,
        "state": state,
        "detail": "",
        "words": stands.total_word_count,
        "target": stands.target_length,
    }
