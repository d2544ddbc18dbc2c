"""``penwright lore import`` and ``export``."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any, get_args

import typer

from gateway.cli.context import services_of
from gateway.cli.output import JsonFlag, Printer
from gateway.cli.standard_output import placed
from gateway.cli.worlds.arguments import (
    AgainFlag,
    CampaignOption,
    ForceFlag,
    OutputOption,
    VerboseFlag,
    WorldOption,
)
from gateway.cli.worlds.importing import import_files, report_lines
from gateway.cli.worlds.lore import ArcOption, BookArgument, CharacterOption, SceneOption, place_of
from gateway.desk.worlds import lore_files
from gateway.desk.worlds.lore_files import ImportedLore
from gateway.desk.written_files import check_place, write_file
from penwright.domain.text.counted import counted
from penwright.domain.text.escaping import printable
from penwright.errors import UsageMistake
from schemas.cards import LoreDialect
from schemas.lore import Lorebook

_SUFFIX = ".json"


def import_(
    ctx: typer.Context,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...", help="World Info of SillyTavern, books of cards, lorebooks of others."
        ),
    ],
    world: WorldOption = None,
    campaign: CampaignOption = None,
    arc: ArcOption = None,
    scene: SceneOption = None,
    character: CharacterOption = None,
    again: AgainFlag = False,
    verbose: VerboseFlag = False,
    json: JsonFlag = False,
) -> None:
    """Take in lorebooks of other programs.

    \b
      penwright lore import tides.json --world harbour

    The file is kept byte for byte, and what has no meaning here comes back on export.
    """
    services = services_of(ctx)
    place = place_of(world=world, campaign=campaign, arc=arc, scene=scene, character=character)
    import_files(
        Printer(json),
        files,
        lambda file: lore_files.import_lore(services, file, place=place, again=again),
        _data,
        partial(_lines, verbose=verbose),
    )


def export(
    ctx: typer.Context,
    book: BookArgument,
    to: Annotated[
        str | None,
        typer.Option(
            "--to", metavar="DIALECT", help="silly-tavern, card-v2 or card-v3. Default: as it came in."
        ),
    ] = None,
    file: OutputOption = None,
    force: ForceFlag = False,
    json: JsonFlag = False,
) -> None:
    """Write a lorebook as other programs read it.

    \b
      penwright lore export tides
      penwright lore export tides --to card-v3 --output tides-v3.json

    A book that was imported and not changed is written byte for byte.
    """
    made = lore_files.export_lore(services_of(ctx), book, _dialect(to))
    out, facts = Printer(json), {"entries": len(made.book.entries), "size": len(made.content)}
    with placed(file, out) as named:
        place = named or Path(f"{made.book.id}{_SUFFIX}")
        check_place(place, force=force, suffix=_SUFFIX)
        write_file(place, made.content, force=force)
        data = {"status": "exported", "path": str(place), "id": made.book.id, "dialect": made.dialect}
        entries = counted(facts["entries"], "entry", "entries")
        told = f"{place}: {printable(made.book.name)}, {entries}"
        out.result({**data, **facts}, told)


def _dialect(to: str | None) -> LoreDialect | None:
    if to is None:
        return None
    if found := next((each for each in get_args(LoreDialect) if each == to), None):
        dialect: LoreDialect = found
        return dialect
    raise UsageMistake(
        "unknown-dialect", f"there is no dialect {to!r}", hint="use silly-tavern, card-v2 or card-v3"
    )


def _data(made: ImportedLore) -> dict[str, Any]:  # Any: JSON
    book = made.book.model_dump(mode="json", exclude={"entries"})
    return {
        "file": made.file,
        "dialect": made.read.dialect,
        "lorebook": book,
        "entries": len(made.book.entries),
        "attached": made.attachment.model_dump(mode="json") if made.attachment else None,
        "report": [each.model_dump(mode="json") for each in made.read.report],
    }


def entries_of(book: Lorebook) -> str:
    """Return how many entries came in, and how many of them say nothing."""
    empty = sum(not each.content.strip() for each in book.entries)
    told = counted(len(book.entries), "entry", "entries")
    return f"{told}, {empty} of them without a text" if empty else told


def _lines(made: ImportedLore, *, verbose: bool) -> list[str]:
    id, at = made.book.id, made.attachment
    lines = [f"{printable(made.file)}: the lorebook {id} with {entries_of(made.book)}"]
    lines += [f"  active in the {at.level} {at.at}"] if at else []
    step = f"penwright lore show {id}" if at else f"penwright lore attach {id} --world WORLD"
    return [*lines, *report_lines(made.changed, verbose=verbose), f"  next: `{step}`"]
