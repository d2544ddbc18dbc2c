"""Deleting things with all that is below them."""

from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, select

from penwright.adapters.store.scenes.adopting import adopt_branches
from penwright.adapters.store.scenes.setting.kinds import KINDS
from penwright.adapters.store.scenes.setting.naming import in_use
from penwright.adapters.store.scenes.tables.played import scene_cast, scene_rounds
from penwright.adapters.store.scenes.tables.setting import arcs, campaigns, scenes
from penwright.adapters.store.web_access import withdraw
from schemas.base import Value
from schemas.worlds import Arc, Campaign, Character, Persona, Scene, World


def remove(connection: Connection, kind: type[Value], id: str) -> bool:
    """See the port; in the caller's transaction."""
    table = KINDS[kind].table
    touched = _scenes_of(kind, id)
    if touched is not None:
        held = _held(connection, touched)
        if kind not in (Character, Persona):
            adopt_branches(connection, held)
            withdraw(connection, [f"scene/{each}" for each in held])
    return bool(connection.execute(delete(table).where(table.c.id == id)).rowcount)


# Any: conditions of SQLAlchemy.
def _scenes_of(kind: type[Value], id: str) -> ColumnElement[bool] | None:
    """Which scenes go, or change, with the thing; None: no round needs it."""
    in_campaigns = select(arcs.c.id).join(campaigns, campaigns.c.id == arcs.c.campaign)
    touched: dict[type[Value], Any] = {
        World: scenes.c.arc.in_(in_campaigns.where(campaigns.c.world == id)),
        Campaign: scenes.c.arc.in_(select(arcs.c.id).where(arcs.c.campaign == id)),
        Arc: scenes.c.arc == id,
        Scene: scenes.c.id == id,
        Persona: scenes.c.persona == id,
        Character: scenes.c.id.in_(select(scene_cast.c.scene).where(scene_cast.c.character == id)),
    }
    return touched.get(kind)


def _held(connection: Connection, touched: ColumnElement[bool]) -> tuple[str, ...]:
    """Ids of the scenes, in which no round can begin any more; raises ``Refused`` ``in-use`` if one runs."""
    ids = select(scenes.c.id).where(touched).order_by(scenes.c.id).with_for_update()
    held = tuple(connection.execute(ids).scalars())
    runs = select(scene_rounds.c.scene, scene_rounds.c.number).where(
        scene_rounds.c.scene.in_(held), scene_rounds.c.status == "running"
    )
    running = connection.execute(runs).first()
    if running is not None:
        raise in_use(running.scene, running.number)
    return held
