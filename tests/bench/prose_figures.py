"""``python -m tests.bench.prose_figures [FILE]``: faults found in prose of our own, or in a text."""

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path

from tests.support.prose.measuring import STORY, measure, table
from tests.support.prose.measuring_edits import measure_changes, measure_replies
from tests.support.prose.measuring_mends import mends_table


def main(words: Sequence[str] | None = None) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.prose_figures", description=__doc__)
    parser.add_argument(
        "file", nargs="?", type=Path, default=STORY, help="a text with blank lines between paragraphs"
    )
    parser.add_argument("--session", type=int, default=600, metavar="WORDS", help="default: 600")
    parser.add_argument("--of", choices=("sessions", "changes", "replies", "mends"), default="sessions")
    parser.add_argument("--language", default="English")
    parser.add_argument("--alarms", action="store_true", help="list the false alarms, too")
    given = parser.parse_args(words)
    if given.of == "mends":
        print(asyncio.run(mends_table()))
        return 0
    text = given.file.read_text(encoding="utf-8")
    match given.of:
        case "changes":
            figures = measure_changes(text, words=given.session)
        case "replies":
            figures = measure_replies(text, words=given.session)
        case _:
            figures = measure(text, words=given.session, language=given.language)
    print(table(figures))
    for each in figures.alarms if given.alarms else ():
        print(f"{each.rule}: {each.quote[:70]!r} | {each.other[:70]!r}")
    return 0


if __name__ == "__main__":
    main()
