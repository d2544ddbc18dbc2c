"""Charts, each with the table of its numbers beside it."""

from pathlib import Path
from typing import Any

import nicegui.elements.echart  # registers the module that chart.js imports
from nicegui.element import Element

from gateway.ui.elements.html import attribute, box, text
from gateway.ui.elements.tables import Column, table
from penwright.domain.charts.values import Chart, Series

_COLOURS = ("#3b8f97", "#c07a2c", "#7a6bb0", "#5b8a3c")
_GREY = "#8a9096"

__all__ = ["nicegui", "picture"]


class _Drawing(Element, component=Path(__file__).with_name("chart.js"), default_classes="drawing"):
    """A chart as ECharts draws it."""

    def __init__(self, options: dict[str, Any]) -> None:  # Any: JSON
        super().__init__()
        self._props["options"] = options


def picture(chart: Chart) -> None:
    """A chart, and its numbers as a table that can be opened; nothing for a chart without numbers."""
    if not any(value for each in chart.series for value in each.values):
        return
    with box("figure", classes="chart"):
        text("figcaption", chart.title)
        drawn = _Drawing(_options(chart))
        attribute(drawn, "role", "img")
        attribute(drawn, "aria-label", f"{chart.title}; the table below has its numbers")
        with box("details"):
            text("summary", "Numbers")
            head: Column[int] = Column("", lambda row: chart.labels[row])
            columns = (head, *(_column(chart, each) for each in chart.series))
            table(columns, range(len(chart.labels)), caption=chart.title)


def _column(chart: Chart, series: Series) -> Column[int]:
    return Column(series.name, lambda row: chart.shown(series.values[row]), number=True)


def _options(chart: Chart) -> dict[str, Any]:  # Any: JSON
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
            "data": [each.name for each in chart.series],
        },
        "tooltip": {"trigger": "axis", "renderMode": "richText"},
        "xAxis": {"type": "category", "data": list(chart.labels), **axis},
        "yAxis": {"type": "value", "splitLine": {"lineStyle": {"color": _GREY, "opacity": 0.25}}, **axis},
        "series": [
            {
                "name": each.name,
                "type": each.look,
                "data": list(each.values),
                "barMaxWidth": 34,
                "connectNulls": True,
                **({"stack": "all"} if chart.stacked and each.look == "bar" else {}),
            }
            for each in chart.series
        ],
    }
