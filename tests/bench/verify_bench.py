"""``penwright trace verify`` on a hundred thousand records."""

import json
import tempfile
from pathlib import Path
from typing import Any

from tests.bench.report import Row, say, timed
from tests.support.engine.home import EngineHome, engine_home
from tests.support.ledgers.traces import LongTrace

RECORDS = 100_000
BUDGET_S = 30.0


def run(records: int = RECORDS) -> list[Row]:
    """Measure the command in a home of its own."""
    home = engine_home()
    try:
        with tempfile.TemporaryDirectory(prefix="penwright-bench-") as root:
            return [measure(home, Path(root) / "book", records)]
    finally:
        home.remove()


def measure(home: EngineHome, folder: Path, records: int) -> Row:
    """Verify all records of a new book; the baseline is ``json`` reading each line once."""
    say(f"verify: writing {records:,} records")
    with LongTrace(folder) as book:
        book.write(records)
    say("verify: verifying all of them")
    found_ms, report = timed(lambda: _verified(home, folder))
    assert report["records"] == records, report
    base_ms, _ = timed(lambda: _parsed(book))
    return Row(
        part="verify",
        measure=f"all of {records:,} records; json.loads",
        found=f"{found_ms / 1000:.2f} s",
        baseline=f"{base_ms / 1000:.2f} s",
        ratio=found_ms / base_ms,
        budget=f"<= {BUDGET_S:g} s",
        within=found_ms <= BUDGET_S * 1000,
    )


def _verified(home: EngineHome, folder: Path) -> dict[str, Any]:
    done = home.cli("trace", "verify", str(folder), "--json")
    if done.returncode:
        raise RuntimeError(f"verify exited with {done.returncode}: {done.stdout[:2000]}{done.stderr}")
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def _parsed(book: LongTrace) -> None:
    with book.source() as source:
        for segment in source.ledger():
            for row in (source.blob(segment.blob) or b"").splitlines():
                json.loads(row)
