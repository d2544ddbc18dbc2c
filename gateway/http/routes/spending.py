"""Costs of models, their distance from the caps, and the caps."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, Field

from gateway.desk.operator import budgets, spending
from gateway.desk.operator.spending import USUAL_DAYS, By, CapUse, Spent
from gateway.http.asking import Asking, FromServices
from gateway.http.orders import Order
from gateway.http.revisions import Base, not_modified, tag, unchanged
from gateway.http.strict import StrictRoute
from schemas.budgets import Cap, Period

router = APIRouter(prefix="/spending", tags=["spending"], route_class=StrictRoute)
caps = APIRouter(prefix="/budgets/{scope}", tags=["spending"], route_class=StrictRoute)


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


_MOST = 2**53


class CapOrder(Order):
    """The most that one period may use; what is null has no cap."""

    tokens: int | None = Field(default=None, ge=0, le=_MOST)
    """Input and output together."""
    micros: int | None = Field(default=None, ge=0, le=_MOST)
    """Millionths of a US dollar."""
    calls: int | None = Field(default=None, ge=0, le=_MOST)


class Budget(CapOrder):
    """The cap of one run, of all runs of a subject, or of all runs of a UTC day."""

    scope: Period
    revision: str
    """As in the ETag."""


@caps.get("", responses={304: {"description": "the caller has this revision"}})
def show_budget(
    scope: Period, request: Request, response: Response, principal: Asking, services: FromServices
) -> Budget:
    """The cap of a period; `/spending/caps` tells how much of it is used."""
    found = budgets.budget(services, principal, scope)
    if unchanged(request, found.revision):
        return not_modified(found.revision)  # type: ignore[return-value]
    return _shown(found, response)


@caps.put("")
def put_budget(
    scope: Period, given: CapOrder, response: Response, base: Base, principal: Asking, services: FromServices
) -> Budget:
    """Set the whole cap of a period, in the settings file; it holds from the next call of a model on."""
    cap = Cap(**given.model_dump())
    return _shown(budgets.change(services, principal, scope, cap, base=base), response)


def _shown(found: budgets.Budget, response: Response) -> Budget:
    response.headers["etag"] = tag(found.revision)
    return Budget(scope=found.period, revision=found.revision, **found.cap.model_dump())
