"""The scene that a caller of the API means: by its id only, never by a title that it shares with others."""

from gateway.desk.principals import Principal, Scope, require
from gateway.desk.services import Services
from penwright.errors import NotFound
from schemas.worlds import Scene


def scene(services: Services, principal: Principal, scope: Scope, scene_id: str) -> Scene:
    """The scene ``scene_id``, if ``principal`` may do ``scope`` with it.

    Raises:
        Refused: ``not-permitted``.
        NotFound: ``no-such-scene``.
    """
    require(principal, scope, f"scene/{scene_id}")
    with services.open_store() as store:
        found = store.worlds.read(Scene, scene_id)
    if found is None:
        raise NotFound(
            "no-such-scene", f"there is no scene {scene_id!r}", hint="the list of scenes has their ids"
        )
    return found
