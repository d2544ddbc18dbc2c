"""Branches of a scene: the tree of them, and new ones."""

from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import BaseModel, ConfigDict, Field

from gateway.desk.scene import branches, changes, permitted
from gateway.http.answers import locate
from gateway.http.asking import Asking, FromServices
from gateway.http.keys import Operation
from gateway.http.numbers import MOST
from gateway.http.orders import Order
from gateway.http.strict import StrictRoute
from schemas.worlds import Scene

router = APIRouter(prefix="/scenes/{scene_id}/branches", tags=["scenes"], route_class=StrictRoute)


class Branch(BaseModel):
    """A scene, and those that leave from it."""

    model_config = ConfigDict(from_attributes=True)

    scene: str
    title: str
    """Empty, as ``first_words``, of a scene that the caller may not see."""
    after: int
    """The last round that it shares with the scene it leaves; 0 for the first scene."""
    rounds: int
    first_words: str
    here: bool
    """Whether it is the one that was asked about."""
    below: list["Branch"]


class BranchOrder(Order):
    """Round at which a branch leaves, and its title."""

    after_round: int = Field(ge=0, le=MOST)
    title: Annotated[str, Field(min_length=1, max_length=200)]


class NewBranch(Scene):
    """A branch that was made."""

    namesakes: tuple[str, ...]
    """Ids of other scenes of this title."""


@router.get("")
def show_branches(scene_id: str, principal: Asking, services: FromServices) -> Branch:
    """The whole tree that a scene stands in, from its first scene on, each with its first words."""
    scene = permitted.scene(services, principal, "read", scene_id)
    return Branch.model_validate(branches.tree(services, principal, scene.id))


@router.post("", status_code=201)
def branch_scene(
    scene_id: str,
    given: BranchOrder,
    response: Response,
    operation: Operation,
    principal: Asking,
    services: FromServices,
) -> NewBranch:
    """Make a new scene of all up to a round; memories and states come along."""
    scene = permitted.scene(services, principal, "write", scene_id)
    new = changes.branch(services, scene.id, given.after_round, given.title, who=principal.name)[1]
    locate(response, "scenes", new.id)
    others = permitted.namesakes(services, principal, new)
    return NewBranch.model_validate({**new.model_dump(), "namesakes": others})
