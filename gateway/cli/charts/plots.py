"""Charts on a terminal: a bar of blocks for each number."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.text import Text

from gateway.cli.output import harmless
from penwright.domain.charts.values import Chart

_COLOURS = ("cyan", "yellow", "magenta", "green", "blue", "red")
_SIGNS = "█▒░▓▞╳"
"""Rows are told apart by sign, too: not every terminal has colours."""


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
