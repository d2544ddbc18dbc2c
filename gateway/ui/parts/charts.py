"""Charts, each with the table of its numbers beside it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from nicegui import ui

from gateway.ui.parts.html import attribute, box, text
from gateway.ui.parts.tables import Column, table

_COLOURS = ("#3b8f97", "#c07a2c", "#7a6bb0", "#5b8a3c")
_GREY = "#8a9096"


@dataclass(frozen=True, slots=True)
class Series:
    """One row of numbers."""

    name: str
    values: tuple[float | None, ...]
    look: Literal["bar", "line"] = "bar"
    decimals: int = 0


def chart(title: str, labels: Sequence[str], series: Sequence[Series], *, stacked: bool = False) -> None:
    """A chart of ``series`` over ``labels``, and its numbers as a table that can be opened."""
    with box("figure", classes="chart"):
        picture = ui.echart(_options(labels, series, stacked=stacked))
        attribute(picture, "role", "img")
        attribute(picture, "aria-label", f"{title}; the table below has its numbers")
        text("figcaption", title, classes="soft")
        with box("details"):
            text("summary", "Numbers")
            rows = range(len(labels))
            head: Column[int] = Column("", lambda row: labels[row])
            columns = (head, *(_column(each) for each in series))
            table(columns, rows, caption=title)


def _column(series: Series) -> Column[int]:
    def shown(row: int) -> str:
        value = series.values[row]
        return "–" if value is None else f"{value:,.{series.decimals}f}"

    return Column(series.name, shown, number=True)


def _options(
    labels: Sequence[str], series: Sequence[Series], *, stacked: bool
) -> dict[str, Any]:  # Any: JSON
    """Options of ECharts; labels are data, never templates or HTML."""
    axis = {"axisLabel": {"color": _GREY}, "axisLine": {"lineStyle": {"color": _GREY}}}
    return {
        "animation": False,
        "color": list(_COLOURS),
        "grid": {"left": 8, "right": 12, "top": 34, "bottom": 4, "containLabel": True},
        "legend": {
            "top": 0,
            "left": 0,
            "textStyle": {"color": _GREY},
            "data": [each.name for each in series],
        },
        "tooltip": {"trigger": "axis", "renderMode": "richText"},
        "xAxis": {"type": "category", "data": list(labels), **axis},
        "yAxis": {"type": "value", "splitLine": {"lineStyle": {"color": _GREY, "opacity": 0.25}}, **axis},
        "series": [
            {
                "name": each.name,
                "type": each.look,
                "data": list(each.values),
                "barMaxWidth": 34,
                "connectNulls": True,
                **({"stack": "all"} if stacked else {}),
            }
            for each in series
        ],
    }
