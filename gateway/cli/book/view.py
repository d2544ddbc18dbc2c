"""Verbs that look without changing anything: status, log, doctor, list."""

import asyncio
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from gateway.cli.arguments import BookArgument
from gateway.cli.book import reports
from gateway.cli.context import services_of
from gateway.cli.live import money
from gateway.cli.output import EXIT_FAILED, JsonFlag, Printer, columns
from gateway.cli.tables import display_width
from gateway.cli.times import minute
from gateway.cli.wrapping import columns_of, fitted
from gateway.desk.book import board as desk_board
from gateway.desk.book import lore, overview
from gateway.desk.works import books
from penwright.domain.book.board import last_run
from schemas.board import Attention, BoardLine


def status(ctx: typer.Context, book: BookArgument = ".", json: JsonFlag = False) -> None:
    """Show the status of a book.

    \b
      penwright book status ~/books/tide
      penwright book status tide-4f2a --json

    It reads the repository itself and needs no engine; with one, it also shows the running session.
    """
    services = services_of(ctx)
    found = books.find(services, book)
    stands = overview.book_status(services, found)
    now = asyncio.run(overview.session_now(services, found.book_id))
    lorebooks = lore.attached_ids(services, found) if now.engine_running else ()
    last = last_run(now.schedule, stands.sessions_left)
    data = {
        **stands.model_dump(mode="json"),
        "last_run": last.isoformat() if last else None,
        "title": found.title,
        "path": found.workspace.path,
        "engine_running": now.engine_running,
        "progress": now.progress.model_dump(mode="json") if now.progress else None,
        "trouble": now.trouble,
        "lorebooks": list(lorebooks),
    }
    lines = reports.status_lines(stands, found, now.progress, now.trouble, schedule=now.schedule)
    if lorebooks:
        lines.append(f"  lorebooks: {', '.join(lorebooks)}")
    Printer(json).result(data, lines)


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
    services, out = services_of(ctx), Printer(json)
    found = books.find(services, book, laid_out=False)
    log = overview.sessions(services, found, limit)
    if not log.has_runs:
        out.note("The engine is not running: costs, and sessions that wrote nothing, are not shown.")
    data = {"book_id": found.book_id, "sessions": list(log.entries)}
    out.result(data, reports.log_lines(found.words, log.entries, books.unit_in(services, found)))


def doctor(ctx: typer.Context, book: BookArgument = ".", json: JsonFlag = False) -> None:
    """Check a book and say how to fix what is wrong.

    \b
      penwright book doctor ~/books/tide

    Exit codes: 0 healthy, 1 something needs attention.
    """
    services = services_of(ctx)
    checks = overview.book_checks(services, book)
    healthy = all(check.ok for check in checks)
    lines = [f"{'ok' if check.ok else 'FIX':4}  {check.name:22}  {check.detail}".rstrip() for check in checks]
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


def list_(
    ctx: typer.Context,
    attention: Annotated[
        bool, typer.Option("--attention", help="Only books that need a person, why, and what to run.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """List every registered book: its state, words, next run, cost and push.

    \b
      penwright book list
      penwright book list --attention
      penwright book list --json

    A book is registered by its first session, or by `init` and `import` while the engine runs. Its words are
    those of its last session or other change; `penwright book status` reads the book itself.
    """
    out = Printer(json)
    board = asyncio.run(desk_board.board(services_of(ctx), minute))
    if board.trouble:
        out.note(f"What runs now, and which schedules there are, is not known: {board.trouble}")
    shown = board.waiting if attention else board.lines
    data = {"books": [line.model_dump(mode="json") for line in shown], "trouble": board.trouble}
    if attention:
        out.result(data, [fitted(each, sys.stdout) for each in attention_lines(shown)])
    else:
        out.result(data, list_lines(shown, columns_of(sys.stdout)))


_HEAD = ("book", "state", "words", "next run", "cost", "push", "last session", "folder")


def list_lines(lines: Sequence[BoardLine], width: int = 0) -> list[str]:
    """A table with one row per book, and how many of them need a person.

    ``width``: of the terminal; where the table is wider, each book has lines of its own. 0: any.
    """
    if not lines:
        return ["No book is registered; `penwright book init PATH` lays one out."]
    table = columns([_HEAD, *(_cells(line) for line in lines)])
    if width and max(map(display_width, table)) > width:
        table = [text for line in lines for text in _block(line)]
    waiting = sum(bool(line.attention) for line in lines)
    if not waiting:
        return table
    need = "1 book needs" if waiting == 1 else f"{waiting} books need"
    return [*table, f"{need} you: `penwright book list --attention` says why."]


def _block(line: BoardLine) -> list[str]:
    """One book, a fact in each line; what there is nothing to say of is left out."""
    book, *cells = _cells(line)
    facts = [(name, cell) for name, cell in zip(_HEAD[1:], cells, strict=True) if cell != "-"]
    return [book, *(f"  {text}" for text in columns(facts))]


def attention_lines(lines: Sequence[BoardLine]) -> list[str]:
    """Each book that needs a person: why, and the command to run next."""
    if not lines:
        return ["No book is held up; `penwright status` names those with words to review."]
    return [text for line in lines for text in (f"{line.book_id}: {line.state}", *_reasons(line))]


def _reasons(line: BoardLine) -> list[str]:
    return [text for one in line.attention for text in (f"  {one.reason}", f"    next: {_commands(one)}")]


def _commands(one: Attention) -> str:
    return f"`{one.command}`, or `{one.also}`" if one.also else f"`{one.command}`"


def _cells(line: BoardLine) -> tuple[str, ...]:
    waiting = f" (+{line.waiting:,})" if line.waiting else ""
    return (
        line.book_id,
        line.state,
        f"{line.words:,}{waiting} of {line.target:,}",
        _next_run(line),
        money(line.cost_micros, line.unknown_prices) if line.cost_micros or line.unknown_prices else "-",
        _push(line),
        _last(line),
        line.path,
    )


def _next_run(line: BoardLine) -> str:
    if line.schedule == "paused":
        return "paused"
    return minute(line.next_run) if line.next_run else "-"


def _push(line: BoardLine) -> str:
    if line.push == "pending" and line.push_since:
        return f"pending since {minute(line.push_since)}"
    return line.push or "-"


def _last(line: BoardLine) -> str:
    last = line.last
    if last is None:
        return "-"
    why = f" ({last.code})" if last.code else ""
    return f"{last.outcome}{why} {minute(last.at)}"
