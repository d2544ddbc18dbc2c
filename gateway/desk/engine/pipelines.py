"""Ports: runs of any pipeline; sessions of books, and their schedules."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal, Protocol, TypeVar

from schemas.base import BookId, Progress
from schemas.board import Timetabled
from schemas.book_errand import BookErrandInput, BookErrandResult
from schemas.book_session import Advanced, BookSessionInput, BookSessionResult, Closed, Opened
from schemas.control import KillRequest
from schemas.intents import ApprovalDecision, ApprovalRequest, Selected
from schemas.outside_session import DeliverProse, SessionView
from schemas.workspace import Workspace

Given = TypeVar("Given", contravariant=True)
Result = TypeVar("Result", covariant=True)
Message = KillRequest | Literal["pause", "resume"]
"""A message to a running session: a kill request, pause or resume."""


NO_ANSWER = "engine-no-answer"
"""Code of an engine that runs but does not answer; one that does not run has another."""


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """The result of a kill, pause or resume."""

    found: Literal["session", "errand", "nothing"]
    heard: bool = False
    """The running session confirmed it within five seconds."""
    stuck: str = ""
    """Reason why it goes no further, and what ends it; empty unless that is known."""


@dataclass(frozen=True, slots=True)
class StepUnderWay:
    """A step that a run waits for."""

    name: str
    attempt: int
    """From 1."""
    since: datetime | None
    """When its newest attempt began; None: none has begun."""
    again_at: datetime | None
    """When the next attempt begins, after one that failed."""
    trouble: str
    """Failure of the attempt before; empty in the first."""


class Runs(Protocol):
    """The runs of one pipeline as commands see them; one runs at a time under each name."""

    async def progress(self, name: str, /) -> Progress | None:
        """Progress of a run; None when none runs."""
        ...

    async def running(self) -> Mapping[str, Progress]:
        """Progress of every run, by name; without a worker, only its stage."""
        ...

    async def signal(self, name: str, message: Message, /) -> Acknowledgement:
        """Kill, pause or resume a run and wait for the acknowledgement."""
        ...


class StartedRuns(Runs, Protocol[Given, Result]):
    """Runs that are started by an input of one kind."""

    async def start(self, given: Given, /) -> bool:
        """Start a run; False if one runs already, which is left as it is."""
        ...

    async def result(self, name: str, /) -> Result | None:
        """Wait for the running or latest run to end; None if there was none."""
        ...


class SideRuns(StartedRuns[Given, Result], Protocol[Given, Result]):
    """Runs of a book beside its sessions, such as readings and plannings; ``name`` is the book's id."""

    async def want(self, given: Given) -> None:
        """Start a reading, or have the running one look again before it ends."""
        ...


class Pipelines(Runs, Protocol):
    """The sessions and errands of books; a run is named by its book."""

    async def start(self, given: BookSessionInput) -> None:
        """Start a session of the built-in writer; ``Refused`` ``already-running`` if the book is held."""
        ...

    async def open(self, given: BookSessionInput) -> Opened:
        """Start a session for an outside agent, named by ``given.opener``."""
        ...

    async def close(self, book_id: BookId, delivery: DeliverProse) -> Closed:
        """Deliver prose; ``Refused`` ``no-active-session`` when nothing waits for it."""
        ...

    async def advance(self, book_id: BookId, session: str = "", *, place: str = "") -> Advanced | None:
        """Advance inside the running outside session; None when none is running, or it only winds up.

        Args:
            session: ``Refused`` ``other-session`` if another one runs; empty: whichever runs.
            place: see ``OpenRequest.place``; ``Refused`` ``open-elsewhere`` if the session works elsewhere.
        """
        ...

    async def select(self, book_id: BookId, intent: str, session: str = "", *, place: str = "") -> Selected:
        """Choose the intent of the running outside session; ``Refused`` when it may not be selected."""
        ...

    async def session_view(self, book_id: BookId, session: str) -> SessionView | None:
        """The running session, as the holder of ``session`` may see it; None when none runs."""
        ...

    async def errand(self, given: BookErrandInput) -> BookErrandResult:
        """Change a book outside a session; ``Refused`` ``already-running`` if it is held."""
        ...

    async def result(self, book_id: BookId) -> BookSessionResult:
        """Wait for the running or latest session to end."""
        ...

    async def pending(self, book_id: BookId) -> ApprovalRequest | None:
        """The change that waits for approval; None when none does."""
        ...

    async def decide(self, book_id: BookId, decision: ApprovalDecision) -> None:
        """Answer what is pending; ``Refused`` when it is another, decided, or expired."""
        ...

    async def under_way(self, workflow_id: str) -> tuple[StepUnderWay, ...]:
        """The activities that a workflow of any pipeline waits for; none once it has ended."""
        ...


@dataclass(frozen=True, slots=True)
class Timetable:
    """When a book is written, and what happens when a run is missed or fails."""

    cron: str | None = None
    """Five fields; exactly one of ``cron`` and ``every`` is set."""
    every: timedelta | None = None
    time_zone: str = "UTC"
    pause_on_failure: bool = False
    pause_after: int = 3
    """Refusals in a row that count as a failure; at least 1."""
    jitter: timedelta = timedelta(0)
    window: timedelta = timedelta(0)
    """Each subject starts by its own stable delay later, less than this."""
    catch_up: timedelta = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class ScheduledRun:
    """A run that a schedule started."""

    at: datetime
    outcome: str
    """As in ``PenwrightOutcome``; ``running`` until it has one."""
    code: str


@dataclass(frozen=True, slots=True)
class Scheduled:
    """A schedule and its latest runs."""

    subject: str
    """The book's id."""
    rhythm: str
    """The cron line or the interval, for people."""
    time_zone: str
    paused: bool
    note: str
    next_runs: tuple[datetime, ...]
    """The next five, earliest first."""
    last_result: str
    """Outcome of the latest run; empty before the first."""
    last_run: datetime | None = None
    runs: tuple[ScheduledRun, ...] = ()
    """The latest five, newest first."""
    pause_on_failure: bool = False
    skipped: int = 0
    """Runs that did not begin, since another was going on."""
    missed: int = 0
    """Runs that did not begin, since the engine was down for too long."""


class Schedules(Protocol):
    """Timetables of books; each has at most one."""

    async def put(
        self, given: BookSessionInput, timetable: Timetable, *, paused: bool | None = None
    ) -> Scheduled:
        """Make or replace a schedule; ``UsageMistake`` for an invalid timetable.

        ``paused``: None leaves one that there is as it stands.
        """
        ...

    async def remove(self, subject: str) -> None:
        """``Refused`` if there is no schedule."""
        ...

    async def move(self, subject: str, workspace: Workspace) -> bool:
        """Start its runs in ``workspace`` from now on; False if there is no schedule."""
        ...

    async def pause(self, subject: str, *, paused: bool, note: str) -> Scheduled:
        """Stop or restart a schedule without forgetting it; ``Refused`` if there is none."""
        ...

    async def find(self, subject: str) -> Scheduled | None:
        """The schedule of one subject; None if it has none."""
        ...

    async def all(self) -> tuple[Scheduled, ...]:
        """Every schedule, by book."""
        ...

    async def upcoming(self) -> Mapping[str, Timetabled]:
        """Every schedule in short, from one list."""
        ...
