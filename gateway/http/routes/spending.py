"""What models have cost."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel

from gateway.desk import spent
from gateway.http.asking import Asking, FromServices
from gateway.http.strict import StrictRoute
from schemas.records import Spending

router = APIRouter(prefix="/spending", tags=["spending"], route_class=StrictRoute)


class Spent(BaseModel):
    """What one subject, or one day, has cost."""

    name: str
    calls: int
    input_tokens: int
    output_tokens: int
    cost_micros: int | None
    """Of the calls whose price is known, in millionths of a US dollar; null if none is."""
    unknown_prices: int


class SpentBy(BaseModel):
    """What was spent, by name."""

    items: list[Spent]


@router.get("")
def show_spending(
    principal: Asking, services: FromServices, by: Annotated[Literal["subject", "day"], Query()] = "subject"
) -> SpentBy:
    """What models have cost by subject over its whole life, or today."""
    found = spent.by_subject(services, principal) if by == "subject" else spent.today(services, principal)
    return SpentBy(items=[_shown(name, each) for name, each in sorted(found.items())])


def _shown(name: str, each: Spending) -> Spent:
    known = each.calls > each.unknown_prices or not each.calls
    return Spent(
        name=name,
        calls=each.calls,
        input_tokens=each.input_tokens,
        output_tokens=each.output_tokens,
        cost_micros=each.cost_micros if known else None,
        unknown_prices=each.unknown_prices,
    )
