"""A harness as the conformance suite sees it: whatever carries an agent's tool calls to a book.

To try another harness: write a class with the methods of ``Harness``, say in ``can`` what it is capable of,
and add it to ``HARNESSES`` in ``conftest``. Scenarios that need more than it can are skipped for it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Protocol


class Can(Enum):
    """What a scenario may need of a harness."""

    REFUSE = auto()
    """It tells the agent no: unknown tools, bad arguments, rules of the book."""
    READ = auto()
    """It reads the committed book."""
    TOGETHER = auto()
    """Several calls at once."""
    TWINS = auto()
    """Two calls under one id; answers pair by position."""
    OVERSIZE = auto()
    """Arguments of any size reach it."""
    SESSIONS = auto()
    """A call names its session, so that one may outlive it."""
    RESTART = auto()
    """Its process can be killed between a call and its answer, and started again."""
    PROGRESS = auto()
    """It tells what is being done while a call lasts."""


@dataclass(frozen=True)
class Call:
    """A tool call."""

    tool: str
    arguments: Mapping[str, object]


@dataclass(frozen=True)
class Outcome:
    """The one outcome of a call."""

    value: Mapping[str, Any]  # Any: JSON
    """What the tool answered; of a denial: error_type, error_code, recoverable, action_hint, details."""
    denied: bool = False

    @property
    def code(self) -> str:
        """Of a denial; empty otherwise."""
        return str(self.value["error_code"]) if self.denied else ""


class Harness(Protocol):
    """Carries calls of one agent to one book."""

    @property
    def can(self) -> frozenset[Can]: ...

    @property
    def who(self) -> str:
        """What the book's history calls the agent."""
        ...

    async def call(self, call: Call, heard: list[str] | None = None) -> Outcome:
        """One call; what is said while it lasts is added to ``heard``.

        Raises:
            ConnectionError: the answer was lost with the process.
        """
        ...

    async def twins(self, calls: Sequence[Call]) -> list[Outcome]:
        """Calls under one id, the answers in the order they came."""
        ...

    async def kill(self) -> None:
        """SIGKILL whatever stands between the agent and the engine."""
        ...

    async def start(self) -> None:
        """Start it, the first time or again."""
        ...

    async def stop(self) -> None: ...
