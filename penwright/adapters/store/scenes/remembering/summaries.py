"""The running summary of a scene."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, RowMapping, text, update

from penwright.adapters.store.scenes.messages import newest_messages
from penwright.adapters.store.scenes.once import Done
from penwright.adapters.store.scenes.setting.naming import no_such
from penwright.adapters.store.scenes.tables.played import scene_views
from penwright.adapters.store.scenes.telling import told
from penwright.adapters.store.scenes.views import body_of, put_state, state_of
from penwright.domain.scene.summary_basis import stands
from schemas.base import Effect, OpId
from schemas.scene import SceneState, SummaryBasis

_EARLIER = text(
    """
    select before from scene_rounds
    where scene = :scene and (before->>'summarised_to')::int < :number
    order by (before->>'summarised_to')::int desc, number desc limit 1
    """
)
_REPLACED = tuple(
    text(
        f"""
        update scene_rounds set {column} = ({column}::jsonb || cast(:fields as jsonb))::json
        where scene = :scene and ({column}->>'summarised_to')::int >= :number
        """
    )
    for column in ("before", "restores")
)
_HIDDEN = text(
    """
    update undone_rounds
    set scene_with = jsonb_set(
        scene_with::jsonb, '{state}', (scene_with::jsonb -> 'state') || cast(:fields as jsonb)
    )::json
    where scene = :scene and (scene_with -> 'state' ->> 'summarised_to')::int >= :number
    """
)


def put_summary(
    connection: Connection,
    row: RowMapping | None,
    scene: str,
    changes: Mapping[str, Any],
    op: tuple[str, datetime],
    basis: SummaryBasis | None,
) -> Done | bool:
    """Store what is said of the summary: its text, its last message, its witnesses.

    False if what it was made from, the ``basis``, reads otherwise by now.
    """
    if row is None:
        raise no_such("scene", scene)
    before = state_of(connection, scene)
    if basis is not None and not _stands(connection, scene, before, basis):
        return False
    after = before.model_copy(update=dict(changes))
    version = put_state(connection, scene, after, before).version
    effect = Effect(op_id=OpId(op[0]), issued_at=op[1])
    data = {"version": version, "summarised_to": after.summarised_to}
    return Done({}, (told(effect, scene, "", "state.updated", data),))


def _stands(connection: Connection, scene: str, state: SceneState, basis: SummaryBasis) -> bool:
    last, first = max(basis.texts, default=0), min(basis.texts, default=1)
    shown = newest_messages(connection, scene, newest=last - first + 1, before=last + 1, undone=False)
    return stands(basis, state, shown)


# Any: values of fields of ``SceneState``.
def summary_fields(summary: str, to: int, witnesses: tuple[str, ...]) -> dict[str, Any]:
    """Fields of the state that a new summary changes."""
    return {"summary": summary, "summarised_to": to, "summary_witnesses": witnesses}


def withdraw_summary(connection: Connection, scene: str, number: int) -> None:
    """Go back to the summary before the one that covers message ``number``, whose text is another now.

    So do the states to which a round can be taken back. The summariser covers what came since, text by text
    as it reads now; until it has, the messages themselves are shown.
    """
    state = state_of(connection, scene)
    if state.summarised_to >= number:
        row = connection.execute(_EARLIER, {"scene": scene, "number": number}).first()
        fields = fields_of(SceneState.model_validate(row.before) if row else SceneState())
        after = state.model_copy(update=fields)
        here = update(scene_views).where(scene_views.c.scene == scene)
        connection.execute(here.values(body=body_of(after)))
        given = {"scene": scene, "number": number, "fields": json.dumps(fields)}
        for statement in (*_REPLACED, _HIDDEN):
            connection.execute(statement, given)


def fields_of(state: SceneState) -> dict[str, Any]:
    """Fields of a state's summary."""
    return summary_fields(state.summary, state.summarised_to, state.summary_witnesses)


def with_summary_of(kept: SceneState, state: SceneState) -> SceneState:
    """The state that a round brings, with the summary that is stored: no step of a round changes that."""
    return state.model_copy(update=fields_of(kept))
