"""Verbs of the built-in writer's sessions: session, watch, kill, pause, resume."""

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

from gateway.cli.arguments import BookArgument, IntentOption
from gateway.cli.output import EXIT_FAILED, EXIT_REFUSED, Interrupted, JsonFlag, Printer
from gateway.desk.services import services_of

if TYPE_CHECKING:
    from gateway.desk.books import Book
    from gateway.desk.pipelines import Message, Pipelines
    from schemas.book_session import BookSessionResult


def session(
    ctx: typer.Context,
    book: BookArgument = ".",
    intent: IntentOption = "",
    detach: Annotated[
        bool, typer.Option("--detach", help="Return at once; `watch` comes back to it.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Write one session with the built-in writer.

    \b
    It opens the book, has the model write, closes, pushes and, when the story is told, seals the book.
    Ctrl-C leaves the session running.

    \b
      penwright book session ~/books/tide
      penwright book session tide-4f2a --detach --json
      penwright book session ~/books/tide --intent INT-003

    Exit codes: 0 written, 1 failed, 3 refused or stopped.
    """
    from gateway.desk import books

    services, out = services_of(ctx), Printer(json)
    found = books.find(services, book)
    given = books.session_input(services, found, outside=False, intent=intent)
    with services.open_store() as store:
        books.register(store, services, found, services.now())

    async def start() -> "BookSessionResult | None":
        async with services.engine() as engine:
            await engine.pipelines.start(given)
            if detach:
                return None
            return await _follow(engine.pipelines, found, quiet=json)

    ending = asyncio.run(start())
    if ending is None:
        started = {"status": "started", "book_id": found.book_id, "session": given.session}
        out.result(started, f"Session {given.session} is running; `penwright book watch {book}` shows it.")
    else:
        _print_ending(out, ending, book)


def watch(ctx: typer.Context, book: BookArgument = ".", json: JsonFlag = False) -> None:
    """Follow the running session to its end.

    \b
      penwright book watch ~/books/tide

    While no worker runs, it says so and waits for one; Ctrl-C leaves the session as it is.
    """
    from gateway.desk import books
    from penwright.errors import Refused

    services, out = services_of(ctx), Printer(json)
    found = books.find(services, book)

    async def follow() -> "BookSessionResult":
        async with services.engine() as engine:
            if not await _is_running(engine.pipelines, found, out):
                raise Refused(
                    "nothing-runs",
                    f"no session of {found.book_id!r} is running",
                    hint=f"`penwright book log {book}` lists the sessions so far",
                )
            return await _follow(engine.pipelines, found, quiet=json)

    _print_ending(out, asyncio.run(follow()), book)


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
    from schemas.control import KillRequest

    _tell_session(ctx, book, KillRequest(reason=reason), json, done="stops at its next commit")


def pause(ctx: typer.Context, book: BookArgument = ".", json: JsonFlag = False) -> None:
    """Hold the running session after the step in hand.

    \b
      penwright book pause ~/books/tide
    """
    _tell_session(ctx, book, "pause", json, done="pauses after the step in hand")


def resume(ctx: typer.Context, book: BookArgument = ".", json: JsonFlag = False) -> None:
    """Let a paused session go on.

    A session that spent its budget pauses by itself; raise the cap first.

    \b
      penwright book resume ~/books/tide
    """
    _tell_session(ctx, book, "resume", json, done="goes on")


def _tell_session(ctx: typer.Context, book: str, message: "Message", json: bool, *, done: str) -> None:
    from gateway.desk import books
    from gateway.desk.pipelines import Acknowledgement
    from penwright.errors import EngineUnavailable, Refused

    services = services_of(ctx)
    found = books.find(services, book)

    async def tell() -> Acknowledgement:
        async with services.engine() as engine:
            return await engine.pipelines.signal(found.book_id, message)

    later = f"to stop the next session, create the file '.ink-kill' in {found.workspace.path}"
    try:
        answer = asyncio.run(tell())
    except EngineUnavailable as error:
        raise EngineUnavailable(
            error.code, error.message, hint=f"nothing runs without it; {later}"
        ) from error
    if answer.found != "session":
        what = "an errand is changing it and ends by itself" if answer.found == "errand" else "nothing runs"
        raise Refused(
            "nothing-runs",
            f"no session of {found.book_id!r} is running: {what}",
            hint=later,
        )
    if not answer.heard:
        raise EngineUnavailable(
            "not-acknowledged",
            f"the message to {found.book_id!r} is recorded, but no worker took it up within 5 seconds",
            hint="it acts as soon as a worker runs; `penwright status` shows the workers",
        )
    name = message if isinstance(message, str) else "kill"
    heard = {"status": "acknowledged", "message": name, "book_id": found.book_id}
    Printer(json).result(heard, f"The session of {found.book_id} has heard it and {done}.")


async def _is_running(pipelines: "Pipelines", found: "Book", out: Printer) -> bool:
    """Whether something holds the book; says so when no worker is there to tell more of it."""
    from gateway.desk.pipelines import NO_ANSWER
    from penwright.errors import EngineUnavailable

    try:
        return await pipelines.progress(found.book_id) is not None
    except EngineUnavailable as silence:
        if silence.code != NO_ANSWER:
            raise
        out.note(
            f"A session of {found.book_id} runs, but no worker answers; waiting for one. "
            "`penwright status` shows the workers, `penwright up` starts them."
        )
        return True


async def _follow(pipelines: "Pipelines", found: "Book", *, quiet: bool) -> "BookSessionResult":
    from gateway.cli.live import wait_showing

    try:
        return await wait_showing(
            pipelines.result(found.book_id),
            lambda: pipelines.progress(found.book_id),
            quiet=quiet,
            resumes=f"penwright book resume {found.book_id}",
        )
    except asyncio.CancelledError:  # how a Ctrl-C arrives here
        raise Interrupted(
            f"the session goes on: `penwright book watch {found.book_id}` shows it, "
            f"`penwright book kill {found.book_id}` stops it"
        ) from None


def _print_ending(out: Printer, ending: "BookSessionResult", book: str) -> None:
    """Print how a session ended; a refusal or failure leaves as the error it is."""
    from gateway.cli.book import reports
    from penwright.errors import PermanentError, Refused

    data = ending.model_dump(mode="json")
    if ending.outcome in ("refused", "failed"):
        if not out.as_json:
            raise (Refused if ending.outcome == "refused" else PermanentError)(ending.code, ending.message)
        out.result({"status": "error", "error": ending.message, **data}, "")
        raise typer.Exit(EXIT_REFUSED if ending.outcome == "refused" else EXIT_FAILED)
    out.result({"status": ending.outcome, **data}, reports.ending_lines(ending, book))
    if ending.outcome == "stopped":
        raise typer.Exit(EXIT_REFUSED)
