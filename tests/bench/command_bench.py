"""What a person waits for at a terminal: the help, the engine, a session."""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.bench.long_books import SIZES, Size, make_book
from tests.bench.report import Row, milliseconds, percentile, say
from tests.support.engine_home import EngineHome, engine_home

HELP_MS = 300.0
READY_MS = 5_000.0


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a command."""

    wall_ms: float
    cpu_ms: float
    """Of the command's own process and its children, not of the engine."""


def timed(words: Sequence[str], home: EngineHome) -> Run:
    """Run a command that must succeed."""
    before = _children_ms()
    began = time.perf_counter()
    done = subprocess.run(words, env=home.environ, capture_output=True, text=True, check=False)
    wall_ms = (time.perf_counter() - began) * 1000
    if done.returncode:
        raise RuntimeError(f"{words!r} ended with {done.returncode}: {done.stderr}")
    return Run(wall_ms, _children_ms() - before)


def penwright(home: EngineHome, *words: str) -> Run:
    """Run ``penwright`` with these words."""
    return timed([sys.executable, "-m", "gateway", *words], home)


def run_help(rounds: int = 9) -> list[Row]:
    """``penwright --help`` beside an interpreter that does nothing."""
    say(f"help: {rounds} times")
    home = engine_home()
    try:
        penwright(home, "--help")
        nothing = statistics.median(timed([sys.executable, "-c", ""], home).wall_ms for _ in range(rounds))
        found = [penwright(home, "--help").wall_ms for _ in range(rounds)]
    finally:
        home.remove()
    p50 = statistics.median(found)
    return [
        Row(
            part="help",
            measure="penwright --help; beside python -c ''",
            found=f"{milliseconds(p50)}, p95 {milliseconds(percentile(found, 0.95))}",
            baseline=milliseconds(nothing),
            ratio=p50 / nothing,
            goal=f"<= {HELP_MS:.0f} ms",
            within=p50 <= HELP_MS,
        )
    ]


def run_engine(rounds: int = 3) -> list[Row]:
    """``penwright up``, first and again, and a session by the demo model as its author sees it."""
    home = engine_home()
    try:
        say("engine: first start")
        first = penwright(home, "up", "--detach").wall_ms
        warm = []
        for _ in range(rounds):
            say("engine: another start")
            penwright(home, "down")
            warm.append(penwright(home, "up", "--detach").wall_ms)
        return [_ready(first, statistics.median(warm)), *_sessions(home, SIZES[0], rounds + 1)]
    finally:
        home.remove()


def _ready(first: float, warm: float) -> Row:
    return Row(
        part="engine",
        measure="penwright up --detach, warm; beside the very first",
        found=milliseconds(warm),
        baseline=milliseconds(first),
        ratio=warm / first,
        goal=f"<= {READY_MS:.0f} ms",
        within=warm <= READY_MS,
    )


def _sessions(home: EngineHome, size: Size, rounds: int) -> list[Row]:
    with tempfile.TemporaryDirectory() as root:
        book = make_book(Path(root) / "book", size).path
        shown, seen = [], []
        for _ in range(rounds):
            say("engine: a session at the command line")
            seen.append(penwright(home, "book", "session", book, "--json"))
            shown.append(penwright(home, "book", "status", book, "--json"))
    wall = statistics.median(run.wall_ms for run in seen[1:])
    cpu = statistics.median(run.cpu_ms for run in seen[1:])
    least = statistics.median(run.wall_ms for run in shown[1:])
    found = f"{milliseconds(wall)}, its own CPU {milliseconds(cpu)}"
    measure = f"penwright book session, {size.name}; beside book status"
    return [Row("engine", measure, found, milliseconds(least), wall / least)]


def _children_ms() -> float:
    times = psutil.Process().cpu_times()
    return (times.children_user + times.children_system) * 1000
