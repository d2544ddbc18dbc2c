"""What the ``trace`` commands share: a source that shows progress, names of places, and their exit codes."""

import functools
import gc
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import typer

from gateway.cli.output import EXIT_FAILED, Printer, next_step
from gateway.desk.services import Services
from penwright.errors import NotFound, PenwrightError, UsageMistake

if TYPE_CHECKING:
    from penwright.ports import TraceSource
    from schemas.base import CommitSha
    from schemas.trace import Anchor, LedgerFile, TracedCommit
    from schemas.workspace import Workspace

_P = ParamSpec("_P")
_R = TypeVar("_R")

_SILENT_S = 1.0
_PERIOD_S = 0.2
_LINE = re.compile(r"(.+):(\d{1,9})")


class CouldNotRun(UsageMistake):
    """A command that found nothing out: its exit code is 2, whatever kept it."""


def runnable(command: Callable[_P, _R]) -> Callable[_P, _R]:
    """``command``, with every deliberate failure told as one that kept it from running."""

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
def opened(services: Services, named: str, out: Printer) -> "Iterator[tuple[Watched, Workspace]]":
    """The trace of the book ``named``, telling on a terminal how far it is read."""
    from gateway.desk import books

    workspace = books.workspace_at(services, books.folder(services, named))
    progress = Progress(shown=not out.as_json and sys.stderr.isatty())
    with uncollected(), services.workspaces().trace(workspace) as source:
        try:
            yield Watched(source, progress), workspace
        finally:
            progress.clear()


@contextmanager
def uncollected() -> Iterator[None]:
    """No looking for rings among millions of tuples that hold none: each look takes as long as all before."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def place_of(given: str, source: "TraceSource", workspace: "Workspace") -> tuple[str, int | None]:
    """Path and line; a file whose own name ends like a line is a file."""
    files = source.files()
    whole = _inside(given, workspace)
    found = _LINE.fullmatch(given)
    if whole in files or found is None:
        return whole, None
    return _inside(found[1], workspace), int(found[2])


def note_unsaved(out: Printer, source: "TraceSource", workspace: "Workspace", path: str) -> bool:
    """Say that a file is not as it was committed, and so not as it is told of; whether it is not."""
    file = Path(workspace.path, path)
    if not file.is_file() or file.read_bytes() == source.blob(source.files().get(path, "")):
        return False
    out.note(f"{path} has unsaved edits; what follows is told of the text as committed.")
    return True


def commit_id(workspace: "Workspace", named: str) -> str:
    """The full id of a commit, whatever it is called."""
    from penwright.adapters.scaffold.repository_folder import git

    top = Path(workspace.path)
    asked = f"{'refs/heads/' + workspace.branch if named == 'HEAD' else named}^{{commit}}"
    sha = git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", asked, check=False)
    if not sha:
        hint = "take one from `git log`"
        raise NotFound("no-such-commit", f"{named!r} is no commit of {workspace.path!r}", hint=hint)
    return sha


def _inside(given: str, workspace: "Workspace") -> str:
    """As git names it, where it is given as this machine does."""
    path = Path(given)
    if path.is_absolute() and path.is_relative_to(workspace.path):
        return path.relative_to(workspace.path).as_posix()
    return str(PurePosixPath(given))


@dataclass(slots=True)
class Progress:
    """One living line on a terminal's stderr, from the first second on."""

    shown: bool
    contents: int = 0
    began: float = field(default_factory=time.monotonic)
    _told: float = 0.0

    def __call__(self, what: str, count: int) -> None:
        """Tell how far it is, now and then."""
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


@dataclass(frozen=True, slots=True)
class Watched:
    """A source that tells how much of it was read."""

    source: "TraceSource"
    progress: Progress

    @property
    def tip(self) -> "CommitSha":
        return self.source.tip

    def ledger(self) -> "tuple[LedgerFile, ...]":
        return self.source.ledger()

    def files(self) -> Mapping[str, str]:
        return self.source.files()

    def blob(self, sha: str) -> bytes | None:
        self.progress.contents += 1
        self.progress("contents read", self.progress.contents)
        return self.source.blob(sha)

    def at(self, commit: str, path: str) -> bytes | None:
        return self.source.at(commit, path)

    def commits(self, *, since: str | None = None, bookkeeping: bool = True) -> "Iterator[TracedCommit]":
        return self._counted(self.source.commits(since=since, bookkeeping=bookkeeping))

    def _counted(self, commits: "Iterator[TracedCommit]") -> "Iterator[TracedCommit]":
        for number, commit in enumerate(commits, start=1):
            self.progress("commits read", number)
            yield commit

    def reaches(self, commit: str) -> bool:
        return self.source.reaches(commit)

    def anchors(self, *, since: Mapping[str, str] | None = None) -> "tuple[Anchor, ...]":
        return self.source.anchors(since=since)
