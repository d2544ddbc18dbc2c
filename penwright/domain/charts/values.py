"""A chart: rows of numbers over labels. Pages, the terminal and SVG files render the same value."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Series:
    """One row of numbers, as many as the chart has labels."""

    name: str
    values: tuple[float | None, ...]
    """None: not known."""
    look: Literal["bar", "line"] = "bar"


@dataclass(frozen=True, slots=True)
class Chart:
    """Data of a picture."""

    name: str
    """Of its file: ``words``."""
    title: str
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    stacked: bool = False
    """Whether the bars of a label stand on one another."""
    decimals: int = 0

    def shown(self, value: float | None) -> str:
        """A number as tables print it; ``–`` for one that is not known."""
        return "–" if value is None else f"{value:,.{self.decimals}f}"

    @property
    def highest(self) -> float:
        """The highest value of the axis, at least a little above zero."""
        bars = [each for each in self.series if each.look == "bar"]
        if self.stacked:
            sums = (sum(each.values[at] or 0 for each in bars) for at in range(len(self.labels)))
            lines = (value or 0 for each in self.series if each.look == "line" for value in each.values)
            return max((*sums, *lines), default=0) or 1
        return max((value or 0 for each in self.series for value in each.values), default=0) or 1
