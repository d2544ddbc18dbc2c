"""Caps on what models may use, by period."""

from fastapi import APIRouter, Request, Response
from pydantic import Field

from gateway.desk.operator import budgets
from gateway.http.asking import Asking, FromServices
from gateway.http.orders import Order
from gateway.http.revisions import Base, not_modified, tag, unchanged
from gateway.http.strict import StrictRoute
from schemas.budgets import Cap, Period

router = APIRouter(prefix="/budgets/{scope}", tags=["spending"], route_class=StrictRoute)

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


@router.get("", responses={304: {"description": "the caller has this revision"}})
def show_budget(
    scope: Period, request: Request, response: Response, principal: Asking, services: FromServices
) -> Budget:
    """The cap of a period; `/spending/caps` tells how much of it is used."""
    found = budgets.budget(services, principal, scope)
    if unchanged(request, found.revision):
        return not_modified(found.revision)  # type: ignore[return-value]
    return _shown(found, response)


@router.put("")
def put_budget(
    scope: Period, given: CapOrder, response: Response, base: Base, principal: Asking, services: FromServices
) -> Budget:
    """Set the whole cap of a period, in the settings file; it holds from the next call of a model on."""
    cap = Cap(**given.model_dump())
    return _shown(budgets.change(services, principal, scope, cap, base=base), response)


def _shown(found: budgets.Budget, response: Response) -> Budget:
    response.headers["etag"] = tag(found.revision)
    return Budget(scope=found.period, revision=found.revision, **found.cap.model_dump())
