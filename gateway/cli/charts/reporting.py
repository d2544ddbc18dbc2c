"""``penwright … report``: the pictures of a work as numbers, as a plot, or as SVG files."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Annotated

import typer
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gateway.cli.arguments import BookArgument
from gateway.cli.context import services_of
from gateway.cli.manuscript.arguments import NovelArgument, TextArgument
from gateway.cli.output import JsonFlag, Printer, columns, harmless
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
_COLOURS = ("cyan", "yellow", "magenta", "green", "blue", "red")
_SIGNS = "█▒░▓▞╳"
"""Rows are told apart by sign, too: not every terminal has colours."""


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


def plot(chart: Chart, console: Console) -> None:
    """Print a chart as wide as the console."""
    console.print(Text(harmless(chart.title), style="bold"))
    for line in _legend(chart, console.width) if len(chart.series) > 1 else ():
        console.print(line)
    table = Table.grid(padding=(0, 1))
    labels = [_short(each, console.width // 3) for each in chart.labels]
    wide = max(1, console.width - _taken(chart, labels))
    for at, label in enumerate(labels):
        for bar, shown in _rows(chart, at, wide):
            table.add_row(Text(harmless(label)), bar, Text(shown, justify="right"))
            label = ""
    console.print(table)


def numbers(chart: Chart) -> list[tuple[str, ...]]:
    """The numbers as rows of a table, its head first."""
    head = (chart.title, *(each.name for each in chart.series))
    rows = (
        (label, *(chart.shown(each.values[at]) for each in chart.series))
        for at, label in enumerate(chart.labels)
    )
    return [head, *rows]


def _legend(chart: Chart, width: int) -> list[Text]:
    """Lines of the signs with their names; no name is broken that fits into one."""
    lines = [Text()]
    for at, each in enumerate(chart.series):
        part = Text(f"{_SIGNS[at]} {harmless(each.name)}", style=_COLOURS[at])
        if lines[-1] and lines[-1].cell_len + 2 + part.cell_len > width:
            lines.append(Text())
        lines[-1] = Text.assemble(lines[-1], "  " if lines[-1] else "", part)
    return lines


def _taken(chart: Chart, labels: Sequence[str]) -> int:
    """Columns of the label and of the widest number, with what parts them from the bar."""
    widest = max((len(shown) for at in range(len(labels)) for _, shown in _rows(chart, at, 0)), default=0)
    return max(map(cell_len, labels), default=0) + widest + 2


def _short(label: str, most: int) -> str:
    most = max(4, min(24, most))
    return label if cell_len(label) <= most else f"{set_cell_size(label, most - 1).rstrip()}…"


def _rows(chart: Chart, at: int, wide: int) -> Iterator[tuple[Text, str]]:
    """The bars of one label: one for all rows if they stand on one another, else one for each."""
    if chart.stacked:
        # Each part ends where the sum does, so that all together are never longer than the room.
        sums = [0.0, *accumulate(each.values[at] or 0 for each in chart.series)]
        yield (
            Text("").join(_bar(number, *ends, chart, wide) for number, ends in enumerate(pairwise(sums))),
            (chart.shown(sums[-1])),
        )
        return
    for number, each in enumerate(chart.series):
        yield _bar(number, 0, each.values[at] or 0, chart, wide), chart.shown(each.values[at])


def _bar(number: int, first: float, last: float, chart: Chart, wide: int) -> Text:
    """The bar of a series, between two values."""
    length = round(wide * last / chart.highest) - round(wide * first / chart.highest)
    return Text(_SIGNS[number] * length, style=_COLOURS[number])
