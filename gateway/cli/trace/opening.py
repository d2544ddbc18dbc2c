"""Common parts of the ``trace`` commands: a source that shows progress, and their exit codes."""

import functools
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import ParamSpec, TypeVar

import typer

from gateway.cli.output import EXIT_FAILED, Printer, next_step
from gateway.desk.services import Services
from gateway.desk.trace import traces
from gateway.desk.trace.traces import CountedSource
from penwright.domain.trace.source import TraceSource
from penwright.errors import PenwrightError, UsageMistake
from schemas.workspace import Workspace

_P = ParamSpec("_P")
_R = TypeVar("_R")

_SILENT_S = 1.0
_PERIOD_S = 0.2


class CouldNotRun(UsageMistake):
    """A command that could not check anything: its exit code is 2, whatever the reason."""


def runnable(command: Callable[_P, _R]) -> Callable[_P, _R]:
    """``command``, with exit code 2 for every error: 1 means findings."""

    @functools.wraps(command)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            return command(*args, **kwargs)
        except PenwrightError as error:
            hint = next_step(error)
            raise CouldNotRun(error.code, error.message, **{**error.details, "hint": hint}) from error
        except BrokenPipeError:
            raise
        except OSError as error:
            about = f"{error.strerror or error}: {error.filename!r}" if error.filename else str(error)
            raise CouldNotRun("file-system", about, hint="see that it exists and is yours to use") from error

    return run


def end(findings: bool) -> None:
    """Leave with 1 if there is anything to look at."""
    if findings:
        raise typer.Exit(EXIT_FAILED)


@contextmanager
def opened(services: Services, named: str, out: Printer) -> Iterator[tuple[CountedSource, Workspace]]:
    """The trace of the book ``named``; on a terminal a line shows how far it is read."""
    with shown_progress(out) as progress, traces.opened(services, named, progress) as found:
        yield found


@contextmanager
def shown_progress(out: Printer) -> "Iterator[Progress]":
    """A line on the terminal while the block runs."""
    progress = Progress(shown=not out.as_json and sys.stderr.isatty())
    try:
        yield progress
    finally:
        progress.clear()


def note_unsaved(out: Printer, source: TraceSource, workspace: Workspace, path: str) -> bool:
    """Say that a file has unsaved edits; returns whether it has."""
    unsaved = traces.is_unsaved(source, workspace, path)
    if unsaved:
        out.note(f"{path} has unsaved edits; what follows describes the committed text.")
    return unsaved


@dataclass(slots=True)
class Progress:
    """One living line on a terminal's stderr, from the first second on."""

    shown: bool
    began: float = field(default_factory=time.monotonic)
    _told: float = 0.0

    def __call__(self, what: str, count: int) -> None:
        """Show the count now and then."""
        if not self.shown:
            return
        now = time.monotonic()
        if now - self.began > _SILENT_S and now - self._told > _PERIOD_S:
            self._told = now
            sys.stderr.write(f"\r\x1b[K{count:,} {what} …")
            sys.stderr.flush()

    def clear(self) -> None:
        """Make room for the answer."""
        if self._told:
            sys.stderr.write("\r\x1b[K")
            self._told = 0.0
