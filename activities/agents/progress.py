"""Records of a run's steps in ``agent_state`` and its log, whatever pipeline they belong to."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from activities.log_writing import LogWriter
from penwright.domain.manuscript.agent_state import changed, own_changes, reduced
from penwright.ports.agents import AgentStates
from schemas.agent_state import (
    ActionEntry,
    AgentState,
    LogEntry,
    StateChanges,
    StateConflict,
    StateKey,
    Variable,
    WriteState,
)
from schemas.base import Effect, OpId


@dataclass(frozen=True, slots=True)
class Recorded:
    """Result of storing a run's changes."""

    state: AgentState
    """The row as this left it; its version is the next base."""
    overruled: tuple[Variable, ...] = ()
    """Variables that keep another writer's value."""


@dataclass(frozen=True)
class AgentProgress:
    """Writes what a run knows now. Its own variables only: what a person changed meanwhile stands."""

    states: AgentStates
    log: LogWriter

    async def record(
        self,
        key: StateKey,
        effect: Effect,
        changes: StateChanges,
        entries: Sequence[LogEntry] = (),
        *,
        run: str,
        base_version: int,
        now: bool = False,
    ) -> Recorded:
        """Log ``entries`` and store ``changes``; harmless to repeat.

        A variable that another writer changed since ``base_version`` keeps their value, and the log says so.

        Args:
            run: name of the run, ``manuscript/<novel>/<scene>#<session>``.
            base_version: the version that the run last read or wrote.
            now: whether the log is stored at once, because the run ends or waits.
        """
        request = WriteState(
            key=key,
            changes=changes,
            base_version=base_version,
            op_id=OpId(f"{effect.op_id}:state"),
            by=run,
            at=effect.issued_at,
        )
        state, lost = await asyncio.to_thread(self._write, request)
        told = [_conflict_entry(request, state, lost, run)] if lost else []
        await self.log.append(key, [*entries, *told], now=now)
        return Recorded(state, lost)

    def _write(self, request: WriteState) -> tuple[AgentState, tuple[Variable, ...]]:
        """The state now, and the variables that keep another writer's value; the same ones when repeated."""
        request = own = own_changes(request, self.states.at(request.key, request.base_version))
        while isinstance(met := self.states.write(request), StateConflict):
            request = reduced(own, met)
        return met.state, changed(met.state, own.changes)


def _conflict_entry(
    request: WriteState, state: AgentState, lost: Sequence[Variable], run: str
) -> ActionEntry:
    names = ", ".join(lost)
    return ActionEntry(
        op_id=OpId(f"{request.op_id}:conflict"),
        run=run,
        at=request.at,
        action="record",
        code="state-conflict",
        summary=f"another writer changed {names} meanwhile; that value stands, and this run's was not stored",
        outcome="refused",
        pass_index=state.pass_index,
    )
