"""``penwright book import``: an existing source text as a book."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

from gateway.cli.arguments import (
    AuthorOption,
    Authorship,
    ChangesOption,
    ChaptersOption,
    EncodingOption,
    LanguageOption,
    SureFlag,
    TitleOption,
    TrackedChanges,
)
from gateway.cli.asking import confirm, on_terminal
from gateway.cli.context import services_of
from gateway.cli.output import EXIT_REFUSED, JsonFlag, Printer
from gateway.cli.returned import refuse_review, say
from gateway.desk import source_texts
from gateway.desk.book import new_books, returned
from gateway.desk.book.new_books import PreparedBook
from gateway.desk.services import Services
from gateway.desk.source_texts import Reading
from gateway.desk.works import books
from penwright.domain.book.files.layout import REVIEW
from penwright.domain.book.importing.values import Section
from penwright.domain.book.pace import Pace
from penwright.domain.text.counted import counted
from penwright.domain.text.words import told_length, unit_of
from penwright.errors import UsageMistake
from schemas.documents import Changes

_TITLE_WIDTH = 60


def import_(
    ctx: typer.Context,
    source: Annotated[Path, typer.Argument(metavar="FILE", help="Text, Markdown, DOCX, EPUB or HTML.")],
    into: Annotated[str, typer.Option("--into", metavar="PATH", help="A new or empty folder.")],
    title: TitleOption = None,
    author: AuthorOption = None,
    target_length: Annotated[
        int | None, typer.Option("--target-length", min=1, help="Words of the finished book, for Config.yml.")
    ] = None,
    chapter_count: Annotated[
        int | None,
        typer.Option("--chapter-count", min=1, help="Chapters of the finished book, for Config.yml."),
    ] = None,
    authorship: Annotated[
        Authorship | None,
        typer.Option("--authorship", help="Who wrote it, for `trace disclose`. Default: unknown."),
    ] = None,
    language: LanguageOption = "",
    encoding: EncodingOption = "",
    chapters_at: ChaptersOption = None,
    changes: ChangesOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what was found.")] = False,
    yes: SureFlag = False,
    json: JsonFlag = False,
) -> None:
    """Make a book of an existing source text.

    \b
      penwright book import novel.txt --into ~/books/novel --dry-run
      penwright book import novel.docx --into ~/books/novel --title "The Pier" --authorship human --yes
      penwright book import novel.md --into ~/books/novel --chapters-at 2
      penwright book import novel.txt --into ~/books/novel --chapters-at 'Scene [0-9]+' --dry-run

    It shows the chapters found and asks before it makes anything; --yes goes on without asking.
    Into a book that exists, a DOCX brings what people changed and noted in it: see --changes.
    Chapters begin at headings with a blank line before and text after: `# The Boat`, `CHAPTER 2. The Boat`,
    `Prologue`, or the titles of a list of contents; one like `第二章` needs no blank line. What stands before
    the first chapter stays as it is. Every line is in the book: the last pages wait in Review/current.md, so
    that the next session takes them up. Config.yml gets the length of a new book, or of one chapter more than
    came in, and as many chapters as that makes, unless you give them here.
    """
    services = services_of(ctx)
    if new_books.is_book(Path(into)):
        _come_back(services, source, into, changes, Printer(json), dry_run=dry_run)
        return
    refuse_review(changes, "book")
    taken: Changes = "reject" if changes == TrackedChanges.REJECT else "accept"
    read = source_texts.read_file(services, source, Reading(encoding, _chapters_at(chapters_at), taken))
    named = {
        "title": title or read.title or source.stem.replace("_", " ").replace("-", " ").title(),
        "author": author or read.author,
        "language": language or read.source.language,
    }
    prepared = new_books.prepare(
        Path(into),
        read.source,
        {name: text for name, text in named.items() if text},
        target_length=target_length,
        chapter_count=chapter_count,
    )
    notes = (*read.left_out, *read.source.notes)
    data = {**_preview(prepared), "format": read.format, "whole": read.whole, "notes": list(notes)}
    out, lines = (
        Printer(json),
        list(_preview_lines(prepared, notes, whole=read.whole, made=yes and not dry_run)),
    )
    if dry_run:
        out.result({"status": "dry_run", **data}, [*lines, "Nothing was made."])
        return
    if not yes and (json or not on_terminal()):
        _stop(out, data, lines)
    if not yes:
        out.note("\n".join(lines))
        confirm(f"Make a book of it in {into}?", sure=False, about=lines)
    declared = authorship.value if authorship else ""
    made = new_books.make(services, Path(into), prepared, authorship=declared, people=read.people)
    result = {"status": "imported", "book_id": made.book_id, "path": made.path, "commit": made.commit}
    done = f"A new book in {made.path}; read Global Material before the first session."
    name = quote(made.path)
    reads = f"`penwright book read {name} --estimate` says what having it read for its continuity takes."
    out.result({**result, **data}, [*(lines if yes else ()), done, reads])


def _chapters_at(given: str | None) -> str:
    """Return the level or pattern; a script may have named an empty one."""
    if given is not None and not given.strip():
        hint = (
            "leave it out to have chapters found, or name a level of headings or what their lines begin with"
        )
        raise UsageMistake("bad-pattern", "`--chapters-at` is empty", hint=hint)
    return given or ""


def _come_back(
    services: Services,
    source: Path,
    into: str,
    changes: TrackedChanges | None,
    out: Printer,
    *,
    dry_run: bool,
) -> None:
    """Take the changes and comments of a document into a book that exists."""
    read = source_texts.read_file(services, source, Reading(changes="review"))
    if not read.returned.people:
        new_books.refuse_another(Path(into))
    if dry_run:
        out.result({"status": "dry_run", "notes": [*read.left_out]}, [*read.left_out, "Nothing was made."])
        return
    book = books.at(services, Path(into))
    wanted = changes or TrackedChanges.REVIEW
    done = asyncio.run(returned.take_in(services, book, read.returned, wanted.value))
    say(out, done, f"They are passages of the book's page Review, or of {REVIEW!r}.", book_id=book.book_id)


def _stop(out: Printer, data: Mapping[str, Any], lines: list[str]) -> None:  # Any: JSON
    """Show what would be made to a caller that cannot be asked, or wants JSON; end as a refusal."""
    step = "look at the chapters; then run the same command with `--yes`"
    code = {"code": "needs-yes", "error": "nothing was made: the preview needs a yes", "next": step}
    out.result({"status": "preview", **code, **data}, lines)
    out.note(
        f"error[needs-yes]: nothing was made; stdin is not a terminal, so you cannot be asked\n  next: {step}"
    )
    raise typer.Exit(EXIT_REFUSED)


def _preview(prepared: PreparedBook) -> dict[str, Any]:  # Any: JSON
    found, config = prepared.source, prepared.config
    sections = [
        {
            "kind": section.kind,
            "number": section.number or None,
            "title": section.title,
            "line": section.line,
            "words": section.words,
        }
        for section in found.sections
    ]
    return {
        "chapters": [
            {"heading": section.title, "words": section.words, "number": section.number}
            for section in found.sections
            if section.kind == "chapter"
        ],
        "words": found.words,
        "title": prepared.title,
        "sections": sections,
        "waiting_words": prepared.waiting_words,
        "language": config.language,
        "target_length": config.target_length,
        "chapter_count": config.chapter_count,
        "may_be_sealed": _may_be_sealed(prepared),
    }


def _preview_lines(prepared: PreparedBook, notes: Sequence[str], *, whole: bool, made: bool) -> Iterator[str]:
    found, unit = prepared.source, unit_of(prepared.config.language)
    yield f"{prepared.title}: {counted(len(found.chapters), 'chapter')}, {told_length(found.words, unit)}"
    yield f"{'':>6}  {unit:>10}"
    yield from map(_row, found.sections)
    if notes:
        yield "To know before:"
        yield from (f"  {note}" for note in notes)
    wait = "waits" if prepared.waiting_words == 1 else "wait"
    yield (
        f"{'Every line' if whole else 'All else'} {'is' if made else 'will be'} in the book; the last "
        f"{told_length(prepared.waiting_words, unit)} {wait} in Review/current.md "
        "for the next session."
    )
    yield from _length_lines(prepared, made=made)


def _length_lines(prepared: PreparedBook, *, made: bool) -> Iterator[str]:
    found, config = prepared.source, prepared.config
    target = told_length(config.target_length, unit_of(config.language))
    says = "says" if made else "will say"
    yield (
        f"Config.yml {says} {target} in {counted(config.chapter_count, 'chapter')}"
        f"{f', written in {config.language}' if found.language else ''}; "
        f"{len(found.chapters)} came in."
    )
    more = {
        "target_length": found.words > config.target_length,
        "chapter_count": len(found.chapters) > config.chapter_count,
    }
    names = [name for name, beyond in more.items() if beyond]
    options = " and ".join(f"--{name.replace('_', '-')}" for name in names)
    if names and made:
        yield f"  The source text has more: correct {' and '.join(names)} there ({options} at an import)."
    elif names:
        yield f"  The source text has more: set {options}, or edit it later."
    if _may_be_sealed(prepared):
        yield (
            f"  At {found.words:,} of {target} the first session may seal the book; "
            "a larger target_length prevents it."
        )


def _may_be_sealed(prepared: PreparedBook) -> bool:
    """Whether the first session may find the book complete."""
    found = prepared.source
    return Pace(prepared.config, len(found.chapters), 0, found.words).completion_ready


def _row(section: Section) -> str:
    number = str(section.number or "")
    title = section.title or "(before the first heading)"
    if len(title) > _TITLE_WIDTH:
        title = f"{title[: _TITLE_WIDTH - 1]}…"
    return (
        f"{number:>6}  {section.words:>10,}  {title}{'  (front matter)' if section.kind == 'front' else ''}"
    )
