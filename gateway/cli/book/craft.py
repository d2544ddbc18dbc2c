"""``penwright book craft``: rules of craft for a book that has none."""

import asyncio
from typing import Annotated

import typer

from gateway.cli.arguments import BookArgument
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.desk.book import craft as desk
from gateway.desk.works import books
from penwright.domain.book.files.layout import CRAFT
from penwright.domain.book.questions import GENRES


def craft(
    ctx: typer.Context,
    book: BookArgument = ".",
    genre: Annotated[
        str, typer.Option("--genre", help=f"Add its rules, in English only: {', '.join(GENRES[1:])}.")
    ] = GENRES[0],
    save: Annotated[bool, typer.Option("--save", help="Save them as Global Material/Craft.md.")] = False,
    json: JsonFlag = False,
) -> None:
    """Print the rules of craft that a new book in this one's language begins with.

    \b
      penwright book craft ~/books/tide
      penwright book craft ~/books/tide --genre crime --save

    Nothing is changed without --save, which makes a commit of yours and replaces no Craft.md. They are yours
    to edit from then on. To take them back, delete the file, or revert that commit.
    """
    services, out = services_of(ctx), Printer(json)
    found = books.find(services, book)
    rules = desk.default_rules(services, found, genre)
    if not save:
        out.result({"path": CRAFT, "text": rules, "saved": False}, rules.removesuffix("\n"))
        return
    commit = asyncio.run(desk.save_default_rules(services, found, genre, who=services.person()))
    told = {"path": CRAFT, "text": rules, "saved": True, "commit": commit}
    out.result(told, f"Saved {CRAFT}, commit {commit[:10]}.")
