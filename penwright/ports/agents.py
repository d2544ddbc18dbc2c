"""Ports of what agents keep: variables, logs, messages and overrides."""

from collections.abc import Sequence
from typing import Literal, Protocol

from schemas.agent import AgentMessage
from schemas.agent_run import ChainHead
from schemas.agent_state import (
    AgentState,
    LogEntry,
    Logged,
    PastValue,
    StateConflict,
    StateEvent,
    StateKey,
    StateWritten,
    Variable,
    WriteState,
)
from schemas.base import OpId
from schemas.overrides import OverrideSet


class AgentStates(Protocol):
    """The variables that manuscript agents keep, by document and version. All calls block.

    Every method raises ``UsageMistake`` ``bad-state-key`` for names that cannot be stored.
    """

    def read(self, key: StateKey) -> AgentState | None:
        """Return the newest version; None if nothing was stored."""
        ...

    def write(self, request: WriteState) -> StateWritten | StateConflict:
        """Store a change and its event in one transaction, if the base is the newest version.

        Idempotent by op id: a repeat returns the state as the first attempt left it.
        """
        ...

    def at(self, key: StateKey, version: int) -> AgentState | None:
        """Return a version; None if there is none, or if a value of it was pruned."""
        ...

    def past(self, key: StateKey, variable: Variable, *, limit: int = 50) -> tuple[PastValue, ...]:
        """Return the values of one variable, newest first, the present one included."""
        ...

    def of(self, principal: str, novel: str | None = None) -> tuple[AgentState, ...]:
        """Return the newest version of each document, by novel and scene."""
        ...

    def documents(self, principal: str, novel: str | None = None) -> tuple[tuple[str, str], ...]:
        """Return novel and scene of each document that has a state, in their order; no state is read."""
        ...

    def events_after(self, key: StateKey, cursor: int, *, limit: int = 500) -> tuple[StateEvent, ...]:
        """Return changes of state and log after ``cursor``, each once, in the order of their commits."""
        ...


class AgentLogs(Protocol):
    """Logs of manuscript agents: actions and calls, by document; append-only. All calls block."""

    def append(self, entries: Sequence[tuple[StateKey, LogEntry]]) -> int:
        """Append what is not stored yet, by kind and op id, with one event per document, in one transaction.

        Returns how many were appended.
        """
        ...

    def read(
        self,
        key: StateKey,
        *,
        after: int = 0,
        run: str | None = None,
        kind: Literal["action", "call"] | None = None,
        limit: int = 500,
    ) -> tuple[Logged, ...]:
        """Return entries after the number ``after``, oldest first."""
        ...

    def newest(
        self, key: StateKey, *, run: str | None = None, kind: Literal["action", "call"] | None = None
    ) -> Logged | None:
        """Return the last entry; None if there is none."""
        ...

    def find(self, kind: Literal["action", "call"], op_id: OpId) -> Logged | None:
        """Return an entry by its op id; None if there is none."""
        ...


class MessageChains(Protocol):
    """The messages of agents' runs, each stored once; a head identifies all messages up to it."""

    def append(self, head: ChainHead | None, messages: Sequence[AgentMessage]) -> ChainHead:
        """Append ``messages`` after ``head`` (None, or one without messages: at the beginning). Idempotent.

        Without messages, it only checks the chain. Raises ``ChainBroken`` if messages are missing.
        """
        ...

    def messages(self, head: ChainHead) -> tuple[AgentMessage, ...]:
        """Return all messages up to ``head``; raises ``ChainBroken`` if one is missing or was changed."""
        ...

    def holds(self, head: ChainHead) -> bool:
        """Whether every message up to ``head`` is stored; their content is not verified."""
        ...


class OverrideFiles(Protocol):
    """Override sets by agent and tag, outside the code they change."""

    def read(self, namespace: str, key: str, tag: str) -> OverrideSet | None:
        """Return a set; None if there is none. Raises ``UsageMistake`` if it cannot be read."""
        ...

    def keep(self, overrides: OverrideSet) -> OverrideSet:
        """Store ``overrides`` unless its tag has a set already; returns the stored one."""
        ...

    def replace(self, before: OverrideSet, after: OverrideSet) -> None:
        """Replace ``before`` by ``after``; raises ``Refused`` if the stored set is no longer ``before``."""
        ...

    def tags(self, namespace: str, key: str) -> tuple[str, ...]:
        """Return the tags for which an agent has sets, sorted."""
        ...
