"""Lore of a scene: why entries fired in a round, and what a text would make fire."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from gateway.desk.scene import lore_reasons, permitted
from gateway.http.asking import Asking, FromServices
from gateway.http.keys import Operation
from gateway.http.numbers import Number, Take
from gateway.http.orders import Order
from gateway.http.strict import StrictRoute
from schemas.lore import LoreVerdict

router = APIRouter(prefix="/scenes/{scene_id}", tags=["scenes"], route_class=StrictRoute)

LONGEST = 100_000
"""Characters of a text that is tried."""


class LoreReason(BaseModel):
    """Result for each lore entry in one call."""

    step: str
    who: str
    verdicts: list[LoreVerdict]
    missing: str


class LoreReasons(BaseModel):
    """The calls of a round, in order."""

    items: list[LoreReason]


class LoreTrial(Order):
    """A text that might be said."""

    text: str = Field(min_length=1, max_length=LONGEST)


class LoreTried(BaseModel):
    """Results for the entries that the text touches; others are not named."""

    items: list[LoreVerdict]


@router.get("/rounds/{number}/lore")
def explain_lore(
    scene_id: str,
    number: Number,
    principal: Asking,
    services: FromServices,
    who: Annotated[str, Query(max_length=200, description="A character. Empty: the director.")] = "",
    entry: Annotated[str, Query(max_length=200, description="Only entries with this in the title.")] = "",
    take: Take = 0,
) -> LoreReasons:
    """For each lore entry why it fired, did not, or was cut."""
    scene = permitted.scene(services, principal, "read", scene_id)
    whose = permitted.reader(services, principal, scene, who)
    found = lore_reasons.reasons(services, scene.id, who=whose, number=number, take=take, entry=entry)
    return LoreReasons(
        items=[
            LoreReason(step=each.step, who=each.who, verdicts=list(each.verdicts), missing=each.missing)
            for each in found
        ]
    )


@router.post("/lore/try")
def try_lore(
    scene_id: str, given: LoreTrial, operation: Operation, principal: Asking, services: FromServices
) -> LoreTried:
    """Try what a text would make fire if it were said next; nothing is said or changed."""
    scene = permitted.scene(services, principal, "read", scene_id)
    return LoreTried(items=list(lore_reasons.tried(services, scene.id, given.text).verdicts))
