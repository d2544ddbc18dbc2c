"""Rows of a benchmark's table, for people and for programs."""

import statistics
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import TypeVar

_HEADINGS = ("part", "measure", "found", "baseline", "ratio", "budget", "")
_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Row:
    """One figure; ``ratio`` is to a baseline measured in the same run."""

    part: str
    measure: str
    found: str
    baseline: str
    ratio: float
    budget: str
    within: bool


def milliseconds(value: float) -> str:
    """The value with one decimal and its unit."""
    return f"{value:.1f} ms"


def row_of(
    part: str, measure: str, costs: Sequence[float], baseline: Sequence[float], budget_ms: float
) -> Row:
    """Compare the median of ``costs`` with a budget; all in milliseconds, the p95 is printed only."""
    median, base = statistics.median(costs), statistics.median(baseline)
    return Row(
        part=part,
        measure=measure,
        found=f"{milliseconds(median)}, p95 {milliseconds(percentile(costs, 0.95))}",
        baseline=milliseconds(base),
        ratio=median / base,
        budget=f"<= {budget_ms:.0f} ms",
        within=median <= budget_ms,
    )


def timed(work: Callable[[], _Value]) -> tuple[float, _Value]:
    """Milliseconds that the work took, and its value."""
    began = perf_counter()
    value = work()
    return (perf_counter() - began) * 1000, value


def percentile(values: Sequence[float], part: float) -> float:
    """The value at or below which ``part`` of the values lie; the nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, round(part * len(ordered)) - 1))]


def table(rows: Sequence[Row]) -> str:
    """The rows in columns, with headings."""
    lines = [_HEADINGS, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEADINGS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def _cells(row: Row) -> tuple[str, ...]:
    verdict = "ok" if row.within else "OVER"
    return (row.part, row.measure, row.found, row.baseline, f"{row.ratio:.2f}x", row.budget, verdict)


def as_documents(rows: Sequence[Row]) -> list[dict[str, object]]:
    """The rows for ``--json``."""
    return [asdict(row) for row in rows]


def say(stage: str) -> None:
    """Print a line of progress to stderr."""
    sys.stderr.write(f"bench: {stage}\n")
    sys.stderr.flush()
