"""``penwright book read``: have a book read for its continuity."""

import asyncio
from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated

import typer

from gateway.cli.arguments import BookArgument
from gateway.cli.context import services_of
from gateway.cli.live import Waiter, money
from gateway.cli.output import EXIT_REFUSED, JsonFlag, Printer
from gateway.desk.book import reading
from gateway.desk.book.reading import ReadingEstimate
from gateway.desk.book.story import story_of
from gateway.desk.services import Services
from gateway.desk.works import books
from gateway.desk.works.books import Book
from penwright.domain.text.counted import counted
from penwright.domain.text.words import told_length
from penwright.errors import PermanentError
from schemas.base import LengthUnit
from schemas.continuity import ContinuityResult
from schemas.control import KillRequest


def read(
    ctx: typer.Context,
    book: BookArgument = ".",
    again: Annotated[
        bool,
        typer.Option("--again", help="Also what an older version of the clerk has read, or could not read."),
    ] = False,
    estimate: Annotated[
        bool, typer.Option("--estimate", help="Print words, calls and money, and read nothing.")
    ] = False,
    stop: Annotated[
        bool,
        typer.Option("--stop", help="End the reading that runs, after the passage in hand, or a minute."),
    ] = False,
    detach: Annotated[
        bool, typer.Option("--detach", help="Return at once; the same command joins it again.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Have the book's clerk read what is unread.

    \b
      penwright book read ~/books/tide --estimate
      penwright book read ~/books/tide

    The writer is told of it before each session.

    The clerk lists people, facts and open threads, each with a quote that stands in the text; what it cannot
    quote is left out. Readings are kept in the book's repository. With `continuity: read` in Config.yml
    each session has its own prose read. The clerk's model is that of the role `clerk`.

    Exit codes: 0 read, 1 failed, 3 refused or stopped.
    """
    services, out = services_of(ctx), Printer(json)
    found = books.find(services, book)
    if stop:
        who = services.person()
        asyncio.run(reading.send(services, found, KillRequest(who=who, reason="stopped by hand")))
        out.result({"status": "stopping"}, "The reading ends after the passage in hand.")
        return
    if estimate:
        made = reading.estimate(services, story_of(services, found))
        out.result(
            {"status": "estimated", **asdict(made)}, _estimate_lines(made, books.unit_in(services, found))
        )
        return
    begun = asyncio.run(reading.read(services, found, again=again, wait=_waiter(found, detach, quiet=json)))
    if not begun.fresh:
        out.note("A reading of this book runs already; this joins it.")
    if begun.result is None:
        status, name = "started" if begun.fresh else "joined", found.words
        goes_on = f"`penwright book read {name}` follows it, with `--stop` it ends"
        out.result({"status": status, "session": begun.session}, f"The clerk reads; {goes_on}.")
        return
    _print_ending(services, out, found, begun.result)


def _waiter(found: Book, detach: bool, *, quiet: bool) -> Waiter | None:
    if detach:
        return None
    book = found.words
    command = f"penwright book read {book}"
    return Waiter(f"the reading goes on: `{command}` follows it, `{command} --stop` ends it", quiet)


def _print_ending(services: Services, out: Printer, found: Book, ended: ContinuityResult) -> None:
    for warning in ended.warnings:
        out.note(f"warning: {warning}")
    if ended.outcome == "failed":
        name = found.words
        raise PermanentError(ended.code, ended.message, hint=f"`penwright book read {name}` goes on")
    lines = list(_ending_lines(found.words, ended, books.unit_in(services, found)))
    out.result({"status": ended.outcome, **ended.model_dump(mode="json")}, lines)
    if ended.outcome == "stopped":
        raise typer.Exit(EXIT_REFUSED)


def _ending_lines(book: str, ended: ContinuityResult, unit: LengthUnit) -> Iterator[str]:
    if not ended.passages and ended.outcome == "completed":
        yield "Everything in the book has been read."
        return
    cost = money(ended.cost_micros, ended.unknown_prices)
    passages = counted(ended.passages, "passage")
    yield f"Read: {told_length(ended.words, unit)} in {passages}, {ended.stated:,} statements; cost: {cost}."
    if ended.lost:
        yield f"Left out, as their quotes do not stand in the text: {ended.lost:,}."
    if ended.words_left:
        yield f"Not read yet: {told_length(ended.words_left, unit)}."
    yield f"next: `penwright book facts {book}`"


def _estimate_lines(made: ReadingEstimate, unit: LengthUnit) -> list[str]:
    if not made.calls:
        return ["Everything in the book has been read."]
    price = "unknown price" if made.cost_micros is None else f"about {money(made.cost_micros)}"
    words = f"{told_length(made.words, unit)} in {counted(made.calls, 'call')} of {made.model}"
    tokens = f"about {made.input_tokens:,} tokens to it and {made.output_tokens:,} from it"
    return [f"To read: {words}; {tokens}; {price}."]
