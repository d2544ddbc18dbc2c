"""``penwright book import``: an existing manuscript as a book."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gateway.cli.book.init import AuthorOption, TitleOption
from gateway.cli.output import JsonFlag, Printer
from gateway.desk.services import services_of

if TYPE_CHECKING:
    from penwright.adapters.scaffold.manuscript import Manuscript


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
    Review/current.md, so that the next session takes them up; everything before stands in the book.
    """
    from penwright.adapters.scaffold.manuscript import read_manuscript

    found = read_manuscript(_read(manuscript))
    chapters = [{"heading": chapter.heading, "words": chapter.words} for chapter in found.chapters]
    told = {"chapters": chapters, "words": found.words}
    lines = [f"{chapter.words:>8,}  {chapter.heading}" for chapter in found.chapters]
    lines.append(f"{found.words:>8,}  words in {len(chapters)} chapters")
    out = Printer(json)
    if dry_run:
        out.result({"status": "dry_run", **told}, [*lines, "Nothing was made."])
        return
    name = title or manuscript.stem.replace("_", " ").replace("-", " ").title()
    answers = {"title": name, **({"author": author} if author else {})}
    made = _found(ctx, Path(into), found, answers, target_length)
    out.result(
        {"status": "imported", **made, **told},
        [*lines, f"A new book in {made['path']}; read Global Material before the first session."],
    )


def _found(
    ctx: typer.Context,
    path: Path,
    manuscript: "Manuscript",
    answers: dict[str, str],
    target_length: int | None,
) -> dict[str, str]:
    import secrets

    from gateway.cli.book.init import register_quietly
    from penwright.adapters.scaffold.creation import create_book
    from penwright.adapters.scaffold.manuscript import imported_book
    from penwright.domain.book.identity import new_book_id
    from schemas.workspace import Contributor

    services, place = services_of(ctx), path.expanduser().resolve()
    book_id = new_book_id(answers["title"], secrets.token_hex(2))
    target = target_length or max(90_000, manuscript.words * 5 // 4)
    files = imported_book(manuscript, answers, book_id, target_length=target)
    branch = services.defaults().branch
    message, by = f"Import {answers['title']}", Contributor.HUMAN
    commit = create_book(place, files, message=message, contributor=by, branch=branch, keep=False)
    register_quietly(services, place)
    return {"book_id": book_id, "path": str(place), "commit": commit}


def _read(path: Path) -> str:
    from penwright.errors import UsageMistake

    try:
        text = path.expanduser().read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageMistake(
            "manuscript-not-utf8",
            f"{str(path)!r} is not UTF-8 at byte {error.start}",
            hint="convert it, for instance with `iconv -f windows-1252 -t utf-8`",
        ) from None
    if "\0" in text or not text.strip():
        raise UsageMistake("manuscript-not-text", f"{str(path)!r} holds no text; name a .txt or .md file")
    return text
