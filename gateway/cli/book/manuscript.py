"""``penwright book import``: an existing manuscript as a book."""

from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.arguments import AuthorOption, TitleOption
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.desk import new_books


def import_(
    ctx: typer.Context,
    manuscript: Annotated[Path, typer.Argument(metavar="FILE", help="Plain text or Markdown, UTF-8.")],
    into: Annotated[str, typer.Option("--into", metavar="PATH", help="A new or empty folder.")],
    title: TitleOption = None,
    author: AuthorOption = None,
    target_length: Annotated[
        int | None, typer.Option("--target-length", min=1, help="Words of the finished book.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show the chapters found.")] = False,
    json: JsonFlag = False,
) -> None:
    """Make a book of an existing manuscript.

    \b
      penwright book import novel.txt --into ~/books/novel --dry-run
      penwright book import novel.md --into ~/books/novel --title "The Pier"

    Chapters begin at lines such as `# The Boat` or `CHAPTER 2. The Boat`. The last pages wait in
    Review/current.md, so that the next session takes them up; everything before is in the book.
    """
    found = new_books.read_manuscript_at(manuscript)
    chapters = [{"heading": chapter.heading, "words": chapter.words} for chapter in found.chapters]
    counts = {"chapters": chapters, "words": found.words}
    lines = [f"{chapter.words:>8,}  {chapter.heading}" for chapter in found.chapters]
    lines.append(f"{found.words:>8,}  words in {len(chapters)} chapters")
    out = Printer(json)
    if dry_run:
        out.result({"status": "dry_run", **counts}, [*lines, "Nothing was made."])
        return
    name = title or manuscript.stem.replace("_", " ").replace("-", " ").title()
    answers = {"title": name, **({"author": author} if author else {})}
    made = new_books.create_from_manuscript(services_of(ctx), Path(into), found, answers, target_length)
    data = {"status": "imported", "book_id": made.book_id, "path": made.path, "commit": made.commit}
    out.result(
        {**data, **counts},
        [*lines, f"A new book in {made.path}; read Global Material before the first session."],
    )
