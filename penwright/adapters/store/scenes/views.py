"""The state of a scene: its current view, and every change of a field."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert, select, update

from penwright.adapters.store.scenes.setting import roster
from penwright.adapters.store.scenes.tables.played import scene_state_events, scene_views
from penwright.adapters.store.scenes.tables.setting import scenes
from schemas.base import Effect
from schemas.director import StateChange
from schemas.scene import SceneState, StateEvent

_EVENTS = scene_state_events.c


def state_of(connection: Connection, scene: str) -> SceneState:
    """The current view; the empty one if there is no such scene."""
    row = connection.execute(select(scene_views).where(scene_views.c.scene == scene)).first()
    if row is None:
        return SceneState()
    present = roster.present(connection, scene)
    return SceneState.model_validate({**row.body, "roster": present, "version": row.version})


def put_state(connection: Connection, scene: str, state: SceneState, before: SceneState) -> SceneState:
    """Make this the view; returns it with its version."""
    present = roster.still_there(connection, state.roster)
    after = state.model_copy(update={"roster": present, "version": before.version + 1})
    row = {"version": after.version, "body": body_of(state)}
    connection.execute(update(scene_views).where(scene_views.c.scene == scene).values(row))
    if present != before.roster and roster.put(connection, scene, present):
        connection.execute(update(scenes).where(scenes.c.id == scene).values(version=scenes.c.version + 1))
    return after


# Any: JSON.
def body_of(state: SceneState) -> dict[str, Any]:
    return state.model_dump(mode="json", exclude={"roster", "version"})


def log_changes(
    connection: Connection, effect: Effect, scene: str, round: int, changes: Sequence[StateChange]
) -> None:
    """Append changes of fields."""
    if changes:
        common = {"scene": scene, "round": round, "op_id": effect.op_id, "at": effect.issued_at}
        connection.execute(insert(scene_state_events), [common | change.model_dump() for change in changes])


def settle_changes(
    connection: Connection, effect: Effect, scene: str, round: int, changes: Sequence[StateChange]
) -> None:
    """Make the changes of a round those that stand in its audit: mark the overruled, add what is missing."""
    here = select(scene_state_events).where(_EVENTS.scene == scene, _EVENTS.round == round)
    kept: dict[Any, list[Any]] = {}
    for row in connection.execute(here.order_by(_EVENTS.number)).mappings():
        kept.setdefault(_same(StateChange.model_validate(dict(row))), []).append(row)
    new = []
    for change in changes:
        rows = kept.get(_same(change))
        if not rows:
            new.append(change)
        elif (row := rows.pop(0))["overruled"] != change.overruled:
            marked = update(scene_state_events).where(_EVENTS.number == row["number"])
            connection.execute(marked.values(overruled=change.overruled))
    log_changes(connection, effect, scene, round, new)


def changes_of(connection: Connection, scene: str, subject: str, newest: int) -> tuple[StateEvent, ...]:
    """The newest changes, oldest first."""
    rows = select(scene_state_events).where(_EVENTS.scene == scene)
    if subject:
        rows = rows.where(_EVENTS.subject == subject)
    found = connection.execute(rows.order_by(_EVENTS.number.desc()).limit(newest)).mappings().all()
    return tuple(
        StateEvent(
            scene=scene,
            round=row["round"],
            number=row["number"],
            change=StateChange.model_validate(dict(row)),
            at=row["at"],
            op_id=row["op_id"],
        )
        for row in reversed(found)
    )


def _same(change: StateChange) -> tuple[str, ...]:
    return (change.subject, change.field, change.old, change.new, change.source)


def reset_flags(state: SceneState) -> SceneState:
    """The state as a round begins: no character has entered, left or acted in it."""
    calm = {"entered": False, "exited": False, "acted": False}
    return state.model_copy(
        update={"characters": tuple(one.model_copy(update=calm) for one in state.characters)}
    )


def moment(effect: Effect) -> tuple[str, datetime]:
    return str(effect.op_id), effect.issued_at
