"""``penwright book rewrite``: have a passage that is in the book rewritten, and read it before it counts."""

import asyncio
import re
from shlex import quote
from typing import Annotated

import typer

from gateway.cli.arguments import BookArgument, TagOption
from gateway.cli.asking import agreed, on_terminal
from gateway.cli.book import session
from gateway.cli.context import services_of
from gateway.cli.live import Beginning, Waiter
from gateway.cli.output import Interrupted, JsonFlag, Printer
from gateway.cli.times import minute
from gateway.desk.book import rewriting
from gateway.desk.services import Services
from gateway.desk.works import approvals, books
from gateway.desk.works.books import Book
from penwright.domain.book.files.layout import FULL_BOOK
from penwright.domain.text.counted import counted
from penwright.domain.text.escaping import printable
from penwright.domain.text.words import count_words
from penwright.errors import UsageMistake
from schemas.book_session import BookSessionInput, RewriteOrder
from schemas.intents import ApprovalRequest

_LINES = re.compile(r"(\d{1,9})(?:-(\d{1,9}))?")


def rewrite(
    ctx: typer.Context,
    book: BookArgument = ".",
    chapter: Annotated[
        int,
        typer.Argument(
            metavar="[CHAPTER]",
            min=0,
            show_default=False,
            help="Its number. Default: the passage before your first note there.",
        ),
    ] = 0,
    instruction: Annotated[
        str, typer.Option("--instruction", "-i", metavar="TEXT", help="What to change.")
    ] = "",
    passage: Annotated[
        str | None, typer.Option("--passage", metavar="WORDS", help="The paragraph that holds these words.")
    ] = None,
    lines: Annotated[
        str, typer.Option("--lines", metavar="A-B", help=f"The paragraphs in these lines of {FULL_BOOK}.")
    ] = "",
    intent: Annotated[
        str,
        typer.Option("--intent", help="The intent to write under. Default: one that owns the book alone."),
    ] = "",
    tag: TagOption = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show the passage that is meant.")] = False,
    detach: Annotated[
        bool,
        typer.Option("--detach", help="Return at once; `penwright intent pending BOOK` shows the result."),
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Have a passage of the book rewritten; you read it before it counts.

    \b
      penwright book rewrite ~/books/tide 3 -i "make her left-handed" --passage "She took the rope"
      penwright book rewrite ~/books/tide 3 -i "in the present tense"

    Without --passage or --lines it is the whole chapter. The new passage is shown with what it replaces; only
    your yes puts it into the book, as one commit, and everything else in the book stays as it is. A no leaves
    nothing of it.
    """
    services, out = services_of(ctx), Printer(json)
    found = books.find(services, book)
    if passage is not None and not passage.strip():
        raise UsageMistake(
            "empty-passage",
            "--passage is empty",
            hint="give words of the paragraph, or leave it out to mean the whole chapter",
        )
    order = RewriteOrder(chapter=chapter, instruction=instruction, passage=passage or "", lines=_span(lines))
    if dry_run:
        _show_passage(out, services, found, order)
        return
    watch = f"penwright book watch {quote(book)}"
    with Beginning("the rewrite", watch) as beginning:
        given = rewriting.rewrite_of(services, found, order, intent, tag)
        wait = None if detach else session.waiter(found, quiet=json)
        run = asyncio.run(rewriting.rewrite(services, given, wait, beginning.asked))
    if run is None:
        started = {"status": "started", "book_id": found.book_id, "session": given.session}
        pending = f"penwright intent pending {quote(book)}"
        out.result(started, f"The rewrite {given.session} is running; `{pending}` shows the new passage.")
    elif run.asked is not None:
        _read(out, services, found, book, given, run.asked)
    elif run.result is not None:
        session.print_ending(out, services, found, run.result, book)


def _span(lines: str) -> tuple[int, int] | None:
    found = _LINES.fullmatch(lines.strip())
    if not lines:
        return None
    if found is None or int(found[2] or found[1]) < int(found[1]):
        raise UsageMistake(
            "lines-unclear", f"{lines!r} is not a range of lines", hint="write `--lines 12-18`"
        )
    return int(found[1]), int(found[2] or found[1])


def _show_passage(out: Printer, services: Services, book: Book, order: RewriteOrder) -> None:
    found = rewriting.passage_of(services, book, order)
    words = count_words(found.text)
    data = {
        "status": "dry_run",
        "chapter": found.chapter,
        "instruction": found.instruction,
        "words": words,
        "passage": found.text,
    }
    head = f"Chapter {found.chapter}, {counted(words, 'word')}: {found.instruction}"
    out.result(data, [head, "", *map(printable, found.text.splitlines())])


def _read(
    out: Printer, services: Services, book: Book, name: str, given: BookSessionInput, asked: ApprovalRequest
) -> None:
    """Show the new passage; a person at a terminal is asked at once."""
    diff = approvals.diff_of(services, asked)
    waits = {"status": "waiting", "book_id": book.book_id, "session": given.session, "approval": asked.id}
    if out.as_json or not on_terminal():
        out.result({**waits, "diff": diff}, [*_shown(diff), "", *_next(name, asked)])
        return
    for line in _shown(diff):
        out.note(line)
    try:
        yes = agreed("Put it into the book?", about=_shown(diff))
    except typer.Abort:
        raise Interrupted("; ".join(_next(name, asked))) from None
    decided: approvals.Decision = "approved" if yes else "denied"
    asyncio.run(approvals.decide(services, book, decided, approval=asked.id))
    ending = asyncio.run(rewriting.ended(services, given, _waiter(book)))
    session.print_ending(out, services, book, ending, name)


def _waiter(book: Book) -> Waiter:
    return session.waiter(book, quiet=False)


def _shown(diff: str) -> list[str]:
    return [printable(line) for line in diff.splitlines()]


def _next(book: str, asked: ApprovalRequest) -> list[str]:
    return [
        f"It waits for you until {minute(asked.expires_at)}.",
        f"Put it into the book:  penwright intent approve {quote(book)} {asked.id}",
        f"Leave the book as it is:  penwright intent deny {quote(book)} {asked.id}",
    ]
