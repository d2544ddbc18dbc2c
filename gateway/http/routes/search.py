"""Finding things by their names."""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel

from gateway.desk import search as desk
from gateway.desk.search import Hit, HitKind
from gateway.http.asking import Asking, FromServices
from gateway.http.strict import StrictRoute

router = APIRouter(tags=["session"], route_class=StrictRoute)


class Hits(BaseModel):
    """Hits, the best first."""

    items: list[Hit]


@router.get("/search")
def search(
    principal: Asking,
    services: FromServices,
    q: Annotated[str, Query(max_length=200, description="Words of a name or an id.")],
    kinds: Annotated[
        list[HitKind] | None, Query(alias="in", max_length=20, description="Only these kinds.")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> Hits:
    """Works, scenes, people and lore that have the words in their names."""
    found = desk.search(services, principal, q, tuple(kinds or ()), limit=limit)
    return Hits(items=list(found))
