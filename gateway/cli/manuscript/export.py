"""``penwright manuscript export``: a scene or a novel as a document."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.context import services_of
from gateway.cli.live import busy
from gateway.cli.manuscript.arguments import NovelArgument
from gateway.cli.output import JsonFlag, Printer
from gateway.cli.standard_output import placed
from gateway.desk.evidence.copies import check_wish
from gateway.desk.evidence.novels import novel_copy
from gateway.desk.manuscript import exports
from gateway.desk.wished_formats import wished_format
from gateway.desk.works import novels
from penwright.domain.text.counted import counted


def export(
    ctx: typer.Context,
    novel: NovelArgument = ".",
    scene: Annotated[
        str, typer.Argument(metavar="[SCENE]", help="One scene; - is the manuscript. Default: all of them.")
    ] = "",
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="FORMAT", help="markdown, latex, html, epub, docx or pdf."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Default: the title, in this folder."),
    ] = None,
    contents: Annotated[bool, typer.Option("--contents", help="With a list of contents.")] = False,
    comments: Annotated[
        bool, typer.Option("--comments/--no-comments", help="INK notes as comments of a DOCX.")
    ] = True,
    evidence: Annotated[
        bool, typer.Option("--evidence", help="Of HTML: a signed reader's copy, with who wrote what and why.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace files that exist.")] = False,
    json: JsonFlag = False,
) -> None:
    """Export as Markdown, LaTeX, DOCX, PDF, HTML or EPUB.

    \b
      penwright manuscript export ~/papers/ebb --to pdf
      penwright manuscript export ~/novels/tides "The Pier" --output pier.docx
      penwright manuscript export ~/papers/ebb --output ebb.tex    # and ebb.bib
      penwright manuscript export ~/papers/ebb --to html --evidence

    Citations are rendered in the style of Novel.yml, with a list of references; Markdown and LaTeX keep them
    as [@key] and \\citep, with a .bib file beside. The text is that of the last commit. It needs no engine,
    but for --evidence, since what scans found is in the database; `penwright trace check FILE` tells whether
    a byte of such a copy was changed.
    """
    services, out = services_of(ctx), Printer(json)
    format = wished_format(to, output, exports.SUFFIXES, exports.MORE_SUFFIXES)
    check_wish(evidence=evidence, format=format)
    found = novels.find(services, novel)
    with placed(output, out) as named:
        place = named or exports.default_place(found, scene or None, format)
        wish = exports.ExportOptions(
            format,
            place,
            scene=scene or None,
            force=force,
            contents=contents,
            comments=comments,
        )
        with busy(f"writing {place.name}", quiet=json):
            made = exports.export(services, found, wish, novel_copy(services, found) if evidence else None)
    if out.is_taken and made.bibliography:
        out.note("warning: its references stand in a file beside it; name a file to have them")
    for warning in made.warnings:
        out.note(f"warning: {warning}")
    works = f", {made.citations} work{'' if made.citations == 1 else 's'} cited" if made.citations else ""
    lines = [f"{made.path}: {made.title}, {found.length(made.words)}{works}"]
    lines += (
        [f"{counted(made.comments, 'note is a comment', 'notes are comments')}."] if made.comments else []
    )
    lines += [f"{made.bibliography}: its references"] if made.bibliography else []
    out.result({**asdict(made), "status": "exported", "novel_id": found.novel_id}, lines)
