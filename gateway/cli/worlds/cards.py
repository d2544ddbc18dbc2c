"""``penwright character import`` and ``export``: cards."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.cli.standard_output import placed
from gateway.cli.worlds import reports
from gateway.cli.worlds.arguments import (
    AgainFlag,
    ForceFlag,
    OutputOption,
    ThingArgument,
    VerboseFlag,
)
from gateway.cli.worlds.importing import import_files, report_lines
from gateway.cli.worlds.lore_files import entries_of
from gateway.desk.wished_formats import wished_format
from gateway.desk.worlds import cards
from gateway.desk.worlds.cards import ImportedCard
from gateway.desk.written_files import check_place, write_file
from penwright.domain.text.escaping import printable


def import_(
    ctx: typer.Context,
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Cards: PNG, WebP, JSON, YAML or CHARX.")
    ],
    again: AgainFlag = False,
    verbose: VerboseFlag = False,
    json: JsonFlag = False,
) -> None:
    """Take in character cards: PNG, WebP, JSON, YAML or CHARX, with their lorebook.

    \b
      penwright character import mara.png
      penwright character import cards/*.png cards/*.json

    A card's own lorebook is attached to its character. The file is kept byte for byte, and what has no
    meaning here comes back on export. Text of a card is data: no model takes it for an instruction.
    """
    services = services_of(ctx)
    import_files(
        Printer(json),
        files,
        lambda file: cards.import_card(services, file, again=again),
        _data,
        partial(_lines, verbose=verbose),
    )


def export(
    ctx: typer.Context,
    character: ThingArgument,
    to: Annotated[
        str | None, typer.Option("--to", metavar="FORM", help="png, json or charx. Default: as the file.")
    ] = None,
    file: OutputOption = None,
    lore: Annotated[
        str | None, typer.Option("--lore", metavar="BOOK", help="The lorebook to put in.")
    ] = None,
    without_lore: Annotated[bool, typer.Option("--without-lore", help="Put no lorebook in.")] = False,
    force: ForceFlag = False,
    json: JsonFlag = False,
) -> None:
    """Write a character as a card: PNG, JSON or CHARX.

    \b
      penwright character export mara --to png
      penwright character export mara --output cards/mara.charx

    The lorebook that is attached to the character goes with it. A card that was imported and not changed is
    written byte for byte.
    """
    services = services_of(ctx)
    form = wished_format(to, file, cards.SUFFIXES, usual="png")
    made = cards.export_card(services, character, form, lore=lore, without_lore=without_lore)
    out = Printer(json)
    with placed(file, out) as named:
        place = named or Path(f"{made.character.id}{cards.SUFFIXES[form]}")
        check_place(place, force=force, suffix=cards.SUFFIXES[form])
        write_file(place, made.content, force=force)
        data = {"status": "exported", "path": str(place), "id": made.character.id, "lore": made.book}
        told = f", with the lorebook {made.book}" if made.book else ""
        facts = {"form": form, "size": len(made.content)}
        out.result({**data, **facts}, f"{place}: {printable(made.character.name)}{told}")


def _data(made: ImportedCard) -> dict[str, Any]:  # Any: JSON
    return {
        "file": made.file,
        "form": made.read.form,
        "spec": made.read.spec,
        "character": made.character.model_dump(mode="json"),
        "lore": made.book.id if made.book else "",
        "entries": len(made.book.entries) if made.book else 0,
        "namesakes": made.namesakes,
        "assets": made.read.assets,
        "report": [each.model_dump(mode="json") for each in made.read.report],
    }


def _lines(made: ImportedCard, *, verbose: bool) -> list[str]:
    id, name = made.character.id, printable(made.character.name)
    lines = [f"{printable(made.file)}: the character {id} ({name})"]
    if made.book:
        lines.append(f"  its lorebook {made.book.id} with {entries_of(made.book)}, attached to it")
    if made.namesakes:
        lines.append(reports.namesakes_line(made.namesakes))
    return [*lines, *report_lines(made.changed, verbose=verbose), f"  next: `penwright character show {id}`"]
