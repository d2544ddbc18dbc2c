"""Costs of models, and their distance from the caps."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel

from gateway.desk.operator import spending
from gateway.desk.operator.spending import USUAL_DAYS, By, CapUse, Spent
from gateway.http.asking import Asking, FromServices
from gateway.http.strict import StrictRoute

router = APIRouter(prefix="/spending", tags=["spending"], route_class=StrictRoute)


class SpentBy(BaseModel):
    """Amounts spent, by name."""

    items: list[Spent]


class CapUses(BaseModel):
    """The caps, the fullest first."""

    items: list[CapUse]


@router.get("")
def show_spending(
    principal: Asking,
    services: FromServices,
    by: Annotated[By, Query()] = "subject",
    days: Annotated[int, Query(ge=1, le=3650, description="Today included; subjects are whole.")] = (
        USUAL_DAYS
    ),
) -> SpentBy:
    """Show what models have cost by subject, role, model or day, as far as the caller sees the subjects."""
    found = spending.spent(services, principal, by, days=days)
    return SpentBy(items=list(found))


@router.get("/caps")
def show_caps(principal: Asking, services: FromServices) -> CapUses:
    """Each cap with its use, and when it will be reached."""
    return CapUses(items=list(spending.cap_uses(services, principal)))
