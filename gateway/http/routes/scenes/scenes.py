"""Scenes: which there are, and how each stands; made, set and removed."""

import json
from dataclasses import asdict, replace
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from gateway.desk.principals import ids_seen, require, sees
from gateway.desk.scene import board, casting, creating, permitted, views
from gateway.desk.scene.board import SceneLine
from gateway.desk.scene.creating import NewScene
from gateway.desk.worlds import permitted as shared
from gateway.http.answers import locate
from gateway.http.asking import Asking, FromServices
from gateway.http.cursors import OnePage
from gateway.http.keys import Operation
from gateway.http.orders import Order
from gateway.http.revisions import BaseVersion, not_modified, unchanged, version_tag
from gateway.http.strict import StrictRoute
from gateway.http.waiting import finished
from penwright.ports.portions import Portion
from schemas.director import CastMember
from schemas.scene import SceneView
from schemas.worlds import Scene, SceneNotes, SceneSettings

router = APIRouter(prefix="/scenes", tags=["scenes"], route_class=StrictRoute)

Setting = str | int | bool
Settings = Annotated[dict[str, Setting], Field(max_length=100)]
"""Settings and notes by name, such as ``max_director_passes``, ``shares.lore`` or ``scenario``."""
Name = Annotated[str, Field(min_length=1, max_length=200)]


class ListedScene(BaseModel):
    """A scene in the list."""

    scene: str
    title: str
    arc: str
    campaign: str
    world: str
    rounds: int
    cast: list[str]
    """Ids of those present."""
    state: str
    """``idle``, or what the round that runs does."""
    detail: str
    round: int
    """Number of the round that runs; 0: none."""
    branched_from: str
    waits: bool
    """The plan of the round waits for approval."""


class ListedScenes(BaseModel):
    """Scenes by id."""

    items: list[ListedScene]
    next: str | None
    trouble: str = ""
    """Reason why it is not known what runs now; empty if it is."""


class SceneOrder(Order):
    """A new scene, in an arc or in a world."""

    title: Name
    arc: str = Field(default="", max_length=200)
    world: str = Field(default="", max_length=200)
    """In its first arc; what is missing is made."""
    cast: list[Name] = Field(default=[], max_length=200)
    """Ids or names of characters."""
    persona: str = Field(default="", max_length=200)
    settings: Settings = {}
    greeting: bool = True
    """Whether the first of the cast whose card has an opening opens the scene."""


class MadeScene(BaseModel):
    """A scene that was made, and what was made for it."""

    scene: Scene
    made: list[str]
    opened_by: str
    """Name of the character whose card opened the scene; empty: nothing was said."""
    namesakes: list[str]
    """Ids of other scenes of this title."""


class Tuning(BaseModel):
    """Settings of a scene, and the notes of people about it."""

    settings: SceneSettings
    notes: SceneNotes
    revision: str
    """As in the ETag."""


class TuningOrder(Order):
    """Settings to change; the rest stays."""

    settings: Settings = Field(min_length=1)


class Cast(BaseModel):
    """Characters present, then those who may come."""

    items: list[CastMember]
    coming: list[str] = []
    """Ids of those who come in when the round that runs ends."""
    going: list[str] = []
    """Ids of those who go then."""
    models: dict[str, str] = {}
    """Names of models by the ids of characters whom they play here."""


class CastOrder(Order):
    """Characters who come and who go; those who go may come back."""

    add: list[Name] = Field(default=[], max_length=200)
    remove: list[Name] = Field(default=[], max_length=200)
    available: list[Name] = Field(default=[], max_length=200)
    """Who stays out, and may be brought in by the director from now on."""
    models: dict[Name, Annotated[str, Field(max_length=200)]] = Field(default={}, max_length=200)
    """Names of models by the characters whom they play in this scene; an empty one takes it back."""


@router.get("")
def list_scenes(
    principal: Asking,
    services: FromServices,
    page: OnePage,
    world: Annotated[str, Query(max_length=200, description="Only scenes of this world.")] = "",
) -> ListedScenes:
    """The scenes, and what runs in them."""
    require(principal, "read")
    if world:
        shared.worlds(principal, "read")
    portion = Portion(page.limit + 1, among=ids_seen(principal, "scene"), after=page.after)
    found = finished(board.part(services, portion, world))
    items, following = page.cut(found.lines, lambda each: each.scene)
    listed = [ListedScene.model_validate(asdict(_told(principal, each))) for each in items]
    return ListedScenes(items=listed, next=following, trouble=found.trouble)


@router.post("", status_code=201)
def create_scene(
    given: SceneOrder, response: Response, operation: Operation, principal: Asking, services: FromServices
) -> MadeScene:
    """Make a scene; in a world without a campaign or an arc they are made too."""
    shared.worlds(principal, "write")
    told = given.model_dump(exclude={"cast", "settings"})
    wish = NewScene(**told, cast=tuple(given.cast), settings=typed(given.settings))
    made = creating.create(services, wish, who=principal.name)
    locate(response, "scenes", made.scene.id)
    others = list(permitted.namesakes(services, principal, made.scene))
    return MadeScene(scene=made.scene, made=list(made.made), opened_by=made.opened_by, namesakes=others)


@router.get("/{scene_id}")
def show_scene(scene_id: str, principal: Asking, services: FromServices) -> SceneView:
    """A scene with all that is above it: its people, states, facts and trackers."""
    scene = permitted.scene(services, principal, "read", scene_id)
    view = views.look(services, scene.id, newest=0, rounds=0).view
    return view.model_copy(update={"cast": permitted.seen(services, principal, scene, view.cast)})


@router.delete("/{scene_id}", status_code=204)
def remove_scene(scene_id: str, principal: Asking, services: FromServices) -> None:
    """Delete a scene with all that happened in it; 409 while a round runs."""
    scene = permitted.scene(services, principal, "write", scene_id)
    creating.remove(services, scene.id)


@router.get("/{scene_id}/settings", responses={304: {"description": "the caller has this revision"}})
def show_settings(
    scene_id: str, request: Request, response: Response, principal: Asking, services: FromServices
) -> Tuning:
    """Show a scene's settings and the notes about it."""
    scene = permitted.scene(services, principal, "read", scene_id)
    if unchanged(request, f"v{scene.version}"):
        return not_modified(f"v{scene.version}")  # type: ignore[return-value]
    return _tuning(scene, response)


@router.patch("/{scene_id}/settings")
def change_settings(
    scene_id: str,
    given: TuningOrder,
    response: Response,
    base: BaseVersion,
    principal: Asking,
    services: FromServices,
) -> Tuning:
    """Set settings and notes; the next round plays by them."""
    scene = permitted.scene(services, principal, "write", scene_id)
    changed = creating.change_settings(services, scene.id, typed(given.settings), version=base)
    return _tuning(changed, response)


class PlayedBy(Order):
    """A character of the scene."""

    who: Name


@router.get("/{scene_id}/cast")
def show_cast(scene_id: str, principal: Asking, services: FromServices) -> Cast:
    """List who is present, then who else may come."""
    scene = permitted.scene(services, principal, "read", scene_id)
    return _cast(services, principal, casting.cast(services, scene.id))


@router.patch("/{scene_id}/cast")
def change_cast(scene_id: str, given: CastOrder, principal: Asking, services: FromServices) -> Cast:
    """Have characters come and go; while a round runs, they do at its end."""
    scene = permitted.scene(services, principal, "write", scene_id)
    add, remove, available = (
        [permitted.person(services, principal, scene, each) for each in people]
        for people in (given.add, given.remove, given.available)
    )
    models = {permitted.person(services, principal, scene, who): model for who, model in given.models.items()}
    return _cast(services, principal, casting.change(services, scene.id, add, remove, available, models))


@router.post("/{scene_id}/take-over")
def take_over(
    scene_id: str, given: PlayedBy, operation: Operation, principal: Asking, services: FromServices
) -> Cast:
    """Play a character oneself from the next round on: no model does, and ``voice`` says what it says."""
    scene = permitted.scene(services, principal, "run", scene_id)
    who = permitted.person(services, principal, scene, given.who)
    return _cast(services, principal, casting.take_over(services, scene.id, who))


@router.post("/{scene_id}/give-back")
def give_back(
    scene_id: str, given: PlayedBy, operation: Operation, principal: Asking, services: FromServices
) -> Cast:
    """Have the model play a character again, from the next round on; 409 if it does already."""
    scene = permitted.scene(services, principal, "run", scene_id)
    who = permitted.person(services, principal, scene, given.who)
    return _cast(services, principal, casting.give_back(services, scene.id, who))


def _told(principal: Asking, line: SceneLine) -> SceneLine:
    """Without the title of the scene that it was branched from, if the caller may not see that one."""
    if not line.branched_from or sees(principal, f"scene/{line.branched_from}"):
        return line
    return replace(line, names=replace(line.names, branched_from=line.branched_from))


def typed(settings: dict[str, Setting]) -> dict[str, str]:
    """Settings as a person would type them."""
    return {name: each if isinstance(each, str) else json.dumps(each) for name, each in settings.items()}


def _cast(services: FromServices, principal: Asking, found: casting.Casting) -> Cast:
    seen = permitted.seen(services, principal, found.scene, found.cast)
    ids = {each.id for each in seen}
    coming, going = (
        [each for each in some if each in ids] for some in (found.scene.coming, found.scene.going)
    )
    models = {id: model for id, model in found.scene.models.items() if id in ids}
    return Cast(items=list(seen), coming=coming, going=going, models=models)


def _tuning(scene: Scene, response: Response) -> Tuning:
    response.headers["etag"] = version_tag(scene.version)
    return Tuning(settings=scene.settings, notes=scene.notes, revision=f"v{scene.version}")
