"""``make bench``: measure every part, or the named ones, and print one table."""

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence

from tests.bench import (
    agent_bench,
    books_bench,
    command_bench,
    continuity_bench,
    editor_bench,
    events_bench,
    locator_bench,
    lore_bench,
    pages_bench,
    prefix_bench,
    prompt_bench,
    prose_bench,
    rounds_bench,
    session_bench,
    silent_bench,
    trips_bench,
    verify_bench,
)
from tests.bench.report import Row, as_documents, table

PARTS: Mapping[str, Callable[[], list[Row]]] = {
    "help": command_bench.run_help,
    "engine": command_bench.run_engine,
    "session": session_bench.run,
    "trips": trips_bench.run,
    "prompt": prompt_bench.run,
    "prefixes": prefix_bench.run,
    "agent": agent_bench.run,
    "books": books_bench.run,
    "verify": verify_bench.run,
    "locator": locator_bench.run,
    "lore": lore_bench.run,
    "continuity": continuity_bench.run,
    "rounds": rounds_bench.run,
    "editor": editor_bench.run,
    "events": events_bench.run,
    "pages": pages_bench.run,
    "prose": prose_bench.run,
    "silent": silent_bench.run,
}


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print; 1 when a budget is exceeded."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench",
        description="Measure against fixed budgets. Exit code 1: a budget is exceeded.",
    )
    parser.add_argument("parts", nargs="*", metavar="part", help=f"{', '.join(PARTS)}; default: all")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of the table")
    given = parser.parse_args(words)
    unknown = [part for part in given.parts if part not in PARTS]
    if unknown:
        parser.error(f"unknown part {unknown[0]!r}; the parts are {', '.join(PARTS)}")
    # Without compiled modules the sandbox compiles the workflow again for every run.
    sys.dont_write_bytecode = False
    rows = [row for part in given.parts or PARTS for row in PARTS[part]()]
    print(json.dumps(as_documents(rows), indent=2) if given.json else table(rows))
    return 0 if all(row.within for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
