"""Costs of models, and their distance from the caps."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, ConfigDict

from gateway.desk.operator import spending
from gateway.desk.operator.spending import USUAL_DAYS, By, Measure
from gateway.http.asking import Asking, FromServices
from gateway.http.strict import StrictRoute

router = APIRouter(prefix="/spending", tags=["spending"], route_class=StrictRoute)


class Spent(BaseModel):
    """Use by one subject, role, model or day."""

    model_config = ConfigDict(from_attributes=True)

    name: str
    calls: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    """Of the input: read from a vendor's cache."""
    thought_tokens: int
    """Of the output: thought, as far as vendors count it."""
    cost_micros: int | None
    """Of the calls whose price is known, in millionths of a US dollar; null if none is."""
    unknown_prices: int
    possibly_billed: int
    """Attempts whose answer never came."""


class SpentBy(BaseModel):
    """Amounts spent, by name."""

    items: list[Spent]


class Outlook(BaseModel):
    """Outlook of a cap at the pace of the last seven days."""

    model_config = ConfigDict(from_attributes=True)

    expected: int | None
    """Used by the end of the day; null for what has no end."""
    reached_at: datetime | None


class CapUse(BaseModel):
    """Use of a cap."""

    model_config = ConfigDict(from_attributes=True)

    period: Literal["day", "subject"]
    name: str
    """The day; a book's id, a document as ``NOVEL/SCENE``, or ``scene/ID``."""
    measure: Measure
    used: int
    cap: int
    forecast: Outlook


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
    return SpentBy(items=[Spent.model_validate(each) for each in found])


@router.get("/caps")
def show_caps(principal: Asking, services: FromServices) -> CapUses:
    """Each cap with its use, and when it will be reached."""
    return CapUses(items=[CapUse.model_validate(each) for each in spending.cap_uses(services, principal)])
