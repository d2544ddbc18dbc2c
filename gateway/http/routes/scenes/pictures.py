"""Pictures of a scene and of its people: described and painted, shown, taken away."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from gateway.desk.engine.waits import quietly
from gateway.desk.principals import Principal, Scope
from gateway.desk.scene import permitted, picturing
from gateway.desk.services import Services
from gateway.desk.worlds import permitted as shared
from gateway.http.asking import Asking, FromServices
from gateway.http.keys import Operation
from gateway.http.numbers import Number
from gateway.http.orders import Order
from gateway.http.strict import StrictRoute
from gateway.http.waiting import finished
from penwright.domain.scene.pictures import SUFFIXES
from schemas.worlds import Picture, Scene

router = APIRouter(prefix="/scenes/{scene_id}/pictures", tags=["scenes"], route_class=StrictRoute)

Of = Annotated[str, Query(max_length=200, description="A character, by id or name; empty: the scene.")]
# Any: OpenAPI.
_IMAGES: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {kind: {} for kind in SUFFIXES}, "description": "the picture"}
}


class KeptPicture(BaseModel):
    """A picture; its number changes when one before it is taken away."""

    number: int
    picture: Picture


class KeptPictures(BaseModel):
    """Pictures, oldest first."""

    items: list[KeptPicture]


class PictureOrder(Order):
    """Request for a picture."""

    wish: str = Field(default="", max_length=picturing.LONGEST_WISH)
    """Empty: the moment as it is."""
    of: str = Field(default="", max_length=200)
    """A character, by id or name, with whom the picture is kept; empty: the scene."""
    paint: bool | None = None
    """null: if a model for images is set."""


class MadePicture(BaseModel):
    """A description, and the picture if one was painted."""

    prompt: str
    avoid: str
    caption: str
    demo: bool
    kept: KeptPicture | None
    run_id: str
    """Of the description."""
    cost_micros: int
    unknown_prices: int


@router.get("")
def list_pictures(scene_id: str, principal: Asking, services: FromServices, of: Of = "") -> KeptPictures:
    """The pictures of a scene, or of one of its people."""
    scene = _scene(services, principal, "read", scene_id, of)
    found = picturing.pictures(services, scene.id, of=of)
    return KeptPictures(items=[KeptPicture(number=at, picture=each) for at, each in enumerate(found, 1)])


@router.post("")
def make_picture(
    scene_id: str, given: PictureOrder, operation: Operation, principal: Asking, services: FromServices
) -> MadePicture:
    """Have a picture described, and painted and kept where a model for images is set; answers once it is."""
    scene = _scene(services, principal, "run", scene_id, given.of)
    asked = picturing.picture(services, scene.id, given.wish, quietly, of=given.of, paint=given.paint)
    made = finished(asked)
    told = made.described.delivered
    return MadePicture(
        prompt=told.prompt,
        avoid=told.avoid,
        caption=told.caption,
        demo=told.demo,
        kept=KeptPicture(number=made.number, picture=made.picture) if made.picture else None,
        run_id=made.described.run_id,
        cost_micros=made.cost_micros,
        unknown_prices=made.unknown_prices,
    )


@router.get("/{number}", response_class=Response, responses=_IMAGES)
def show_picture(
    scene_id: str, number: Number, principal: Asking, services: FromServices, of: Of = ""
) -> Response:
    """One picture: PNG, JPEG or WebP, as its first bytes said when it was kept."""
    scene = _scene(services, principal, "read", scene_id, of)
    drawn, content = picturing.content(services, scene.id, number, of=of)
    return Response(content, media_type=drawn.kind)


@router.delete("/{number}", status_code=204)
def remove_picture(
    scene_id: str, number: Number, principal: Asking, services: FromServices, of: Of = ""
) -> None:
    """Take a picture away."""
    scene = _scene(services, principal, "write", scene_id, of)
    picturing.remove(services, scene.id, number, of=of)


def _scene(services: Services, principal: Principal, scope: Scope, scene_id: str, of: str) -> Scene:
    """The scene; what is kept with a character is seen in every scene of its world, so that needs more."""
    scene = permitted.scene(services, principal, scope, scene_id)
    if of:
        shared.worlds(principal, scope)
    return scene
