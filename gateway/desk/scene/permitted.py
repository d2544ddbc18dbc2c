"""The scene that a caller of the API means, by its id only, and the people whom the caller may use in it.

What scenes share is not a scene's own: a caller who is bound to a scene uses those who are or were in it.
"""

from collections.abc import Iterable, Mapping, Set

from gateway.desk.principals import Principal, Scope, require, sees
from gateway.desk.scene import views
from gateway.desk.services import CommandStore, Services
from gateway.desk.works.subjects import WORLDS
from gateway.desk.worlds import storing
from gateway.desk.worlds.kinds import SCENE
from penwright.errors import NotFound, Refused
from schemas.director import CastMember
from schemas.worlds import Character, Persona, Scene


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


def namesakes(services: Services, principal: Principal, new: Scene) -> tuple[str, ...]:
    """Ids of other scenes of the title of a new one, as far as ``principal`` may touch them."""
    others = storing.namesakes(services, SCENE, new)
    return tuple(each for each in others if sees(principal, f"scene/{each}"))


def person(services: Services, principal: Principal, scene: Scene, named: str) -> str:
    """Whom ``named`` means: the id of one of the scene's own characters; as it is, if the caller may use all.

    Raises:
        Refused: ``not-permitted``.
    """
    if sees(principal, WORLDS):
        return named
    with services.open_store() as store:
        found = (store.worlds.read(Character, each) for each in sorted(_own(store, scene)))
        return _meant(principal, [each for each in found if each], named)


def whose(services: Services, principal: Principal, scene: Scene, named: str) -> str:
    """As ``person``; the scene's persona, ``world`` and ``tracker`` have a state, too."""
    if sees(principal, WORLDS) or named in ("world", "tracker"):
        return named
    with services.open_store() as store:
        persona = store.worlds.read(Persona, scene.persona) if scene.persona else None
    if persona is not None and named.casefold() in (persona.id.casefold(), persona.name.casefold()):
        return persona.id
    return person(services, principal, scene, named)


def reader(services: Services, principal: Principal, scene: Scene, named: str) -> str:
    """As ``person``; the director was shown something, too, and no name means everyone."""
    return named if named in ("", views.DIRECTOR) else person(services, principal, scene, named)


def people(services: Services, principal: Principal, scene: Scene) -> tuple[str, ...] | None:
    """Ids of those whom ``principal`` may use in the scene; None: everyone."""
    if sees(principal, WORLDS):
        return None
    with services.open_store() as store:
        return tuple(sorted(_own(store, scene)))


def seen(
    services: Services, principal: Principal, scene: Scene, cast: Iterable[CastMember]
) -> tuple[CastMember, ...]:
    """Those of ``cast`` whom ``principal`` may use in the scene."""
    if sees(principal, WORLDS):
        return tuple(cast)
    with services.open_store() as store:
        own = _own(store, scene)
    return tuple(each for each in cast if each.id in own)


def names(services: Services, principal: Principal, scene: Scene, known: Mapping[str, str]) -> dict[str, str]:
    """Those of ``known`` names, by id, that ``principal`` may see in the scene."""
    if sees(principal, WORLDS):
        return dict(known)
    with services.open_store() as store:
        own = {*_own(store, scene), scene.persona}
    return {id: name for id, name in known.items() if id in own}


def _own(store: CommandStore, scene: Scene) -> Set[str]:
    """Ids of the characters who are or were in the scene, or come in by the plan of its newest round."""
    state = store.scenes.state(scene.id)
    planned = (made for each in store.scenes.rounds(scene.id, newest=1) for made in each.passes)
    return {
        *scene.roster,
        *state.roster,
        *(each.id for each in state.characters),
        *(id for each in planned for id in each.applied.roster),
    }


def _meant(principal: Principal, own: Iterable[Character], named: str) -> str:
    wanted = named.strip().casefold()
    called = [each for each in own if wanted in (each.name.casefold(), each.nickname.casefold())]
    for each in (*(each for each in own if each.id == named), *called):
        return each.id
    scope, *scopes = sorted(principal.scopes)
    more = "".join([*_given("--scope", scopes), *_given("--subject", principal.subjects or ())])
    raise Refused(
        "not-permitted",
        f"{principal.name} may use only those who are or were in this scene, and {named!r} is none of them",
        hint=f"a user who may touch `{WORLDS}` brings a character in, or use a token for it: "
        f"`penwright web tokens create NAME --scope {scope} --subject {WORLDS}{more}`",
    )


def _given(option: str, values: Iterable[str]) -> list[str]:
    return [f" {option} {each}" for each in sorted(values)]
