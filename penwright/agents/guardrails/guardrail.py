"""What keeps an agent to its task: policies block, feedback nudges, completion checkers refuse to stop."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import ClassVar

from pydantic import BaseModel, Field

from penwright.agents.guardrails.triggers import Trigger
from penwright.agents.state import SliceItem, StateView
from penwright.agents.tools.tool import Declared, Facts, Tool
from schemas.agent import CallOutcome


class Allow(Declared):
    """The call may be made, if files are what ``facts`` says when it is carried out."""

    facts: Facts = {}


class Deny(Declared):
    """The call may not be made."""

    code: str
    reason: str
    """What is missing, in words the model can act on."""


Verdict = Allow | Deny


class Call(Declared):
    """A call about to be made: arguments already parsed."""

    tool: Tool
    params: BaseModel
    number: int


class Policy(Declared, ABC):
    """Gates calls. All must allow; one that raises denies."""

    name: str
    """Of its memory, too: as long as it stays the same, a run that is carried on remembers."""
    memory: ClassVar[tuple[type[SliceItem], ...]] = ()
    """Slices of its own. No event but those it learned changes them, and those change nothing else."""

    @property
    def tools(self) -> frozenset[str]:
        """Names of the tools it speaks of; a definition without one of them is not sound."""
        return frozenset()

    @abstractmethod
    def check(self, call: Call, state: StateView) -> Verdict:
        """Pure."""

    def learned(self, call: Call, outcome: CallOutcome, state: StateView) -> Sequence[BaseModel]:
        """Events for its memory, after any tool's call that succeeded and in the state it left; pure."""
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
    """Why a feedback provider is asked now."""

    @property
    def calls(self) -> int:
        """Calls of the whole run that have an outcome."""
        return max((outcome.number for outcome in self.outcomes), default=0)

    @property
    def left(self) -> timedelta | None:
        """Time until the deadline, never less than none."""
        return None if self.deadline is None else max(self.deadline - self.now, timedelta(0))


class FeedbackProvider(Declared, ABC):
    """Says something after a call, at its own cadence."""

    name: str
    triggers: tuple[Trigger, ...] = Field(min_length=1)
    """Any of them lets it speak, and each keeps its own time."""

    @abstractmethod
    def feedback(self, trajectory: Trajectory, state: StateView) -> str | None:
        """What to tell the model now, if anything; pure. It is not asked again before the next trigger."""


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
