"""Verbs of the registry, of books and of novels: move, forget."""

import asyncio
from pathlib import Path
from typing import Annotated, Any

import typer

from gateway.cli.completing import works
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.desk.works import kinds, registry
from gateway.desk.works.kinds import WorkKind

_WAS = "Its registered id, or the folder where it was."
_Book = Annotated[str, typer.Argument(metavar="BOOK", help=_WAS, autocompletion=works("book"))]
_Novel = Annotated[str, typer.Argument(metavar="NOVEL", help=_WAS, autocompletion=works("novel"))]
_Folder = Annotated[Path, typer.Argument(metavar="FOLDER", help="Where it is now.")]


def move_book(ctx: typer.Context, book: _Book, folder: _Folder, json: JsonFlag = False) -> None:
    """Register a book at the folder to which you moved it.

    \b
      mv ~/books/tide ~/shelf/tide
      penwright book move tide-4f2a ~/shelf/tide

    Its schedule follows. No file is touched; it refuses a folder that holds another book.
    """
    _move(ctx, kinds.BOOK, book, folder, json=json)


def move_novel(ctx: typer.Context, novel: _Novel, folder: _Folder, json: JsonFlag = False) -> None:
    """Register a novel at the folder to which you moved it.

    \b
      mv ~/novels/tide ~/shelf/tide
      penwright manuscript move tide-4f2a ~/shelf/tide

    No file is touched; it refuses a folder that holds another novel.
    """
    _move(ctx, kinds.NOVEL, novel, folder, json=json)


def forget_book(ctx: typer.Context, book: _Book, json: JsonFlag = False) -> None:
    """Take a book off the list, and delete its schedule; its folder is not touched.

    \b
      penwright book forget tide-4f2a

    Its log stays. The next session of the book registers it again.
    """
    _forget(ctx, kinds.BOOK, book, json=json)


def forget_novel(ctx: typer.Context, novel: _Novel, json: JsonFlag = False) -> None:
    """Take a novel off the list; its folder is not touched.

    \b
      penwright manuscript forget tide-4f2a

    Its log stays. The next run on the novel registers it again.
    """
    _forget(ctx, kinds.NOVEL, novel, json=json)


def _move(ctx: typer.Context, kind: WorkKind, named: str, folder: Path, *, json: bool) -> None:
    moved = asyncio.run(registry.move(services_of(ctx), kind, named, folder))
    line = f"{moved.id} is at {moved.path} now{', and so is its schedule' if moved.scheduled else ''}."
    told = {"status": "moved", f"{kind.name}_id": moved.id, "was": moved.was, "path": moved.path}
    Printer(json).result(told | _schedule(kind, moved.scheduled), line)


def _forget(ctx: typer.Context, kind: WorkKind, named: str, *, json: bool) -> None:
    gone = asyncio.run(registry.forget(services_of(ctx), kind, named))
    schedule = " Its schedule is deleted." if gone.scheduled else ""
    line = f"{gone.id} is listed no more; {gone.path} was not touched.{schedule}"
    told = {"status": "forgotten", f"{kind.name}_id": gone.id, "path": gone.path}
    Printer(json).result(told | _schedule(kind, gone.scheduled), line)


def _schedule(kind: WorkKind, scheduled: bool) -> dict[str, Any]:  # Any: JSON
    """Of books only: novels have none."""
    return {"scheduled": scheduled} if kind is kinds.BOOK else {}
