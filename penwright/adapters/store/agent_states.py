"""The variables of manuscript agents: the newest version in one table, every value of each in another."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, insert, or_, select, text, update
from sqlalchemy.dialects.postgresql import insert as upsert

from penwright.adapters.store.database import Database
from penwright.adapters.store.numbering import number_events
from penwright.adapters.store.tables import agent_state, agent_state_values, events
from penwright.domain.manuscript.agent_state import applied, changed, check_key, conflict
from penwright.errors import UsageMistake
from penwright.ports.clock import Clock
from schemas.agent_state import (
    VARIABLES,
    AgentState,
    PastValue,
    StateChanges,
    StateConflict,
    StateEvent,
    StateKey,
    StateWritten,
    Variable,
    WriteState,
)
from schemas.base import OpId
from schemas.records import Event

CHANGED = "agent-state-changed"
LOGGED = "agent-log-appended"
"""Kinds of events."""

# Writers of one document take turns, and those of several ask for them in one order.
_IN_TURN = text(
    """
    select pg_advisory_xact_lock(7309, turn)
    from (select distinct hashtext(document) as turn from unnest(cast(:documents as text[])) as document
          order by turn) as turns
    """
)
_VALUES = agent_state_values.c


class PostgresAgentStates:
    """Implements ``AgentStates``."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def read(self, key: StateKey) -> AgentState | None:
        check_key(key)
        with self._database.statement() as connection:
            return _newest(connection, key)

    def write(self, request: WriteState) -> StateWritten | StateConflict:
        key = request.key
        check_key(key)
        with self._database.transaction() as connection:
            take_turns(connection, [key])
            earlier = _earlier(connection, request)
            if earlier is not None:
                return _repeated(connection, key, earlier)
            state = _newest(connection, key) or AgentState(key=key)
            if state.version != request.base_version:
                return conflict(request, state, _since(connection, key))
            after = applied(state, request.changes, request.at)
            if after.version != state.version:
                _store(connection, request, state, after)
        self._database.ring()
        return StateWritten(state=after, changed=changed(state, request.changes))

    def at(self, key: StateKey, version: int) -> AgentState | None:
        check_key(key)
        with self._database.statement() as connection:
            return _at(connection, key, version)

    def past(self, key: StateKey, variable: Variable, *, limit: int = 50) -> tuple[PastValue, ...]:
        check_key(key)
        wanted = (
            select(agent_state_values)
            .where(*_of(key), _VALUES.variable == variable)
            .order_by(_VALUES.version.desc())
            .limit(limit)
        )
        with self._database.statement() as connection:
            rows = connection.execute(wanted).mappings().all()
        return tuple(PastValue.model_validate(dict(row)) for row in rows)

    def of(self, principal: str, novel: str | None = None) -> tuple[AgentState, ...]:
        check_key(StateKey(principal=principal, novel=novel or "any"))
        wanted = select(agent_state).where(agent_state.c.principal == principal)
        if novel is not None:
            wanted = wanted.where(agent_state.c.novel == novel)
        with self._database.statement() as connection:
            rows = connection.execute(wanted.order_by(agent_state.c.novel, agent_state.c.scene)).mappings()
            return tuple(_state(row) for row in rows)

    def documents(self, principal: str, novel: str | None = None) -> tuple[tuple[str, str], ...]:
        wanted = select(agent_state.c.novel, agent_state.c.scene).where(agent_state.c.principal == principal)
        if novel is not None:
            wanted = wanted.where(agent_state.c.novel == novel)
        with self._database.statement() as connection:
            rows = connection.execute(wanted.order_by(agent_state.c.novel, agent_state.c.scene))
            return tuple((row.novel, row.scene) for row in rows)

    def events_after(self, key: StateKey, cursor: int, *, limit: int = 500) -> tuple[StateEvent, ...]:
        check_key(key)
        wanted = select(events).where(events.c.run == key.run, events.c.cursor > cursor)
        number_events(self._database)
        with self._database.statement() as connection:
            rows = connection.execute(wanted.order_by(events.c.cursor).limit(limit)).mappings().all()
            found = [Event.model_validate(dict(row)) for row in rows]
            brought = _brought(connection, key, [event.data["version"] for event in found if _changes(event)])
        return tuple(state_event(key, event, brought) for event in found)


def take_turns(connection: Connection, keys: Collection[StateKey]) -> None:
    """Wait until no other transaction writes one of these documents, and hold them until the commit."""
    connection.execute(_IN_TURN, {"documents": [key.run for key in keys]})


def changed_event(request: WriteState, after: AgentState, names: Sequence[Variable]) -> Event:
    """Make the event that tells other devices of a change."""
    return Event(
        run=request.key.run,
        subject=request.key.novel,
        kind=CHANGED,
        at=request.at,
        op_id=request.op_id,
        data={"version": after.version, "changed": list(names)},
    )


# Any: values of any variable, as JSON.
def state_event(key: StateKey, event: Event, brought: Mapping[int, Mapping[str, Any]]) -> StateEvent:
    """An event as a device reads it; ``brought``: the values that each version brought."""
    told = StateEvent(cursor=event.cursor, key=key, at=event.at, op_id=OpId(event.op_id))
    if not _changes(event):
        return told.model_copy(update={"logged": (event.data["first"], event.data["last"])})
    version = event.data["version"]
    changes = StateChanges.model_validate(brought.get(version, {}))
    return told.model_copy(update={"version": version, "changes": changes})


def foreign_effect(request: WriteState) -> UsageMistake:
    return UsageMistake(
        "op-id-used",
        f"The op id {request.op_id!r} has changed another document's state. Give every change its own.",
    )


def _changes(event: Event) -> bool:
    return event.kind == CHANGED


def _of(key: StateKey) -> tuple[Any, ...]:  # Any: conditions of SQLAlchemy
    return (_VALUES.principal == key.principal, _VALUES.novel == key.novel, _VALUES.scene == key.scene)


def _newest(connection: Connection, key: StateKey) -> AgentState | None:
    columns = agent_state.c
    wanted = select(agent_state).where(
        columns.principal == key.principal, columns.novel == key.novel, columns.scene == key.scene
    )
    row = connection.execute(wanted).mappings().first()
    return None if row is None else _state(row)


# Any: column values of several types.
def _state(row: Mapping[Any, Any]) -> AgentState:
    return AgentState.model_validate({**row, "key": dict(row)})


def _at(connection: Connection, key: StateKey, version: int) -> AgentState | None:
    wanted = select(agent_state_values).where(
        *_of(key), _VALUES.version <= version, or_(_VALUES.until.is_(None), _VALUES.until > version)
    )
    rows = connection.execute(wanted).mappings().all()
    brought = [row["at"] for row in rows if row["version"] == version]
    # Each version brought a value, and the first one all; what is missing was pruned.
    if not brought or len(rows) < len(VARIABLES):
        return None
    values: dict[str, Any] = {row["variable"]: row["value"] for row in rows}
    return AgentState.model_validate({**values, "key": key, "version": version, "last_modified": brought[0]})


# Any: JSON.
def _earlier(connection: Connection, request: WriteState) -> Mapping[str, Any] | None:
    """Read the event of an earlier attempt."""
    wanted = select(events.c.run, events.c.data).where(
        events.c.op_id == request.op_id, events.c.kind == CHANGED
    )
    row = connection.execute(wanted).first()
    if row is not None and row.run != request.key.run:
        raise foreign_effect(request)
    return None if row is None else row.data


def _repeated(connection: Connection, key: StateKey, told: Mapping[str, Any]) -> StateWritten:
    state = _at(connection, key, told["version"]) or _newest(connection, key)
    assert state is not None, "what was written once is never deleted, only its superseded values are"
    return StateWritten(state=state, changed=tuple(told["changed"]))


def _since(connection: Connection, key: StateKey) -> dict[Variable, int]:
    wanted = select(_VALUES.variable, _VALUES.version).where(*_of(key), _VALUES.until.is_(None))
    found: dict[Variable, int] = {row.variable: row.version for row in connection.execute(wanted)}
    return found


def _brought(connection: Connection, key: StateKey, versions: Sequence[int]) -> dict[int, dict[str, Any]]:
    wanted = select(agent_state_values).where(*_of(key), _VALUES.version.in_(versions))
    brought: dict[int, dict[str, Any]] = {}
    for row in connection.execute(wanted).mappings():
        brought.setdefault(row["version"], {})[row["variable"]] = row["value"]
    return brought


def _store(connection: Connection, request: WriteState, before: AgentState, after: AgentState) -> None:
    """The new row, the values it brings, and the event, in the caller's transaction."""
    values = storable(after)
    names = changed(before, request.changes)
    new = VARIABLES if before.version == 0 else names
    document = request.key.model_dump()
    row = {**document, "version": after.version, "last_modified": request.at, **values}
    connection.execute(
        upsert(agent_state)
        .values(row)
        .on_conflict_do_update(index_elements=["principal", "novel", "scene"], set_=row)
    )
    connection.execute(
        update(agent_state_values)
        .where(*_of(request.key), _VALUES.variable.in_(new), _VALUES.until.is_(None))
        .values(until=after.version, replaced_at=request.at)
    )
    brings = {**document, "version": after.version, "by": request.by, "op_id": request.op_id}
    connection.execute(
        insert(agent_state_values),
        [{**brings, "variable": name, "value": values[name], "at": request.at} for name in new],
    )
    event = changed_event(request, after, names)
    told = upsert(events).values(event.model_dump(exclude={"cursor"})).on_conflict_do_nothing()
    if not connection.execute(told).rowcount:
        # The same op id has just changed another document, whose writers this one did not wait for.
        raise foreign_effect(request)


# Any: JSON.
def storable(state: AgentState) -> dict[str, Any]:
    """The values as JSON; raises ``UsageMistake`` ``unstorable-value`` for what JSON has no word for."""
    values = state.model_dump(mode="json", include={str(name) for name in VARIABLES})
    try:
        json.dumps(values, allow_nan=False)
    except ValueError as error:
        raise UsageMistake(
            "unstorable-value",
            "A number of the agents' state is not finite, so it cannot be stored. Store a finite one.",
        ) from error
    return values
