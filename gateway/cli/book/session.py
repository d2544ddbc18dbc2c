"""Verbs of the built-in writer's sessions: session, watch, kill, pause, resume."""

import asyncio
from shlex import quote
from typing import Annotated

import typer

from gateway.cli.acknowledgement import print_acknowledgement
from gateway.cli.arguments import BookArgument, IntentOption, TagOption
from gateway.cli.book import reports
from gateway.cli.context import services_of
from gateway.cli.live import Beginning, Waiter
from gateway.cli.output import EXIT_FAILED, EXIT_REFUSED, JsonFlag, Printer, next_step
from gateway.desk.book import overview, sessions
from gateway.desk.engine.pipelines import Message
from gateway.desk.services import Services
from gateway.desk.works import books
from gateway.desk.works.books import Book
from gateway.desk.works.named import is_path
from penwright.domain.book.refusal_steps import step_after
from penwright.domain.book.session_warnings import REMOTE_SILENT
from penwright.errors import PermanentError, Refused
from schemas.book_session import BookSessionResult
from schemas.control import KillRequest


def session(
    ctx: typer.Context,
    book: BookArgument = ".",
    intent: IntentOption = "",
    tag: TagOption = "",
    detach: Annotated[
        bool, typer.Option("--detach", help="Return at once; `watch` comes back to it.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Write one session with the built-in writer.

    It opens the book, has the model write, closes, pushes and, when the story is complete, seals the book.
    Ctrl-C leaves the session running.

    \b
      penwright book session ~/books/tide
      penwright book session tide-4f2a --detach --json
      penwright book session ~/books/tide --intent INT-003

    Exit codes: 0 written, 1 failed, 3 refused or stopped.
    """
    services, out = services_of(ctx), Printer(json)
    watch = f"penwright book watch {quote(book)}"
    with Beginning("the session", watch) as beginning:
        found = books.find(services, book)
        given = sessions.session_of(services, found, intent, tag)
        wait = None if detach else waiter(found, quiet=json)
        ending = asyncio.run(sessions.write(services, given, wait, beginning.asked))
    if ending is None:
        started = {"status": "started", "book_id": found.book_id, "session": given.session}
        out.result(started, f"Session {given.session} is running; `{watch}` shows it.")
    else:
        print_ending(out, services, found, ending, book)


def watch(ctx: typer.Context, book: BookArgument = ".", json: JsonFlag = False) -> None:
    """Follow the running session to its end.

    \b
      penwright book watch ~/books/tide

    While no worker runs, it says so and waits for one; Ctrl-C leaves the session as it is.
    """
    services, out = services_of(ctx), Printer(json)
    found = books.find(services, book, laid_out=False)

    def on_silence() -> None:
        out.note(
            f"A session of {found.book_id} runs, but no worker answers; waiting for one. "
            "`penwright status` shows the workers, `penwright up` starts them."
        )

    ending = asyncio.run(sessions.watch(services, found, waiter(found, quiet=json), on_silence))
    print_ending(out, services, found, ending, book)


def kill(
    ctx: typer.Context,
    book: BookArgument = ".",
    reason: Annotated[str, typer.Option("--reason", help="Kept in the book's log.")] = "killed by hand",
    json: JsonFlag = False,
) -> None:
    """Stop the running session; no text is lost.

    \b
      penwright book kill ~/books/tide --reason "wrong outline"

    Without a running session or engine, create a file `.ink-kill` in the book: the next session sees it,
    removes it and ends without writing.
    """
    request = KillRequest(who=services_of(ctx).person(), reason=reason)
    _tell_session(ctx, book, request, json, done="stops at its next commit")


def pause(ctx: typer.Context, book: BookArgument = ".", json: JsonFlag = False) -> None:
    """Pause the running session after its current step.

    \b
      penwright book pause ~/books/tide
    """
    _tell_session(ctx, book, "pause", json, done="pauses after the step in hand")


def resume(ctx: typer.Context, book: BookArgument = ".", json: JsonFlag = False) -> None:
    """Resume a paused session.

    A session that spent its budget pauses by itself; raise the cap first.

    \b
      penwright book resume ~/books/tide
    """
    _tell_session(ctx, book, "resume", json, done="goes on")


def _tell_session(ctx: typer.Context, book: str, message: Message, json: bool, *, done: str) -> None:
    services = services_of(ctx)
    found = books.find(services, book, laid_out=False)
    asyncio.run(sessions.send(services, found, message))
    what = f"The session of {found.book_id}"
    print_acknowledgement(Printer(json), what, message, done, {"book_id": found.book_id})


def waiter(book: Book, *, quiet: bool) -> Waiter:
    """Waits for a session; Ctrl-C leaves it running."""
    goes_on = (
        f"the session goes on: `penwright book watch {book.book_id}` shows it, "
        f"`penwright book kill {book.book_id}` stops it"
    )
    return Waiter(goes_on, quiet, resumes=f"penwright book resume {book.book_id}")


def _push_lines(services: Services, book: Book, ending: BookSessionResult) -> list[str]:
    """Since when the remote lacks something, if it did not take this session either.

    Why is left out if a warning of the session says that the remote did not answer, or lost a session.
    """
    waits = overview.not_pushed(services, book) if ending.push == "pending" else None
    if waits is None:
        return []
    told = any(warning.startswith(REMOTE_SILENT) for warning in ending.warnings)
    reason = "" if waits.held else waits.reason or ending.push_reason
    return reports.push_lines(waits.since, reason, held=waits.held, told=told)


def _folder(found: Book, named: str) -> str:
    """The book's folder: as the user named it, or where it is registered."""
    return named if is_path(named) else found.workspace.path


def print_ending(out: Printer, services: Services, found: Book, ending: BookSessionResult, book: str) -> None:
    """Print how a session ended; a refusal or failure leaves as the error it is.

    Args:
        book: as commands name it.
    """
    folder, push = _folder(found, book), _push_lines(services, found, ending)
    data = ending.model_dump(mode="json")
    if ending.outcome in ("refused", "failed"):
        kind = Refused if ending.outcome == "refused" else PermanentError
        error = kind(ending.code, ending.message, hint=step_after(ending.code, book))
        if not out.as_json:
            for line in (*push, *reports.told_beside(ending, folder)):
                out.note(line)
            raise error
        out.result({"status": "error", "error": ending.message, "next": next_step(error), **data}, "")
        raise typer.Exit(EXIT_REFUSED if ending.outcome == "refused" else EXIT_FAILED)
    out.result({"status": ending.outcome, **data}, [*reports.ending_lines(ending, folder), *push])
    if ending.outcome == "stopped":
        raise typer.Exit(EXIT_REFUSED)
