"""Store of agent logs."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from pydantic import TypeAdapter
from sqlalchemy import Row, Select, select, text
from sqlalchemy.dialects.postgresql import insert

from penwright.adapters.store.agent_states import LOGGED, take_turns
from penwright.adapters.store.database import Database
from penwright.adapters.store.tables import agent_log, events
from penwright.domain.manuscript.agent_state import check_key
from penwright.errors import UsageMistake
from penwright.ports.clock import Clock
from schemas.agent_state import LogEntry, Logged, StateKey
from schemas.base import OpId
from schemas.records import Event

_ENTRY: TypeAdapter[LogEntry] = TypeAdapter(LogEntry)
_LOG = agent_log.c
_APPEND = text(
    """
    insert into agent_log (principal, novel, scene, run, kind, op_id, entry, appended_at)
    select given.principal, given.novel, given.scene, given.run, given.kind, given.op_id,
           cast(given.entry as json), :now
    from unnest(
        cast(:principals as text[]), cast(:novels as text[]), cast(:scenes as text[]),
        cast(:runs as text[]), cast(:kinds as text[]), cast(:op_ids as text[]), cast(:entries as text[])
    ) with ordinality as given (principal, novel, scene, run, kind, op_id, entry, position)
    order by given.position
    on conflict (kind, op_id) do nothing
    returning number, principal, novel, scene, kind, op_id
    """
)


class PostgresAgentLogs:
    """Implements ``AgentLogs``. Writers of a document take turns: its numbers become visible in order."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def append(self, entries: Sequence[tuple[StateKey, LogEntry]]) -> int:
        columns = _columns(entries)
        if not entries:
            return 0
        now = self._clock.now()
        with self._database.transaction() as connection:
            take_turns(connection, {key for key, _ in entries})
            rows = connection.execute(_APPEND, columns | {"now": now}).all()
            fresh = [Appended(_key(row), row.number, row.kind, row.op_id) for row in rows]
            if fresh:
                told = [event.model_dump(exclude={"cursor"}) for event in appended_events(fresh, now)]
                # An entry that was pruned and comes again was told before.
                connection.execute(insert(events).on_conflict_do_nothing(), told)
        self._database.ring()
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
        wanted = _wanted(key, run, kind).where(_LOG.number > after).order_by(_LOG.number).limit(limit)
        return self._read(wanted)

    def newest(
        self, key: StateKey, *, run: str | None = None, kind: Literal["action", "call"] | None = None
    ) -> Logged | None:
        found = self._read(_wanted(key, run, kind).order_by(_LOG.number.desc()).limit(1))
        return found[0] if found else None

    def find(self, kind: Literal["action", "call"], op_id: OpId) -> Logged | None:
        found = self._read(_SELECTED.where(_LOG.kind == kind, _LOG.op_id == op_id))
        return found[0] if found else None

    def _read(self, wanted: Select[Any]) -> tuple[Logged, ...]:
        with self._database.statement() as connection:
            return tuple(
                Logged(number=row.number, entry=_ENTRY.validate_python(row.entry))
                for row in connection.execute(wanted)
            )


_SELECTED = select(_LOG.number, _LOG.entry)


@dataclass(frozen=True, slots=True)
class Appended:
    """An entry that was not stored before."""

    key: StateKey
    number: int
    kind: str
    op_id: str


def appended_events(fresh: Sequence[Appended], now: datetime) -> list[Event]:
    """One event for each document, of all its ``fresh`` entries, which come by number."""
    by_document: dict[StateKey, list[Appended]] = {}
    for each in fresh:
        by_document.setdefault(each.key, []).append(each)
    return [
        Event(
            run=key.run,
            subject=key.novel,
            kind=LOGGED,
            at=now,
            op_id=f"{each[0].kind}:{each[0].op_id}",
            data={"first": each[0].number, "last": each[-1].number},
        )
        for key, each in by_document.items()
    ]


def _wanted(key: StateKey, run: str | None, kind: str | None) -> Select[Any]:
    check_key(key)
    wanted = _SELECTED.where(
        _LOG.principal == key.principal, _LOG.novel == key.novel, _LOG.scene == key.scene
    )
    if run is not None:
        wanted = wanted.where(_LOG.run == run)
    return wanted if kind is None else wanted.where(_LOG.kind == kind)


def _columns(entries: Sequence[tuple[StateKey, LogEntry]]) -> dict[str, list[str]]:
    for key, _ in entries:
        check_key(key)
    return {
        "principals": [key.principal for key, _ in entries],
        "novels": [key.novel for key, _ in entries],
        "scenes": [key.scene for key, _ in entries],
        "runs": [entry.run for _, entry in entries],
        "kinds": [entry.kind for _, entry in entries],
        "op_ids": [entry.op_id for _, entry in entries],
        "entries": [entry_json(entry) for _, entry in entries],
    }


def _key(row: Row[Any]) -> StateKey:
    return StateKey(principal=row.principal, novel=row.novel, scene=row.scene)


def entry_json(entry: LogEntry) -> str:
    """The entry as stored; raises ``UsageMistake`` ``unstorable-value`` for what JSON has no word for."""
    try:
        return json.dumps(entry.model_dump(mode="json"), allow_nan=False)
    except ValueError as error:
        raise UsageMistake(
            "unstorable-value",
            f"A number in the log entry {entry.op_id!r} is not finite. Log a finite one.",
        ) from error
