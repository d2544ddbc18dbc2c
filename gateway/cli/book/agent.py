"""Verbs for an agent of your own: open, close, advance, complete."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, TypeVar

import typer

from gateway.cli.arguments import Authorship, BookArgument, HumanEditOption, IntentOption, SummaryOption
from gateway.cli.book import reports
from gateway.cli.context import services_of
from gateway.cli.live import Waiter, wait_showing
from gateway.cli.output import EXIT_REFUSED, JsonFlag, Printer, print_json
from gateway.desk.agents import outside as outside_agent
from gateway.desk.book import overview, seal_review
from gateway.desk.book.story import open_threads
from gateway.desk.services import Services
from gateway.desk.works import books
from gateway.desk.works.books import Book
from penwright.domain.book.refusal_steps import step_after
from penwright.errors import Refused
from schemas.base import Progress
from schemas.book import AdvanceReport, ClosedReport, CompleteReport

_T = TypeVar("_T")
_STILL_ASKED = "the session still advances when it goes on"


def open_(
    ctx: typer.Context,
    book: BookArgument = ".",
    opener: Annotated[
        str,
        typer.Option("--opener", help="Your name; the same name may open twice."),
    ] = "",
    intent: IntentOption = "",
    json: Annotated[bool, typer.Option("--json", help="The payload is always JSON.")] = True,
) -> None:
    """Open a session for your own agent; prints the payload.

    \b
    Write the prose from the payload, then hand it in with `penwright book close`.

    \b
      penwright book open ~/books/tide > payload.json
      my-agent payload.json | penwright book close ~/books/tide --summary "The flood comes."

    Exit codes: 0 open, 3 not open (kill_requested, session_already_run, sealed or refused).
    """
    services = services_of(ctx)
    found = books.find(services, book)
    opened, payload = asyncio.run(outside_agent.open_book(services, found, opener, intent))
    if payload is None:
        raise Refused(opened.code or opened.verdict, opened.message or f"the book is {opened.verdict}")
    print_json(payload)
    if opened.verdict != "open":
        raise typer.Exit(EXIT_REFUSED)


def close(
    ctx: typer.Context,
    book: BookArgument = ".",
    summary: SummaryOption = "",
    human_edit: HumanEditOption = None,
    arcs_closed: Annotated[
        bool, typer.Option("--arcs-closed", help="Every arc of the outline is closed with this prose.")
    ] = False,
    written_by: Annotated[
        Authorship, typer.Option("--written-by", help="Who wrote the prose, for `trace disclose`.")
    ] = Authorship.UNKNOWN,
    json: JsonFlag = False,
) -> None:
    """Hand in an open session's prose on standard input.

    \b
      penwright book close ~/books/tide --summary "Mara finds the letter." < prose.md
      my-agent payload.json | penwright book close ~/books/tide --written-by model

    The prose is safe in the store before anything else happens to it. UTF-8 only, at most a million words.
    """

    services = services_of(ctx)
    report = close_book(
        services, book, summary, human_edit or [], arcs_closed=arcs_closed, authorship=written_by
    )
    found = books.find(services, book)
    waits = overview.not_pushed(services, found) if report.push == "pending" else None
    push = reports.push_lines(waits.since, waits.reason, held=waits.held) if waits else []
    lines = [*reports.closed_lines(found.book_id, report), *push, *reports.warning_lines(report.warnings)]
    Printer(json).result(report, lines)


def advance(ctx: typer.Context, book: BookArgument = ".", json: JsonFlag = False) -> None:
    """Move on to the next chapter's outline.

    \b
      penwright book advance ~/books/tide

    It refuses (exit 3) below nine tenths of the chapter's words, or while the next outline is missing.
    """

    services, out = services_of(ctx), Printer(json)
    found = books.find(services, book)
    resumes = f"penwright book resume {found.book_id}"

    def on_pause() -> None:
        out.note(f"The session is paused; it advances when `{resumes}` lets it go on. Waiting for that.")

    waiter = Waiter(_STILL_ASKED, quiet=json, resumes=resumes)
    advancing = outside_agent.advance_book(services, found, wait=waiter, on_pause=on_pause)
    with _naming(book):
        report = asyncio.run(advancing)
    _report(out, report, reports.advance_line(report), reports.why_not_advanced(report, found.words))


def complete(
    ctx: typer.Context,
    book: BookArgument = ".",
    early: Annotated[bool, typer.Option("--early", help="Seal it even far below its target length.")] = False,
    reviewed: Annotated[
        bool, typer.Option("--reviewed", help="Seals nothing: you have seen what a session sealed by itself.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Seal a finished book.

    \b
      penwright book complete ~/books/tide
      penwright book complete ~/books/tide --reviewed

    It refuses (exit 3) while instructions are open or the book is too short. A book that its last session
    sealed stays in `penwright book list --attention` with what that session told, until you say `--reviewed`.
    """

    services = services_of(ctx)
    found = books.find(services, book)
    if reviewed:
        _settle(services, found, Printer(json))
        return
    with _naming(book):
        report = asyncio.run(outside_agent.complete_book(services, found, early=early))
    why_not = reports.why_not_complete(report, found.words)
    out, threads = Printer(json), open_threads(services, found)
    line = "\n".join(filter(None, (reports.complete_line(report), report.unreviewed)))
    if threads:
        name, open_ones = found.words, ", ".join(threads)
        out.note(f"warning: the story leaves open: {open_ones}; `penwright book threads {name}` quotes them")
    _report(out, report, line, why_not)


def _settle(services: Services, book: Book, out: Printer) -> None:
    seen = seal_review.mark_seal_reviewed(services, book)
    done = f"Nothing of its sealing waits for you any more; the words stay as they are in {book.book_id}."
    line = done if seen else f"Nothing of the sealing of {book.book_id} waited for you."
    out.result({"status": "reviewed", "book_id": book.book_id, "settled": list(seen)}, line)


@contextmanager
def _naming(book: str) -> Iterator[None]:
    """Let the next step after a refusal call the book what its user called it."""
    try:
        yield
    except Refused as error:
        if "hint" in error.details or not (step := step_after(error.code, book)):
            raise
        raise Refused(error.code, error.message, **error.details, hint=step) from error


def _report(
    out: Printer, report: AdvanceReport | CompleteReport, line: str, why_not: tuple[str, str] | None
) -> None:
    """Print what was done; a refusal (its code, what to do) leaves with exit code 3."""
    data = report.model_dump(mode="json", exclude_none=True)
    if why_not is None:
        out.result(data, line)
        return
    code, step = why_not
    if not out.as_json:
        raise Refused(code, line, hint=step)
    out.result({**data, "code": code, "next": step}, "")
    raise typer.Exit(EXIT_REFUSED)


def close_book(
    services: Services,
    named: str,
    summary: str,
    human_edits: list[str],
    *,
    arcs_closed: bool = False,
    authorship: Authorship = Authorship.MODEL,
) -> ClosedReport:
    """Close the session with the prose on standard input; a close that waits for a person says so.

    Args:
        authorship: who wrote the prose; a model, where an agent closes by itself.
    """
    found = books.find(services, named)
    prose = outside_agent.read_prose(services, found)

    async def wait(awaited: Awaitable[_T], progress: Callable[[], Awaitable[Progress | None]], /) -> _T:
        resumes = f"penwright book resume {found.book_id}"
        return await wait_showing(awaited, progress, quiet=False, resumes=resumes)

    closing = outside_agent.close_book(
        services,
        found,
        prose,
        summary=summary,
        human_edits=human_edits,
        arcs_closed=arcs_closed,
        authorship="" if authorship is Authorship.MODEL else authorship.value,
        wait=wait,
    )
    return asyncio.run(closing)
