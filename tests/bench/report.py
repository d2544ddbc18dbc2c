"""What a benchmark found: rows of one table, as people or as programs read them."""

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass

_HEADINGS = ("part", "measure", "found", "baseline", "ratio", "goal", "")


@dataclass(frozen=True, slots=True)
class Row:
    """One figure; ``ratio`` is to a baseline of the same run."""

    part: str
    measure: str
    found: str
    baseline: str = ""
    ratio: float | None = None
    goal: str = ""
    within: bool | None = None
    """None where there is no goal."""


def milliseconds(value: float) -> str:
    """As it stands in the table."""
    return f"{value:.1f} ms"


def percentile(values: Sequence[float], part: float) -> float:
    """The value below which ``part`` of the values lie; the nearest rank."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, round(part * len(ordered)) - 1))]


def table(rows: Sequence[Row]) -> str:
    """Columns as wide as they must be."""
    lines = [_HEADINGS, *(_cells(row) for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEADINGS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )


def _cells(row: Row) -> tuple[str, ...]:
    verdict = {None: "", True: "ok", False: "OVER"}[row.within]
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}x"
    return (row.part, row.measure, row.found, row.baseline, ratio, row.goal, verdict)


def as_documents(rows: Sequence[Row]) -> list[dict[str, object]]:
    """The rows for ``--json``."""
    return [asdict(row) for row in rows]


def say(stage: str) -> None:
    """A line of progress."""
    sys.stderr.write(f"bench: {stage}\n")
    sys.stderr.flush()
