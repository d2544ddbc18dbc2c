"""Changes of a scene: one at a time, once per op id, in one transaction with their events."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import Connection, RowMapping, insert, select

from penwright.adapters.store.database import Database
from penwright.adapters.store.scenes.tables.setting import scenes
from penwright.adapters.store.tables import effects, events
from schemas.records import Event

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Done:
    """Result of a change, as JSON, for a repeat to find, and the events for followers."""

    # Any: JSON.
    result: Mapping[str, Any]
    events: tuple[Event, ...] = ()


Change = Callable[[Connection, RowMapping | None], Done | Answer]
"""Makes a change on the locked scene; what is not ``Done`` is a refusal, and nothing is kept."""


def once(
    database: Database,
    op: tuple[str, datetime],
    scene: str,
    change: Change[Answer],
    answer: Callable[[Connection, Mapping[str, Any]], Answer],
) -> Answer:
    """Make the change unless it was made, and return the answer for its result.

    Args:
        op: op id and time.
    """
    op_id, at = op
    with database.transaction() as connection:
        row = _locked(connection, scene)
        # Read after the lock, so that a second attempt sees what the first one committed.
        kept = connection.execute(select(effects.c.result).where(effects.c.op_id == op_id)).scalar()
        if kept is not None:
            return answer(connection, kept)
        done = change(connection, row)
        if not isinstance(done, Done):
            return done
        connection.execute(insert(effects).values(op_id=op_id, result=dict(done.result), kept_at=at))
        answered = answer(connection, done.result)
        if done.events:
            told = [event.model_dump(exclude={"cursor"}) for event in done.events]
            connection.execute(insert(events), told)
    if done.events:
        database.ring()
    return answered


def _locked(connection: Connection, scene: str) -> RowMapping | None:
    locked = select(scenes).where(scenes.c.id == scene).with_for_update(key_share=True)
    return connection.execute(locked).mappings().first()
