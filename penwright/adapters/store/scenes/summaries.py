"""The running summary of a scene."""

from datetime import datetime

from sqlalchemy import Connection, RowMapping

from penwright.adapters.store.scenes.naming import no_such
from penwright.adapters.store.scenes.once import Done
from penwright.adapters.store.scenes.telling import told
from penwright.adapters.store.scenes.views import put_state, state_of
from schemas.base import Effect, OpId


def put_summary(
    connection: Connection,
    row: RowMapping | None,
    scene: str,
    summary: str,
    to: int,
    op: tuple[str, datetime],
) -> Done:
    """See the port."""
    if row is None:
        raise no_such("scene", scene)
    before = state_of(connection, scene)
    after = before.model_copy(update={"summary": summary, "summarised_to": to})
    version = put_state(connection, scene, after, before).version
    effect = Effect(op_id=OpId(op[0]), issued_at=op[1])
    data = {"version": version, "summarised_to": to}
    return Done({}, (told(effect, scene, "", "state.updated", data),))
