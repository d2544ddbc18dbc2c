"""Time that a person waits at a terminal: for the help, and for the engine to be ready."""

import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing

from tests.bench.report import Row, row_of, say, timed
from tests.support.engine.home import EngineHome, engine_home

HELP_MS = 300.0
READY_MS = 6_000.0


def run_help(rounds: int = 9) -> list[Row]:
    """Measure ``penwright --help``; the baseline is an interpreter that does nothing."""
    say(f"help: {rounds} times")
    with closing(_Home()) as home:
        home.penwright("--help")
        nothing = [home.run(sys.executable, "-c", "") for _ in range(rounds)]
        found = [home.penwright("--help") for _ in range(rounds)]
    return [row_of("help", "penwright --help; python -c ''", found, nothing, HELP_MS)]


def run_engine(rounds: int = 3) -> list[Row]:
    """Measure a warm ``penwright up``; the baseline is the very first one."""
    warm = []
    with closing(_Home()) as home:
        say("engine: first start")
        first = home.penwright("up", "--detach")
        for _ in range(rounds):
            say("engine: another start")
            home.penwright("down")
            warm.append(home.penwright("up", "--detach"))
    return [row_of("engine", "penwright up --detach, warm; first", warm, [first], READY_MS)]


class _Home:
    """A temporary engine home in which commands are timed."""

    def __init__(self) -> None:
        self._home: EngineHome = engine_home()

    def penwright(self, *words: str) -> float:
        """Milliseconds of ``penwright`` with these words."""
        return self.run(sys.executable, "-m", "gateway", *words)

    def run(self, *words: str) -> float:
        """Milliseconds of a command that must succeed."""
        cost, done = timed(lambda: self._finished(words))
        if done.returncode:
            raise RuntimeError(f"{words!r} exited with {done.returncode}: {done.stderr}")
        return cost

    def close(self) -> None:
        """Stop the engine and delete the home."""
        self._home.remove()

    def _finished(self, words: Sequence[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(words, env=self._home.environ, capture_output=True, text=True, check=False)
