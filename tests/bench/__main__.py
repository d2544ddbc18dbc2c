"""``make bench``: every part, or the named ones, and one table at the end."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence

from tests.bench import (
    agent_bench,
    books_bench,
    command_bench,
    gate_bench,
    session_bench,
    trace_index_bench,
    verify_bench,
)
from tests.bench.report import Row, as_documents, table

PARTS: Mapping[str, Callable[[], list[Row]]] = {
    "help": command_bench.run_help,
    "engine": command_bench.run_engine,
    "session": session_bench.run,
    "agent": agent_bench.run,
    "books": books_bench.run,
    "gate": gate_bench.run,
    "trace": trace_index_bench.run,
    "verify": verify_bench.run,
}


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print; 1 when a goal is missed."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench",
        description="Measure, and compare with a baseline of the same run. Exit code 1: a goal is missed.",
    )
    parser.add_argument(
        "parts", nargs="*", metavar="part", help=f"which parts: {', '.join(PARTS)}; all if none"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of the table")
    given = parser.parse_args(words)
    unknown = [part for part in given.parts if part not in PARTS]
    if unknown:
        parser.error(f"no part {unknown[0]!r}; there are {', '.join(PARTS)}")
    # Without compiled modules the sandbox compiles the workflow anew for every run.
    sys.dont_write_bytecode = False
    rows = [row for part in given.parts or PARTS for row in PARTS[part]()]
    print(json.dumps(as_documents(rows), indent=2) if given.json else table(rows))
    return 1 if any(row.within is False for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
