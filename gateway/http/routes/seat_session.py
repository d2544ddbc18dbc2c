"""The exchange of a seat's link for the cookie of its page."""

import asyncio

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from gateway.desk.scene.table.seats import seat_of
from gateway.http.asking import FromServices, FromSite
from gateway.http.orders import Order
from gateway.http.seat_door import PAGES, cookie_of, mark_of

router = APIRouter(tags=["seats"])


class Entry(Order):
    """The secret of a seat's link."""

    secret: str = Field(min_length=1, max_length=200)


class Entered(BaseModel):
    """Address of the seat's page."""

    page: str


@router.post("/seat/session", status_code=201)
async def enter_seat(response: Response, given: Entry, services: FromServices, site: FromSite) -> Entered:
    """Exchange the secret of a seat's link for a cookie that opens the seat's page and nothing else."""
    seat = await asyncio.to_thread(seat_of, services, given.secret)
    mark = mark_of(given.secret)
    response.set_cookie(
        cookie_of(site, mark),
        given.secret,
        max_age=int((seat.expires_at - services.now()).total_seconds()),
        path="/",
        secure=site.secure,
        httponly=True,
        samesite="strict",
    )
    return Entered(page=f"{PAGES}{mark}")
