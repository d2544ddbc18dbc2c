"""What the gate and the ledger add to a publish: the same sessions on two copies of a book, in turns."""

import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

from penwright.adapters.clock import SystemClock
from penwright.adapters.memory_store import memory_store
from tests.bench.books_bench import GROWING, SMALL, Desk, Shelf
from tests.bench.long_books import SIZES, Size, make_book
from tests.bench.report import Row, milliseconds, percentile, say

MOST = 1.3


def measure(root: Path, store: Shelf, size: Size, rounds: int, *, warm_up: int = 2) -> list[Row]:
    """Rows of one size: the publish of a close, and one that touches a small file."""
    say(f"gate: {rounds} sessions on two books of {size.words:,} words")
    desks = [
        Desk(size, make_book(root / f"{size.commits}-{traced}", size), store, traced=traced)
        for traced in (False, True)
    ]
    for number in range(warm_up + rounds):
        # The turns change sides, so that neither always comes second to the disk.
        for desk in desks if number % 2 else reversed(desks):
            if number == warm_up:
                desk.forget()
            desk.session()
    return [_row(size, step, *(desk.costs[step] for desk in desks)) for step in (GROWING, SMALL)]


def _row(size: Size, step: str, without: Sequence[float], traced: Sequence[float]) -> Row:
    base, found = statistics.median(without), statistics.median(traced)
    return Row(
        part="gate",
        measure=f"{step}, {size.name}",
        found=f"{milliseconds(found)}, p95 {milliseconds(percentile(traced, 0.95))}",
        baseline=milliseconds(base),
        ratio=found / base,
        goal=f"<= {MOST}x without",
        within=found <= MOST * base,
    )


def run(rounds: int = 30) -> list[Row]:
    """Measure every size."""
    store = memory_store(clock=SystemClock())
    with tempfile.TemporaryDirectory() as root:
        return [row for size in SIZES for row in measure(Path(root), store, size, rounds)]
