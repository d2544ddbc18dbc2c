"""What keeps an agent to its task: policies block, feedback nudges, completion checkers refuse to stop."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime

from pydantic import BaseModel

from penwright.agents.state import StateView
from penwright.agents.tool import Declared, Facts, Tool
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

    @abstractmethod
    def check(self, call: Call, state: StateView) -> Verdict:
        """Pure."""

    def learned(self, call: Call, outcome: CallOutcome, state: StateView) -> Sequence[BaseModel]:
        """Events to remember of a call that succeeded, such as which tool it was; pure."""
        return ()


class Trajectory(Declared):
    """The run so far, as feedback and completion see it."""

    outcomes: tuple[CallOutcome, ...]
    started_at: datetime
    now: datetime
    deadline: datetime | None = None
    files: Mapping[str, str] = {}
    """Digest by path of what the run created or changed."""


class FeedbackProvider(Declared, ABC):
    """Says something after a call, at its own cadence."""

    name: str

    @abstractmethod
    def feedback(self, trajectory: Trajectory, state: StateView) -> str | None:
        """What to tell the model now; pure."""


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
