"""The outcome of a run of tests, from pytest's JUnit file: distinct faults, and the slowest files."""

import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

REPORT = Path(".pytest_cache/tests.xml")


def faults(report: Path) -> set[str]:
    """Each failed test, and each broken fixture once, however many tests needed it."""
    return set(_faults(ElementTree.parse(report).getroot()))


def slowest(report: Path, most: int = 3) -> Sequence[tuple[str, float]]:
    """The files with the longest tests, and their seconds of wall time."""
    seconds: dict[str, float] = defaultdict(float)
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        seconds[case.get("classname", "")] += float(case.get("time", 0))
    return sorted(seconds.items(), key=lambda each: -each[1])[:most]


def _faults(root: ElementTree.Element) -> Iterator[str]:
    for case in root.iter("testcase"):
        if case.find("failure") is not None:
            yield f"{case.get('classname')}::{case.get('name')}"
        broken = case.find("error")
        if broken is not None:
            # The last line of the traceback says what broke, and where.
            yield (broken.text or "").rstrip().rpartition("\n")[2] or broken.get("message", "")


if __name__ == "__main__":
    print(len(faults(Path(sys.argv[1]))))
