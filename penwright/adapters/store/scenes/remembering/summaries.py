"""The running summary of a scene."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, RowMapping

from penwright.adapters.store.scenes.once import Done
from penwright.adapters.store.scenes.setting.naming import no_such
from penwright.adapters.store.scenes.telling import told
from penwright.adapters.store.scenes.views import put_state, state_of
from schemas.base import Effect, OpId


def put_summary(
    connection: Connection,
    row: RowMapping | None,
    scene: str,
    changes: Mapping[str, Any],
    op: tuple[str, datetime],
) -> Done:
    """Store what is said of the summary: its text, its last message, its witnesses."""
    if row is None:
        raise no_such("scene", scene)
    before = state_of(connection, scene)
    after = before.model_copy(update=dict(changes))
    version = put_state(connection, scene, after, before).version
    effect = Effect(op_id=OpId(op[0]), issued_at=op[1])
    data = {"version": version, "summarised_to": after.summarised_to}
    return Done({}, (told(effect, scene, "", "state.updated", data),))


# Any: values of fields of ``SceneState``.
def summary_fields(summary: str, to: int, witnesses: tuple[str, ...]) -> dict[str, Any]:
    """What a new summary changes in the state."""
    return {"summary": summary, "summarised_to": to, "summary_witnesses": witnesses}
