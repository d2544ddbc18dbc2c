"""``trace verify`` on a hundred thousand records: all of them, and once more after one commit."""

import json
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from gateway.desk.traces import uncollected
from penwright.adapters.two_processes import in_two_processes
from penwright.domain.trace.verifying.report import VerifyOptions, VerifyReport, VerifyState
from penwright.domain.trace.verifying.verifier import verify
from tests.bench.report import Row, say
from tests.support.traces import LongTrace

RECORDS = 100_000
WHOLE_S, AGAIN_S = 15.0, 1.0
_Made = TypeVar("_Made")


def run(records: int = RECORDS) -> list[Row]:
    """Build a repository, verify it, add one commit, verify that."""
    with tempfile.TemporaryDirectory(prefix="penwright-bench-") as root:
        return measure(Path(root) / "book", records)


def measure(folder: Path, records: int) -> list[Row]:
    """The rows for a book of so many records."""
    book = LongTrace(folder)
    say(f"writing {records:,} records")
    with book:
        book.write(records)
    say("verifying all of them")
    whole, report = _timed(lambda: _verified(book, None))
    assert report.state is not None, report.findings
    assert report.records == records
    with book:
        book.write(1)
    again, second = _timed(lambda: _verified(book, report.state))
    assert (second.incremental, second.judged, second.records) == (True, 1, records + 1)
    bare, _ = _timed(lambda: _only_parsed(book))
    size = f"{records:,} records"
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return [
        _row(f"all of {size}", whole, WHOLE_S, bare, scaled=records == RECORDS),
        _row(f"again, {size} and one", again, AGAIN_S, bare, scaled=True),
        Row("verify", f"memory, {size}", f"{memory} MB"),
    ]


def _row(measure: str, seconds: float, goal: float, bare: float, *, scaled: bool) -> Row:
    """Beside the time it takes to parse as many lines with the standard library and nothing else."""
    return Row(
        part="verify",
        measure=measure,
        found=f"{seconds:.2f} s",
        baseline=f"{bare:.2f} s",
        ratio=seconds / bare if bare else None,
        goal=f"<= {goal:g} s",
        within=seconds <= goal if scaled else None,
    )


def _verified(book: LongTrace, state: VerifyState | None) -> VerifyReport:
    """As the command does it."""
    with uncollected(), book.source() as source:
        return verify(source, VerifyOptions(), state, spread=in_two_processes)


def _only_parsed(book: LongTrace) -> None:
    """What nobody can do without: every line through ``json``, once."""
    with book.source() as source:
        for segment in source.ledger():
            for row in (source.blob(segment.blob) or b"").splitlines():
                json.loads(row)


def _timed(work: Callable[[], _Made]) -> tuple[float, _Made]:
    start = time.perf_counter()
    made = work()
    return time.perf_counter() - start, made
