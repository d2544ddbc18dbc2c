"""Moods, places, facts and trackers of a scene, as people see and set them."""

from typing import Annotated

from fastapi import APIRouter
from pydantic import BaseModel, Field

from gateway.desk.scene import changes, permitted, views
from gateway.http.asking import Asking, FromServices
from gateway.http.keys import Operation
from gateway.http.numbers import MOST
from gateway.http.orders import Order
from gateway.http.strict import StrictRoute
from schemas.director import StateChange
from schemas.scene import SceneState

router = APIRouter(prefix="/scenes/{scene_id}/state", tags=["scenes"], route_class=StrictRoute)

Who = Annotated[str, Field(min_length=1, max_length=200)]
"""A character or the persona, by id or name; ``world`` for facts, ``tracker`` for trackers."""
FieldName = Annotated[str, Field(min_length=1, max_length=200)]
Value = Annotated[str, Field(max_length=10_000)]


class ShownState(BaseModel):
    """State of a scene, and the names of those it is about."""

    state: SceneState
    names: dict[str, str]
    """By id."""


class StateOrder(Order):
    """Fields that are set; the others stay."""

    who: Who
    values: dict[FieldName, Value] = Field(min_length=1, max_length=100)


class ReinstateOrder(Order):
    """A value that a later source of a round had overruled."""

    who: Who
    field: FieldName
    round: int = Field(default=0, ge=0, le=MOST)
    """0: the newest."""


class StateChanged(BaseModel):
    """Changes that were made."""

    changes: list[StateChange]


@router.get("")
def show_state(scene_id: str, principal: Asking, services: FromServices) -> ShownState:
    """Moods, places, facts and trackers."""
    scene = permitted.scene(services, principal, "read", scene_id)
    _, state, names = views.state(services, scene.id)
    return ShownState(state=state, names=permitted.names(services, principal, scene, names))


@router.patch("")
def set_state(scene_id: str, given: StateOrder, principal: Asking, services: FromServices) -> StateChanged:
    """Set fields of one character, facts or trackers; 409 while a round runs."""
    scene = permitted.scene(services, principal, "write", scene_id)
    whose = permitted.whose(services, principal, scene, given.who)
    made = changes.set_state(services, scene.id, whose, given.values, who=principal.name)[1]
    return StateChanged(changes=list(made))


@router.post("/reinstate")
def reinstate(
    scene_id: str, given: ReinstateOrder, operation: Operation, principal: Asking, services: FromServices
) -> StateChanged:
    """Bring back a value that a later source had overruled, as a change of one's own."""
    scene = permitted.scene(services, principal, "write", scene_id)
    whose = permitted.whose(services, principal, scene, given.who)
    made = changes.reinstate(services, scene.id, whose, given.field, given.round, who=principal.name)[1]
    return StateChanged(changes=list(made))
