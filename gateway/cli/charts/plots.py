"""Charts on a terminal: a bar of blocks for each number."""

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from penwright.domain.charts.values import Chart

_COLOURS = ("cyan", "yellow", "magenta", "green", "blue", "red")
_SIGNS = "█▒░▓▞╳"
"""Rows are told apart by sign, too: not every terminal has colours."""


def plot(chart: Chart, console: Console) -> None:
    """Print a chart as wide as the console."""
    console.print(Text(chart.title, style="bold"))
    if len(chart.series) > 1:
        console.print(_legend(chart))
    table = Table.grid(padding=(0, 1))
    wide = max(10, console.width - _taken(chart))
    for at, label in enumerate(chart.labels):
        for bar, shown in _rows(chart, at, wide):
            table.add_row(_short(label), bar, Text(shown, justify="right"))
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


def _legend(chart: Chart) -> Text:
    parts = (Text(f"{_SIGNS[at]} {each.name}  ", style=_COLOURS[at]) for at, each in enumerate(chart.series))
    return Text("").join(parts)


def _taken(chart: Chart) -> int:
    """Columns of the label and of the widest number."""
    widest = max((len(chart.shown(value)) for each in chart.series for value in each.values), default=0)
    return max((len(_short(each)) for each in chart.labels), default=0) + widest + 4


def _short(label: str) -> str:
    return label if len(label) <= 24 else f"{label[:23]}…"


def _rows(chart: Chart, at: int, wide: int) -> Iterator[tuple[Text, str]]:
    """The bars of one label: one for all rows if they stand on one another, else one for each."""
    if chart.stacked:
        parts = (_bar(number, each.values[at], chart, wide) for number, each in enumerate(chart.series))
        yield Text("").join(parts), chart.shown(sum(each.values[at] or 0 for each in chart.series))
        return
    for number, each in enumerate(chart.series):
        yield _bar(number, each.values[at], chart, wide), chart.shown(each.values[at])


def _bar(number: int, value: float | None, chart: Chart, wide: int) -> Text:
    length = round(wide * (value or 0) / chart.highest)
    return Text(_SIGNS[number] * length, style=_COLOURS[number])
