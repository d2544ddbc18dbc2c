"""Optional programs: a test that needs a missing one is skipped, and the last lines of the run say so."""

import shutil
from collections import Counter
from dataclasses import dataclass

import pytest


@dataclass(frozen=True)
class Program:
    """A program that the README does not ask for."""

    name: str
    brought_by: str

    @property
    def reason(self) -> str:
        return f"no `{self.name}` on PATH; `{self.brought_by}` brings it"


OPTIONAL = {"chromium": Program("chromium", "apt-get install chromium")}
CHROMIUM = shutil.which("chromium")
"""The path of the browser, or None."""


def skip_without_program(items: list[pytest.Item]) -> None:
    """Skip what is marked ``program("chromium")`` where that program is missing."""
    for item in items:
        for mark in item.iter_markers("program"):
            program = OPTIONAL[mark.args[0]]
            if shutil.which(program.name) is None:
                item.add_marker(pytest.mark.skip(reason=program.reason))


def missing_programs(skipped: list[pytest.TestReport]) -> list[str]:
    """One line for each missing program: how many tests it cost, and the command that brings it."""
    reasons = Counter(_reason(report) for report in skipped)
    counts = ((program, reasons[program.reason]) for program in OPTIONAL.values())
    return [f"{count} tests skipped: {program.reason}" for program, count in counts if count]


def _reason(report: pytest.TestReport) -> str:
    told = report.longrepr
    return told[2].removeprefix("Skipped: ") if isinstance(told, tuple) else ""
