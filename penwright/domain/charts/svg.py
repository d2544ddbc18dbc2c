"""A chart as an SVG file: bars and lines over labels, for light and dark backgrounds, without scripts."""

from collections.abc import Iterator
from html import escape
from math import ceil, floor, log10
from typing import Final

from penwright.domain.charts.values import Chart, Series

WIDTH: Final = 720
_HEIGHT, _LEFT, _RIGHT, _TOP, _FOOT = 360, 66, 16, 62, 92
_INNER = WIDTH - _LEFT - _RIGHT
_TALL = _HEIGHT - _TOP - _FOOT
_STEPS = 4
_LONGEST = 16
_LEAST: Final = 1e-9
_COLOURS: Final = ("#2f7f87", "#b3701f", "#7563ad", "#4f7d33")
_STYLE = (
    "text{font:12px sans-serif;fill:#20242a}.title{font-size:16px;font-weight:600}"
    "line{stroke:#8a9096;stroke-opacity:.35}"
    "@media(prefers-color-scheme:dark){text{fill:#e7e5df}.ground{fill:#14171a}}"
)


def svg(chart: Chart) -> str:
    """The whole document; texts in it are escaped, and its numbers are in its description."""
    top = _rounded(chart.highest)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {_HEIGHT}" role="img" '
        f'aria-label="{escape(chart.title)}">',
        f"<title>{escape(chart.title)}</title>",
        f"<desc>{escape(_told(chart))}</desc>",
        f"<style>{_STYLE}</style>",
        f'<rect class="ground" width="{WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
        f'<text class="title" x="{_LEFT}" y="24">{escape(chart.title)}</text>',
        *_legend(chart),
        *_axis(chart, top),
        *_labels(chart),
        *_bars(chart, top),
        *_lines(chart, top),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _told(chart: Chart) -> str:
    """The numbers in words, for readers of the screen."""
    rows = (
        f"{label}: " + ", ".join(f"{each.name} {chart.shown(each.values[at])}" for each in chart.series)
        for at, label in enumerate(chart.labels)
    )
    return "; ".join(rows)


def _rounded(highest: float) -> float:
    """A number at or above ``highest`` whose quarters are easy to read."""
    unit = 10.0 ** floor(log10(max(highest, _LEAST)))
    return next((step * unit for step in (1, 2, 4, 6, 8) if step * unit >= highest), 10 * unit)


def _colour(at: int) -> str:
    return _COLOURS[at % len(_COLOURS)]


def _legend(chart: Chart) -> Iterator[str]:
    x = _LEFT
    for at, each in enumerate(chart.series):
        yield f'<rect x="{x}" y="36" width="11" height="11" rx="2" fill="{_colour(at)}"/>'
        yield f'<text x="{x + 16}" y="46">{escape(each.name)}</text>'
        x += 34 + 7 * len(each.name)


def _axis(chart: Chart, top: float) -> Iterator[str]:
    for step in range(_STEPS + 1):
        y = _y(top * step / _STEPS, top)
        yield f'<line x1="{_LEFT}" x2="{WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
        shown = chart.shown(top * step / _STEPS)
        yield f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{shown}</text>'


def _labels(chart: Chart) -> Iterator[str]:
    """Every label, or every second, third …, so that none lies on another."""
    every = max(1, ceil(len(chart.labels) * 18 / _INNER))
    for at, label in enumerate(chart.labels):
        if at % every:
            continue
        x, y = _LEFT + (at + 0.5) * _width(chart), _HEIGHT - _FOOT + 14
        shown = label if len(label) <= _LONGEST else f"{label[: _LONGEST - 1]}…"
        yield (
            f'<text x="{x:.1f}" y="{y}" text-anchor="end" transform="rotate(-35 {x:.1f} {y})">'
            f"{escape(shown)}</text>"
        )


def _bars(chart: Chart, top: float) -> Iterator[str]:
    bars = [(at, each) for at, each in enumerate(chart.series) if each.look == "bar"]
    wide = min(34.0, 0.8 * _width(chart) / (1 if chart.stacked else max(1, len(bars))))
    for label in range(len(chart.labels)):
        below, middle = 0.0, _LEFT + (label + 0.5) * _width(chart)
        left = middle - wide * (1 if chart.stacked else len(bars)) / 2
        for place, (at, each) in enumerate(bars):
            value = each.values[label] or 0.0
            x = left if chart.stacked else left + place * wide
            y, tall = _y(below + value, top), _y(below, top) - _y(below + value, top)
            if tall > 0:
                yield (
                    f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{tall:.1f}" '
                    f'fill="{_colour(at)}"/>'
                )
            below += value if chart.stacked else 0.0


def _lines(chart: Chart, top: float) -> Iterator[str]:
    for at, each in enumerate(chart.series):
        if each.look == "line":
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in _points(chart, each, top))
            yield f'<polyline points="{points}" fill="none" stroke="{_colour(at)}" stroke-width="2.5"/>'
            for x, y in _points(chart, each, top):
                yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{_colour(at)}"/>'


def _points(chart: Chart, series: Series, top: float) -> Iterator[tuple[float, float]]:
    for at, value in enumerate(series.values):
        if value is not None:
            yield _LEFT + (at + 0.5) * _width(chart), _y(value, top)


def _width(chart: Chart) -> float:
    """Of the room of one label."""
    return _INNER / max(1, len(chart.labels))


def _y(value: float, top: float) -> float:
    return _TOP + _TALL * (1 - value / top)
