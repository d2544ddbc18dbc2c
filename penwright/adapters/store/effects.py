"""Results of effects that live in the store."""

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import text

from penwright.adapters.store.database import Database
from penwright.ports import Clock
from schemas.base import OpId

_ONCE = text("select result from effects where op_id = :op_id")
# If another process inserted first, the insert returns no row; a second statement, with a later snapshot,
# reads the other's.
_KEEP = text(
    """
    insert into effects (op_id, result, kept_at) values (:op_id, cast(:result as json), :now)
    on conflict (op_id) do nothing returning result
    """
)


class PostgresEffects:
    """One row per op id; implements ``Effects``. The results are JSON objects of any shape."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    def once(self, op_id: OpId) -> dict[str, Any] | None:
        with self._database.statement() as connection:
            kept: dict[str, Any] | None = connection.execute(_ONCE, {"op_id": op_id}).scalar()
        return kept

    def keep(self, op_id: OpId, result: Mapping[str, Any]) -> dict[str, Any]:
        row = {"op_id": op_id, "result": json.dumps(dict(result)), "now": self._clock.now()}
        with self._database.statement() as connection:
            stored: dict[str, Any] | None = connection.execute(_KEEP, row).scalar()
            if stored is None:
                stored = connection.execute(_ONCE, {"op_id": op_id}).scalar_one()
        return stored
