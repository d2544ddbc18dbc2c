"""``penwright … report``: the pictures of a work as numbers, as a plot, or as SVG files."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.arguments import BookArgument
from gateway.cli.charts.plots import numbers, plot
from gateway.cli.context import services_of
from gateway.cli.manuscript.arguments import NovelArgument, TextArgument
from gateway.cli.output import JsonFlag, Printer, columns
from gateway.cli.scene.arguments import SceneArgument
from gateway.desk import pictures
from gateway.desk.manuscript import runs
from gateway.desk.works import books
from gateway.desk.written_files import check_place, write_file
from penwright.domain.charts.svg import svg
from penwright.domain.charts.values import Chart
from schemas.agent_state import WHOLE_NOVEL

PlotFlag = Annotated[bool, typer.Option("--plot", help="Draw the numbers as bars.")]
SvgOption = Annotated[
    Path | None, typer.Option("--svg", metavar="FOLDER", help="Write each picture as an SVG file there.")
]
ForceFlag = Annotated[bool, typer.Option("--force", help="Replace files that exist.")]


def book(
    ctx: typer.Context,
    book: BookArgument = ".",
    plot: PlotFlag = False,
    svg: SvgOption = None,
    force: ForceFlag = False,
    json: JsonFlag = False,
) -> None:
    """Show words per session, how the book grew, and who wrote it.

    \b
      penwright book report ~/books/tide --plot
      penwright book report ~/books/tide --svg ~/pictures

    It needs no engine; sessions that wrote nothing are not counted.
    """
    services = services_of(ctx)
    charts = pictures.of_book(services, books.find(services, book))
    _tell(charts, Printer(json), drawn=plot, folder=svg, force=force)


def manuscript(
    ctx: typer.Context,
    novel: NovelArgument = ".",
    scene: TextArgument = WHOLE_NOVEL,
    plot: PlotFlag = False,
    svg: SvgOption = None,
    force: ForceFlag = False,
    json: JsonFlag = False,
) -> None:
    """Show the score of each critique.

    \b
      penwright manuscript report ~/papers/ebb --plot
    """
    services = services_of(ctx)
    charts = pictures.of_document(services, runs.document(services, novel, scene))
    _tell(charts, Printer(json), drawn=plot, folder=svg, force=force)


def scene(
    ctx: typer.Context,
    scene: SceneArgument,
    plot: PlotFlag = False,
    svg: SvgOption = None,
    force: ForceFlag = False,
    json: JsonFlag = False,
) -> None:
    """Show the tokens of each section of the newest round's prompts.

    \b
      penwright scene report harbour-at-dusk --plot
    """
    charts = pictures.of_scene(services_of(ctx), scene)
    _tell(charts, Printer(json), drawn=plot, folder=svg, force=force)


def _tell(charts: Sequence[Chart], out: Printer, *, drawn: bool, folder: Path | None, force: bool) -> None:
    shown = [each for each in charts if each.labels]
    written = _written(shown, folder.expanduser(), force=force) if folder else []
    data = {"charts": [asdict(each) for each in shown], "files": [str(place) for place in written]}
    if out.as_json:
        out.result(data, "")
    elif written:
        out.result(data, [str(place) for place in written])
    elif not shown:
        out.result(data, "There is nothing to show yet.")
    elif drawn:
        _plotted(shown)
    else:
        out.result(data, "\n\n".join("\n".join(columns(numbers(each))) for each in shown))


def _plotted(charts: Sequence[Chart]) -> None:
    from rich.console import Console

    console = Console(highlight=False)
    for each in charts:
        plot(each, console)
        console.print()


def _written(charts: Sequence[Chart], folder: Path, *, force: bool) -> list[Path]:
    """Files by the names of the charts; of several with one name the second is ``tokens-2.svg``."""
    places: dict[Path, Chart] = {}
    for each in charts:
        count = sum(chart.name == each.name for chart in places.values())
        places[folder / f"{each.name}{f'-{count + 1}' if count else ''}.svg"] = each
    for place in places:
        check_place(place, force=force, suffix=".svg")
    for place, each in places.items():
        write_file(place, svg(each).encode(), force=force)
    return list(places)
