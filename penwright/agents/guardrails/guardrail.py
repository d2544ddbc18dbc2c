"""Base classes of guardrails: policies deny calls, feedback comments, completion checkers decide the end."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import ClassVar

from pydantic import BaseModel, Field

from penwright.agents.guardrails.triggers import Trigger
from penwright.agents.state import SliceItem, StateView
from penwright.agents.tools.resources import Resources
from penwright.agents.tools.tool import Declared, Facts, Tool
from schemas.agent import CallOutcome


class Allow(Declared):
    """The call may be made if files match ``facts`` at that time."""

    facts: Facts = {}


class Deny(Declared):
    """The call may not be made."""

    code: str
    reason: str
    """Missing work, in terms the model can act on."""


Verdict = Allow | Deny


class Call(Declared):
    """A call to be checked; its arguments are parsed."""

    tool: Tool
    params: BaseModel
    number: int


class Policy(Declared, ABC):
    """Allows or denies calls. All policies must allow; one that raises denies."""

    name: str
    """Names its memory too: a run keeps it across builds while the name stays the same."""
    memory: ClassVar[tuple[type[SliceItem], ...]] = ()
    """Its own slices. Only events from ``learned`` change them, and those change nothing else."""
    everywhere: ClassVar[bool] = False
    """Whether it gates the tools of every section, whichever section declares it."""

    @property
    def tools(self) -> frozenset[str]:
        """Names of the tools it refers to; a definition that lacks one is invalid."""
        return frozenset()

    @abstractmethod
    def check(self, call: Call, state: StateView) -> Verdict:
        """Pure."""

    def learned(self, call: Call, outcome: CallOutcome, state: StateView) -> Sequence[BaseModel]:
        """Events for its memory, asked after every successful call with the state after it; pure."""
        return ()


class Trajectory(Declared):
    """The run so far, as feedback and completion see it."""

    outcomes: tuple[CallOutcome, ...]
    started_at: datetime
    now: datetime
    deadline: datetime | None = None
    files: Mapping[str, str] = {}
    """Digest by path of what the run created or changed."""
    fired: tuple[Trigger, ...] = ()
    """The triggers that fired for the provider."""
    looked: Mapping[str, "Completion"] = {}
    """Findings of the checkers that look at the world about this answer, by name."""

    @property
    def calls(self) -> int:
        """Calls of the whole run that have an outcome."""
        return max((outcome.number for outcome in self.outcomes), default=0)

    @property
    def left(self) -> timedelta | None:
        """Time until the deadline, never negative; None without one."""
        return None if self.deadline is None else max(self.deadline - self.now, timedelta(0))


class FeedbackProvider(Declared, ABC):
    """Gives feedback after a call when one of its triggers fires."""

    name: str
    triggers: tuple[Trigger, ...] = Field(min_length=1)
    """Any of them fires it; each keeps its own time."""

    @abstractmethod
    def feedback(self, trajectory: Trajectory, state: StateView) -> str | None:
        """The text for the model, or None; pure. Not asked again before the next trigger."""


class Completion(Declared):
    """Whether the task is done."""

    complete: bool
    reason: str = ""


class CompletionChecker(Declared, ABC):
    """Decides whether the agent may stop."""

    name: str

    @abstractmethod
    def check(self, trajectory: Trajectory, output: BaseModel | str | None, state: StateView) -> Completion:
        """Pure."""

    @property
    def parts(self) -> tuple["CompletionChecker", ...]:
        """The checkers that it is made of; itself if it is none of others."""
        return (self,)


class WorldChecker(CompletionChecker, ABC):
    """A checker that looks at the world, on a worker: at the files of the run's book, or at a resource of
    its own. It may be asked more than once for one answer, and changes nothing."""

    reads: tuple[type[BaseModel], ...] = ()
    """Slices of state that it reads; a worker is sent no others."""

    @abstractmethod
    async def look(self, output: BaseModel | str | None, state: StateView, world: Resources) -> Completion:
        """Look at the world. A ``PassingError`` is asked again; any other error counts as incomplete."""

    def check(self, trajectory: Trajectory, output: BaseModel | str | None, state: StateView) -> Completion:
        """Return the result of ``look``."""
        missing = Completion(complete=False, reason=f"What {self.name!r} looks at could not be asked.")
        return trajectory.looked.get(self.name, missing)
