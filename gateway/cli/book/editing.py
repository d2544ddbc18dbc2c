"""Verbs that read a text of a book, and save a person's new version of it."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.desk.book import editing
from gateway.desk.book.editing import NewText
from gateway.desk.services import Services
from gateway.desk.works import books
from gateway.desk.works.named import is_path
from penwright.domain.book.editing import emptied_warnings
from penwright.domain.text.words import told_length
from penwright.errors import Refused, UsageMistake
from schemas.base import LengthUnit
from schemas.book_text import BookEdited

BookOption = Annotated[
    str,
    typer.Option(
        "--book",
        metavar="BOOK",
        help="The book's folder or registered id. Default: here.",
        show_default=False,
    ),
]
PathArgument = Annotated[
    str, typer.Argument(metavar="PATH", help='A text of the book, such as "Review/current.md".')
]


def text(ctx: typer.Context, path: PathArgument, book: BookOption = ".", json: JsonFlag = False) -> None:
    """Print a text of the book as it was committed last.

    \b
      penwright book text Review/current.md --book ~/books/tide

    With --json its revision is there too, for `penwright book save --based-on`.
    """
    services, out = services_of(ctx), Printer(json)
    shown = editing.shown_text(services, books.find(services, book), path)
    out.result(
        {"path": shown.path, "revision": shown.revision, "text": shown.text}, shown.text.removesuffix("\n")
    )


def save(
    ctx: typer.Context,
    path: PathArgument,
    from_: Annotated[str, typer.Option("--from", metavar="FILE", help="The new text; - is standard input.")],
    book: BookOption = ".",
    based_on: Annotated[
        str | None,
        typer.Option(
            "--based-on", metavar="REVISION", help="What it was made from. Default: what stands now."
        ),
    ] = None,
    json: JsonFlag = False,
) -> None:
    """Save your version of a text as a commit of yours.

    \b
      penwright book save "Chapters material/Chapter_01.md" --from chapter.md --book ~/books/tide

    What others changed since --based-on is merged. If the same words were changed, nothing is saved; nor is
    a text without --based-on that was made before the last session.
    To take it back, save the text as it was: `git log -p` in the book's folder shows it. A text saved without
    a word is warned of; `penwright book restore --text` brings it back.
    """
    services, out = services_of(ctx), Printer(json)
    found = books.find(services, book)
    shown = editing.shown_text(services, found, path)
    incoming = _incoming(services, from_)
    if based_on is None and (older := editing.older_base(services, found, path, incoming)):
        raise _made_before(path, older, shown.revision)
    new = NewText(incoming, shown.revision if based_on is None else based_on)
    saved = asyncio.run(editing.save_texts(services, found, {path: new}, who=services.person()))
    if saved.outcome == "refused":
        raise UsageMistake(saved.code, saved.message)
    if saved.outcome == "conflict":
        raise _conflict(saved)
    emptied = emptied_warnings(saved, book if is_path(book) else found.book_id)
    warnings = (*emptied, *saved.warnings)
    for warning in warnings:
        out.note(f"warning: {warning}")
    out.result(
        {**saved.model_dump(mode="json"), "warnings": warnings}, _lines(saved, books.unit_in(services, found))
    )


def _made_before(path: str, older: str, current: str) -> Refused:
    return Refused(
        "older-base",
        f"a session changed {path!r} since this text was made from it; nothing was saved",
        hint=f"`--based-on {older}` merges it with what stands there now, `--based-on {current}` "
        "puts it in the place of that",
    )


def _incoming(services: Services, source: str) -> str:
    try:
        content = Path(source).read_bytes() if source != "-" else _standard_input(services)
        return content.decode("utf-8-sig")
    except OSError as error:
        raise UsageMistake("no-such-file", f"{source!r} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UsageMistake("text-not-utf8", f"{source!r} is not UTF-8", hint="save it as UTF-8") from None


def _standard_input(services: Services) -> bytes:
    incoming = services.incoming()
    if incoming is None:
        raise UsageMistake("no-text", "there is no text on standard input", hint="pipe it in, or name a file")
    return incoming.read()


def _conflict(saved: BookEdited) -> Refused:
    passages = "".join(f"\n  yours: {place.mine!r}\n  theirs: {place.theirs!r}" for place in saved.places[:5])
    return Refused(
        saved.code,
        f"{saved.message}; nothing was saved{passages}",
        hint=f"`penwright book text {saved.path!r}` shows what stands there now",
    )


def _lines(saved: BookEdited, unit: LengthUnit) -> list[str]:
    if saved.outcome == "unchanged":
        return ["Nothing to save: the text stands there already."]
    merged = " It was merged with what others changed meanwhile." if saved.outcome == "merged" else ""
    (file,) = saved.files
    late = " The remote did not take it yet; the next session tries again." if saved.push == "pending" else ""
    moved = "".join(f" Words of passages that were moved to {path} are saved there." for path in saved.also)
    words = told_length(file.words, unit)
    return [f"Saved {file.path}: {words}, commit {(saved.commit or '')[:10]}.{merged}{moved}{late}"]
