"""The token use of prompts; of a scene the newest stay."""

from sqlalchemy import Connection, delete, select
from sqlalchemy.dialects.postgresql import insert as upsert

from penwright.adapters.store.scenes.setting.naming import no_such
from penwright.adapters.store.scenes.tables.played import scene_telemetry
from penwright.adapters.store.scenes.tables.setting import scenes
from schemas.envelope import Telemetry

KEPT = 500
_ROWS = scene_telemetry.c


def keep_telemetry(connection: Connection, telemetry: Telemetry, op_id: str) -> None:
    """See the port."""
    if connection.execute(select(scenes.c.id).where(scenes.c.id == telemetry.scene)).first() is None:
        raise no_such("scene", telemetry.scene)
    row = {"scene": telemetry.scene, "op_id": op_id, "body": telemetry.model_dump(mode="json")}
    connection.execute(upsert(scene_telemetry).values(row).on_conflict_do_nothing())
    here = _ROWS.scene == telemetry.scene
    oldest_kept = (
        select(_ROWS.number).where(here).order_by(_ROWS.number.desc()).offset(KEPT - 1).limit(1)
    ).scalar_subquery()
    connection.execute(delete(scene_telemetry).where(here, _ROWS.number < oldest_kept))


def telemetry_of(connection: Connection, scene: str) -> tuple[Telemetry, ...]:
    """Read what is kept, oldest first."""
    rows = select(_ROWS.body).where(_ROWS.scene == scene).order_by(_ROWS.number)
    return tuple(Telemetry.model_validate(body) for body in connection.execute(rows).scalars())
