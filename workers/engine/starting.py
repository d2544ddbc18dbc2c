"""A start as people see it: each step with its seconds, and whether all that belongs to it is there."""

import time
from collections.abc import Callable

from workers.engine.log_lines import in_words
from workers.engine.processes import tail
from workers.home.folder import ChildRecord, Record
from workers.settings import Loaded

LONG_STEP_S = 10.0
"""A step is named while it lasts, once in this time."""

Report = Callable[[str], None]
"""Takes one line for people."""


class StartReport:
    """Reports what is new in the record of an engine that starts."""

    def __init__(self, report: Report, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._report, self._clock = report, clock
        self._began = clock()
        self._told: dict[str, str] = {}
        """Each process, and the state in which it was told."""
        self._step, self._step_told = "", clock()

    def look(self, record: Record) -> None:
        """Report each process that is ready, and from time to time what the others do."""
        now = self._clock()
        if record.step and record.step != self._step:
            self._report(record.step)
            self._step, self._step_told = record.step, now
        for name, child in record.children.items():
            if child.state in ("ready", "given up") and self._told.get(name) != child.state:
                self._told[name] = child.state
                self._report(f"{name} is {child.state} after {now - self._began:.1f} s")
        if now - self._step_told >= LONG_STEP_S and (still := under_way(record)):
            self._step_told = now
            self._report(f"after {now - self._began:.0f} s: {still}")


def complete(record: Record) -> bool:
    """Whether the engine works and every process is ready, given up, or was ended because it stood still."""
    return record.state == "ready" and all(
        child.state in ("ready", "given up") or child.stood_at for child in record.children.values()
    )


def under_way(record: Record) -> str:
    """Name what is not ready yet, with its step: ``web: starts; activities: preparing the tables``."""
    if record.step:
        return record.step
    late = {name: child for name, child in record.children.items() if child.state != "ready"}
    said = [f"{name}: {step_of(child)}" for name, child in late.items()]
    return "; ".join([*said, *([f"the engine lacks: {record.lacks}"] if record.lacks else [])])


def step_of(child: ChildRecord) -> str:
    """Name the step of a process that is not ready."""
    return child.step or {"starting": "starts"}.get(child.state, child.state)


def end_of_log(loaded: Loaded, name: str, *, since: int = 0) -> str:
    """Name the log of a process and quote its end."""
    log = loaded.settings.home / "logs" / f"{name}.log"
    last = in_words(tail(log, 3, since=since))
    return f"its log {str(log)!r} ends: {last}" if last else f"its log {str(log)!r} is empty since this start"
