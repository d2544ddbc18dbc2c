"""What the gate and the ledger add to a publish: the same sessions on copies of a book, in turns."""

import statistics
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from penwright.adapters.clock import SystemClock
from penwright.adapters.memory_store import memory_store
from tests.bench.books_bench import GROWING, SMALL, Desk, Shelf
from tests.bench.long_books import SIZES, Size, make_book
from tests.bench.report import Row, milliseconds, percentile, say

MOST = 1.3


def measure(root: Path, store: Shelf, size: Size, rounds: int, *, warm_up: int = 2) -> list[Row]:
    """Rows of one size: growing the book, and touching a small file; with everything, and the gate alone."""
    say(f"gate: {rounds} sessions on three books of {size.words:,} words")
    desks = [
        Desk(size, make_book(root / f"{size.commits}-{name}", size), store, gated, traced)
        for name, gated, traced in (("bare", False, False), ("gated", True, False), ("traced", True, True))
    ]
    for number in range(warm_up + rounds):
        # The turns change, so that none always comes last to the disk.
        first = number % len(desks)
        for desk in (*desks[first:], *desks[:first]):
            if number == warm_up:
                desk.forget()
            desk.session()
    return [
        row for step in (GROWING, SMALL) for row in _rows(size, step, *(each.costs[step] for each in desks))
    ]


def _rows(
    size: Size, step: str, bare: Sequence[float], gated: Sequence[float], traced: Sequence[float]
) -> Iterator[Row]:
    base, found = statistics.median(bare), statistics.median(traced)
    yield Row(
        part="gate",
        measure=f"{step}, {size.name}",
        found=f"{milliseconds(found)}, p95 {milliseconds(percentile(traced, 0.95))}",
        baseline=milliseconds(base),
        ratio=found / base,
        goal=f"<= {MOST}x without",
        within=found <= MOST * base,
    )
    alone = statistics.median(gated)
    yield Row(
        part="gate",
        measure=f"{step}, {size.name}, gate alone",
        found=f"{milliseconds(alone)}, p95 {milliseconds(percentile(gated, 0.95))}",
        baseline=milliseconds(base),
        ratio=alone / base,
    )


def run(rounds: int = 30) -> list[Row]:
    """Measure every size."""
    store = memory_store(clock=SystemClock())
    with tempfile.TemporaryDirectory() as root:
        return [row for size in SIZES for row in measure(Path(root), store, size, rounds)]
