"""A harness as the conformance suite sees it: it carries an agent's tool calls to a book.

To try another harness: write a class with the methods of ``Harness``, name its capabilities in ``can``,
and add it to ``HARNESSES`` in ``conftest``. Scenarios that need more than it can are skipped for it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, Protocol


class Can(Enum):
    """Capabilities that a scenario may need."""

    REFUSE = auto()
    """It returns denials to the agent: unknown tools, bad arguments, rules of the book."""
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
    DELIVER = auto()
    """A session takes prose once and keeps it whatever fails later."""
    FILES = auto()
    """The agent writes files of its choice, as often as it likes, with ``write_to_file`` and ``edit``."""
    LOSE = auto()
    """An attempt's answer can be lost between the book and the engine, which then attempts it again."""
    RESTART = auto()
    """Its process can be killed between a call and its answer, and started again."""
    PROGRESS = auto()
    """It reports progress during a call."""


@dataclass(frozen=True)
class Call:
    """A tool call."""

    tool: str
    arguments: Mapping[str, object]


@dataclass(frozen=True)
class Outcome:
    """The one outcome of a call."""

    value: Mapping[str, Any]  # Any: JSON
    """The tool's result; for a denial its fields, ``message`` at least."""
    code: str = ""
    """Of a denial; empty otherwise."""

    @property
    def denied(self) -> bool:
        return bool(self.code)

    @property
    def told(self) -> str:
        """Everything the agent reads."""
        return str(self.value)


class Harness(Protocol):
    """Carries calls of one agent to one book."""

    @property
    def can(self) -> frozenset[Can]: ...

    @property
    def who(self) -> str:
        """The agent's name in the book's history."""
        ...

    async def open(self, key: str) -> str:
        """A session of the agent, nothing selected yet; the same ``key`` gives the same one.

        Empty where the calls themselves belong to one.
        """
        ...

    def selecting(self, session: str, intent: str) -> Call:
        """The call that selects an intent."""
        ...

    def writing(self, session: str, prose: str) -> Call:
        """The call that brings prose into the book."""
        ...

    async def call(self, call: Call, heard: list[str] | None = None) -> Outcome:
        """One call; its progress messages are added to ``heard``.

        Raises:
            ConnectionError: the answer was lost with the process.
        """
        ...

    async def together(self, calls: Sequence[Call]) -> list[Outcome]:
        """Calls at once, the answers in the order of the calls."""
        ...

    async def twins(self, calls: Sequence[Call]) -> list[Outcome]:
        """Calls under one id, the answers in the order they came."""
        ...

    def lose(self) -> None:
        """The answer of the next attempt that publishes is lost."""
        ...

    async def kill(self) -> None:
        """SIGKILL the processes between the agent and the engine."""
        ...

    async def start(self) -> None:
        """Start it, the first time or again."""
        ...

    async def stop(self) -> None: ...
