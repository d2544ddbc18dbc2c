"""Verbs of the registry, and of a lost Config.yml or text: move, forget, restore."""

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.arguments import BookArgument
from gateway.cli.completing import works
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.desk.book import editing, lost_config
from gateway.desk.book import registry as desk
from gateway.desk.works import books
from penwright.domain.text.words import told_length

NamedArgument = Annotated[
    str,
    typer.Argument(
        metavar="BOOK",
        help="Its registered id, or the folder where it was.",
        autocompletion=works("book"),
    ),
]


def move(
    ctx: typer.Context,
    book: NamedArgument,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where it is now.")],
    json: JsonFlag = False,
) -> None:
    """Register a book at the folder to which you moved it.

    \b
      mv ~/books/tide ~/shelf/tide
      penwright book move tide-4f2a ~/shelf/tide

    Its schedule follows. No file is touched; it refuses a folder that holds another book.
    """
    moved = asyncio.run(desk.move(services_of(ctx), book, folder))
    line = f"{moved.book_id} is at {moved.path} now" + (
        ", and so is its schedule." if moved.scheduled else "."
    )
    Printer(json).result({"status": "moved", **asdict(moved)}, line)


def forget(ctx: typer.Context, book: NamedArgument, json: JsonFlag = False) -> None:
    """Take a book off the list, and delete its schedule; its folder is not touched.

    \b
      penwright book forget tide-4f2a

    Its log stays. The next session of the book registers it again.
    """
    gone = asyncio.run(desk.forget(services_of(ctx), book))
    schedule = " Its schedule is deleted." if gone.scheduled else ""
    line = f"{gone.book_id} is listed no more; {gone.path} was not touched.{schedule}"
    Printer(json).result({"status": "forgotten", **asdict(gone)}, line)


def restore(
    ctx: typer.Context,
    book: BookArgument = ".",
    text: Annotated[
        str | None, typer.Option("--text", metavar="PATH", help="Bring back the words of a text instead.")
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Bring back a lost Config.yml, or the words of an emptied text.

    \b
      penwright book restore ~/books/tide
      penwright book restore ~/books/tide --text Review/current.md

    A session never commits its deletion, or an empty one, as your edit. If you committed that yourself, the
    next session takes the restored file in. A broken file stays beside it, as Config.yml.broken. A text is
    saved as your commit, as it was when it held words last.
    """
    services = services_of(ctx)
    found = books.find(services, book, laid_out=False)
    if text is not None:
        back = asyncio.run(editing.restore_text(services, found, text, who=services.person()))
        length = told_length(back.words, books.unit_in(services, found))
        line = f"{text} has its {length} back, as in commit {back.commit[:10]}."
        Printer(json).result({"status": "restored", "book_id": found.book_id, **asdict(back)}, line)
        return
    done = lost_config.restore_config(services, found)
    data = {"status": "restored", "book_id": found.book_id, **asdict(done)}
    aside = f" The broken one is now {done.aside}." if done.aside else ""
    Printer(json).result(data, f"{done.path} is back, as in commit {done.commit[:10]}.{aside}")
