"""``penwright book export``: the book as a document."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.arguments import BookArgument
from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.cli.standard_output import placed
from gateway.desk.book import exports
from gateway.desk.evidence.books import book_copy
from gateway.desk.evidence.copies import check_wish
from gateway.desk.wished_formats import wished_format
from gateway.desk.works import books
from penwright.domain.text.counted import counted
from penwright.domain.text.words import told_length, unit_of


def export(
    ctx: typer.Context,
    book: BookArgument = ".",
    to: Annotated[
        str | None, typer.Option("--to", metavar="FORMAT", help="markdown, text, html, epub, docx or pdf.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Default: the book's title, in this folder."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    review: Annotated[
        bool, typer.Option("--review/--no-review", help="With the prose that waits in Review/current.md.")
    ] = True,
    contents: Annotated[
        bool | None, typer.Option("--contents/--no-contents", help="Default: as Config.yml says.")
    ] = None,
    comments: Annotated[
        bool, typer.Option("--comments/--no-comments", help="Open INK notes as comments of a DOCX.")
    ] = True,
    since: Annotated[
        str,
        typer.Option("--changes-since", metavar="COMMIT", help="Of a DOCX: tracked changes since then."),
    ] = "",
    evidence: Annotated[
        bool, typer.Option("--evidence", help="Of HTML: a signed reader's copy, with who wrote what.")
    ] = False,
    json: JsonFlag = False,
) -> None:
    """Export the book as EPUB, PDF, DOCX, HTML or text.

    \b
      penwright book export ~/books/tide --to epub
      penwright book export ~/books/tide --output tide.pdf
      penwright book export ~/books/tide --to text --no-review --no-contents
      penwright book export ~/books/tide --to docx --changes-since HEAD~3

    The formats are markdown, text, html, epub, docx and pdf; --to or the file's suffix names one.
    Page comments and markers stay out, and INK notes but from a DOCX, which has them as comments. Title,
    author, language and whether there is a list of contents come from Global Material/Config.yml. The text
    is that of the last commit. It needs no engine.
    """
    services = services_of(ctx)
    format = wished_format(to, output, exports.SUFFIXES, exports.MORE_SUFFIXES)
    check_wish(evidence=evidence, format=format)
    found = books.find(services, book)
    out = Printer(json)
    with placed(output, out) as named:
        place = named or exports.default_place(found, format)
        wish = exports.ExportOptions(format, place, force, review, comments, since, contents)
        made = exports.export(services, found, wish, book_copy(services, found) if evidence else None)
    for warning in made.warnings:
        out.note(f"warning: {warning}")
    words, headings = told_length(made.words, unit_of(made.language)), counted(made.headings, "heading")
    lines = [f"{made.path}: {made.title}, {words}, {headings}"]
    if made.comments or made.changes:
        comments_said = counted(made.comments, "open note is a comment", "open notes are comments")
        changes_said = counted(made.changes, "passage has tracked changes", "passages have tracked changes")
        lines.append(f"{comments_said}, {changes_said}.")
    if made.waiting_words:
        these = f"of these {unit_of(made.language)}"
        lines.append(
            f"{counted(made.waiting_words, f'{these} waits', f'{these} wait')} for your review; "
            "--no-review leaves them out."
        )
    out.result({"status": "exported", "book_id": found.book_id, **asdict(made)}, lines)
