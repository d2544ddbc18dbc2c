"""Presence of characters in a scene, and its cast."""

from collections.abc import Sequence

from sqlalchemy import Connection, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert as upsert

from penwright.adapters.store.scenes.setting.naming import no_such
from penwright.adapters.store.scenes.tables.played import scene_cast, scene_rounds
from penwright.adapters.store.scenes.tables.setting import (
    arcs,
    campaigns,
    character_overrides,
    characters,
    scenes,
)
from penwright.domain.scene.presence import kept_for_the_end, recast
from schemas.director import CastMember
from schemas.scene import SceneState
from schemas.worlds import Located, Scene

_CAST = scene_cast.c


def present(connection: Connection, scene: str) -> tuple[str, ...]:
    """Ids of those present, in the order in which they came."""
    there = select(_CAST.character).where(_CAST.scene == scene, _CAST.position.is_not(None))
    return tuple(connection.execute(there.order_by(_CAST.position)).scalars())


def put(connection: Connection, scene: str, roster: Sequence[str]) -> bool:
    """Make these the roster; those who left stay known. Returns whether it was another one.

    Raises:
        NotFound: ``no-such-character``.
    """
    wanted = tuple(dict.fromkeys(roster))
    if wanted == present(connection, scene):
        return False
    _check(connection, wanted)
    connection.execute(update(scene_cast).where(_CAST.scene == scene).values(position=None))
    if wanted:
        rows = [{"scene": scene, "character": id, "position": place} for place, id in enumerate(wanted)]
        order = upsert(scene_cast).values(rows)
        connection.execute(
            order.on_conflict_do_update(
                index_elements=["scene", "character"], set_={"position": order.excluded.position}
            )
        )
    return True


def _check(connection: Connection, wanted: Sequence[str]) -> None:
    known = still_there(connection, wanted)
    for id in wanted:
        if id not in known:
            raise no_such("character", id)


def may_come(connection: Connection, scene: str, characters: Sequence[str]) -> None:
    """Have characters be known in a scene; those who are present stay so. Raises as ``put``."""
    _check(connection, characters)
    if characters:
        rows = [{"scene": scene, "character": id, "position": None} for id in dict.fromkeys(characters)]
        connection.execute(upsert(scene_cast).values(rows).on_conflict_do_nothing())


def still_there(connection: Connection, roster: Sequence[str]) -> tuple[str, ...]:
    """The roster without those whose character was removed meanwhile."""
    there = set(connection.execute(select(characters.c.id).where(characters.c.id.in_(roster))).scalars())
    return tuple(id for id in roster if id in there)


def change(connection: Connection, scene: Scene) -> Scene:
    """Make a person's change of the roster; while a round runs, it is kept with the scene for its end."""
    if running_round(connection, scene.id) is None:
        put(connection, scene.id, scene.roster)
        return scene
    _check(connection, scene.roster)
    return kept_for_the_end(scene, present(connection, scene.id))


def running_round(connection: Connection, scene: str) -> int | None:
    """Number of the round that is not closed."""
    runs = select(scene_rounds.c.number).where(
        scene_rounds.c.scene == scene, scene_rounds.c.status == "running"
    )
    number: int | None = connection.execute(runs).scalar()
    return number


def settled(connection: Connection, scene: str, state: SceneState) -> SceneState:
    """The state at the end of a round, with what people changed of the roster while it ran."""
    body = connection.execute(select(scenes.c.body).where(scenes.c.id == scene)).scalar_one()
    if not (body.get("coming") or body.get("going")):
        return state
    done = {"body": body | {"coming": [], "going": []}, "version": scenes.c.version + 1}
    connection.execute(update(scenes).where(scenes.c.id == scene).values(done))
    return recast(state, body.get("coming", ()), body.get("going", ()))


def cast_of(connection: Connection, located: Located) -> tuple[CastMember, ...]:
    """Those present in their order, then those who are known in the scene's world."""
    roster = located.scene.roster
    below = scenes.join(arcs, arcs.c.id == scenes.c.arc).join(campaigns, campaigns.c.id == arcs.c.campaign)
    played = select(_CAST.character).select_from(below.join(scene_cast, _CAST.scene == scenes.c.id))
    written = select(character_overrides.c.character).where(
        or_(
            character_overrides.c.world == located.world.id,
            character_overrides.c.campaign == located.campaign.id,
        )
    )
    known = characters.c.id.in_(played.where(campaigns.c.world == located.world.id).union(written))
    nickname = func.json_extract_path_text(characters.c.body, "nickname").label("nickname")
    rows = connection.execute(select(characters.c.id, characters.c.name, nickname).where(known))
    order = {id: place for place, id in enumerate(roster)}
    cast = [
        CastMember(
            id=row.id,
            name=row.name,
            nickname=row.nickname or "",
            present=row.id in order,
            taken=row.id in located.scene.taken,
        )
        for row in rows
    ]
    return tuple(sorted(cast, key=lambda one: (order.get(one.id, len(order)), one.id)))
