"""In-memory double of what manuscript agents keep."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import RLock
from typing import Any, Literal, Protocol

from penwright.adapters.store.agent_logs import Appended, appended_events, entry_json
from penwright.adapters.store.agent_states import (
    CHANGED,
    changed_event,
    foreign_effect,
    state_event,
    storable,
)
from penwright.domain.manuscript.agent_state import applied, changed, check_key, conflict
from penwright.ports.clock import Clock
from schemas.agent_state import (
    VARIABLES,
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
from schemas.records import Event


class Events(Protocol):
    """Where events go, and where they are read."""

    def publish(self, events: Sequence[Event]) -> None: ...

    def events_after(self, cursor: int, *, run: str | None = None, limit: int = 500) -> tuple[Event, ...]: ...


@dataclass
class _Kept:
    """One value that a variable had."""

    value: PastValue
    until: int | None = None

    def stands_at(self, version: int) -> bool:
        return self.value.version <= version and (self.until is None or self.until > version)


class MemoryAgentStates:
    """Implements ``AgentStates``."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self._lock = RLock()
        self._newest: dict[StateKey, AgentState] = {}
        self._kept: dict[tuple[StateKey, Variable], list[_Kept]] = {}
        self._written: dict[OpId, tuple[StateKey, int, tuple[Variable, ...]]] = {}

    def read(self, key: StateKey) -> AgentState | None:
        check_key(key)
        return self._newest.get(key)

    def write(self, request: WriteState) -> StateWritten | StateConflict:
        check_key(request.key)
        with self._lock:
            if request.op_id in self._written:
                return self._repeated(request)
            state = self._newest.get(request.key, AgentState(key=request.key))
            if state.version != request.base_version:
                return conflict(request, state, self._since(request.key))
            after = applied(state, request.changes, request.at)
            names = changed(state, request.changes)
            if names:
                self._store(request, state, after, names)
            return StateWritten(state=after, changed=names)

    def at(self, key: StateKey, version: int) -> AgentState | None:
        check_key(key)
        stood = {
            name: kept.value
            for name in VARIABLES
            for kept in self._kept.get((key, name), [])
            if kept.stands_at(version)
        }
        brought = [value.at for value in stood.values() if value.version == version]
        if not brought or len(stood) < len(VARIABLES):
            return None
        values = {name: past.value for name, past in stood.items()}
        return AgentState.model_validate(
            {**values, "key": key, "version": version, "last_modified": brought[0]}
        )

    def past(self, key: StateKey, variable: Variable, *, limit: int = 50) -> tuple[PastValue, ...]:
        check_key(key)
        return tuple(kept.value for kept in reversed(self._kept.get((key, variable), [])))[:limit]

    def of(self, principal: str, novel: str | None = None) -> tuple[AgentState, ...]:
        check_key(StateKey(principal=principal, novel=novel or "any"))
        wanted = [key for key in self._newest if key.principal == principal and novel in (None, key.novel)]
        return tuple(self._newest[key] for key in sorted(wanted, key=lambda key: (key.novel, key.scene)))

    def documents(self, principal: str, novel: str | None = None) -> tuple[tuple[str, str], ...]:
        return tuple((state.key.novel, state.key.scene) for state in self.of(principal, novel))

    def events_after(self, key: StateKey, cursor: int, *, limit: int = 500) -> tuple[StateEvent, ...]:
        check_key(key)
        found = self._events.events_after(cursor, run=key.run, limit=limit)
        versions = [event.data["version"] for event in found if event.kind == CHANGED]
        brought = {version: self._brought(key, version) for version in versions}
        return tuple(state_event(key, event, brought) for event in found)

    def _repeated(self, request: WriteState) -> StateWritten:
        key, version, names = self._written[request.op_id]
        if key != request.key:
            raise foreign_effect(request)
        return StateWritten(state=self.at(key, version) or self._newest[key], changed=names)

    def _since(self, key: StateKey) -> dict[Variable, int]:
        return {name: kept[-1].value.version for name in VARIABLES if (kept := self._kept.get((key, name)))}

    # Any: JSON.
    def _brought(self, key: StateKey, version: int) -> dict[str, Any]:
        return {
            name: kept.value.value
            for name in VARIABLES
            for kept in self._kept.get((key, name), [])
            if kept.value.version == version
        }

    def _store(
        self, request: WriteState, before: AgentState, after: AgentState, names: tuple[Variable, ...]
    ) -> None:
        values = storable(after)
        for name in VARIABLES if before.version == 0 else names:
            kept = self._kept.setdefault((request.key, name), [])
            if kept:
                kept[-1].until = after.version
            value = PastValue(
                version=after.version,
                at=request.at,
                by=request.by,
                op_id=request.op_id,
                value=values[name],
            )
            kept.append(_Kept(value))
        self._newest[request.key] = after
        self._written[request.op_id] = (request.key, after.version, names)
        self._events.publish([changed_event(request, after, names)])


class MemoryAgentLogs:
    """Implements ``AgentLogs``."""

    def __init__(self, clock: Clock, publish: Callable[[Sequence[Event]], None]) -> None:
        self._clock = clock
        self._publish = publish
        self._lock = RLock()
        self._entries: list[tuple[StateKey, Logged]] = []
        self._seen: set[tuple[str, str]] = set()
        self._numbers = 0

    def append(self, entries: Sequence[tuple[StateKey, LogEntry]]) -> int:
        for key, entry in entries:
            check_key(key)
            entry_json(entry)
        now = self._clock.now()
        with self._lock:
            fresh = [
                self._add(key, entry, now)
                for key, entry in entries
                if (entry.kind, entry.op_id) not in self._seen
            ]
            self._publish(appended_events(fresh, now))
        return len(fresh)

    def read(
        self,
        key: StateKey,
        *,
        after: int = 0,
        run: str | None = None,
        kind: Literal["action", "call"] | None = None,
        limit: int = 500,
    ) -> tuple[Logged, ...]:
        return tuple(logged for logged in self._of(key, run, kind) if logged.number > after)[:limit]

    def newest(
        self, key: StateKey, *, run: str | None = None, kind: Literal["action", "call"] | None = None
    ) -> Logged | None:
        return next(reversed(self._of(key, run, kind)), None)

    def find(self, kind: Literal["action", "call"], op_id: OpId) -> Logged | None:
        found = (logged for _, logged in self._entries)
        return next((each for each in found if (each.entry.kind, each.entry.op_id) == (kind, op_id)), None)

    def _add(self, key: StateKey, entry: LogEntry, now: datetime) -> Appended:
        self._numbers += 1
        self._seen.add((entry.kind, entry.op_id))
        self._entries.append((key, Logged(number=self._numbers, entry=entry)))
        return Appended(key, self._numbers, entry.kind, entry.op_id)

    def _of(self, key: StateKey, run: str | None, kind: str | None) -> list[Logged]:
        check_key(key)
        return [
            logged
            for owner, logged in self._entries
            if owner == key and run in (None, logged.entry.run) and kind in (None, logged.entry.kind)
        ]
