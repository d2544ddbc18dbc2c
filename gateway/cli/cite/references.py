"""Verbs of references: import, check."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.arguments import EncodingOption
from gateway.cli.cite import reports
from gateway.cli.cite.scanning import document
from gateway.cli.context import services_of
from gateway.cli.live import busy
from gateway.cli.manuscript.arguments import NovelArgument, SceneOption
from gateway.cli.output import EXIT_FAILED, JsonFlag, Printer
from gateway.desk.citations import references
from gateway.desk.works import novels
from penwright.domain.text.counted import counted


class Form(StrEnum):
    """Formats of references."""

    BIBTEX = "bibtex"
    RIS = "ris"
    CSL_JSON = "csl-json"


def import_(
    ctx: typer.Context,
    source: Annotated[Path, typer.Argument(metavar="FILE", help="BibTeX, RIS or CSL-JSON.")],
    into: Annotated[str, typer.Option("--into", metavar="NOVEL", help="The novel's folder or id.")] = ".",
    form: Annotated[Form | None, typer.Option("--format", help="Default: as the file's name says.")] = None,
    encoding: EncodingOption = "",
    json: JsonFlag = False,
) -> None:
    """Add references to the novel's references.bib, each once.

    \b
      penwright cite import library.bib --into ~/papers/ebb
      penwright cite import export.ris --into ~/papers/ebb

    What was there stays as it is. An entry that cannot be taken is named with its line; the others come in.
    Exit codes: 0 done, 1 no entry could be taken.
    """
    services = services_of(ctx)
    chosen = references.format_of(source) if form is None else form.value
    novel = novels.find(services, into)
    with busy(f"reading {source.name}", quiet=json):
        done = references.add(services, novel, source, chosen, encoding)
    data = {
        "status": "imported",
        "added": list(done.added),
        "findings": [each.model_dump() for each in done.findings],
        "commit": done.commit,
    }
    line = f"{counted(len(done.added), 'reference')} added, {counted(len(done.findings), 'remark')}."
    Printer(json).result(data, [line, *reports.finding_lines(done.findings)])
    if not done.added and not any(each.code == "ALREADY_THERE" for each in done.findings):
        raise typer.Exit(EXIT_FAILED)


def check(
    ctx: typer.Context, novel: NovelArgument = ".", scene: SceneOption = None, json: JsonFlag = False
) -> None:
    """Name what is wrong with the citations of a text, without asking anyone.

    \b
      penwright cite check ~/papers/ebb

    Exit codes: 0 no faults, 1 faults.
    """
    services = services_of(ctx)
    found = document(services, novel, scene)
    checked = references.check(services, found.novel, found.scene)
    data = {
        "status": "checked",
        "novel_id": found.novel.novel_id,
        "scene": found.scene,
        "citations": checked.citations,
        "findings": [each.model_dump() for each in checked.findings],
    }
    line = f"{counted(checked.citations, 'citation')}, {counted(len(checked.findings), 'fault')}."
    Printer(json).result(data, [line, *reports.finding_lines(checked.findings)])
    if checked.findings:
        raise typer.Exit(EXIT_FAILED)
