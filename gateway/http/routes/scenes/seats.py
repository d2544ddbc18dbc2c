"""Seats of a scene: an operator gives them and takes them away."""

import asyncio
from datetime import timedelta

from fastapi import APIRouter
from pydantic import BaseModel, Field

from gateway.desk.scene import permitted
from gateway.desk.scene.table import seats
from gateway.desk.scene.table.seats import SeatShown
from gateway.http.asking import Asking, FromServices
from gateway.http.orders import Order
from gateway.http.strict import RightsRoute

# No answer is kept for a request that is sent again: one of them has a secret.
router = APIRouter(prefix="/scenes/{scene_id}/seats", tags=["scenes"], route_class=RightsRoute)


class SeatOrder(Order):
    """A character that is given to a person."""

    character: str = Field(min_length=1, max_length=200)
    minutes: int = Field(default=seats.VALID.days * 24 * 60, ge=1, le=seats.LONGEST.days * 24 * 60)
    """For how long."""


class NewSeat(BaseModel):
    """A seat with its secret, which is told this once."""

    seat: SeatShown
    secret: str
    path: str
    """The link, behind the address under which people reach the workspace."""
    is_in: bool
    """Whether the character is in the scene; its person sees nobody before."""


class SeatList(BaseModel):
    """The seats of a scene, those that are over last."""

    items: list[SeatShown]


@router.get("")
async def list_seats(scene_id: str, principal: Asking, services: FromServices) -> SeatList:
    """List who was given a seat, who is at the table, and which seats are over."""
    scene = await asyncio.to_thread(permitted.scene, services, principal, "read", scene_id)
    return SeatList(items=list(await asyncio.to_thread(seats.seats, services, scene.id)))


@router.post("", status_code=201)
async def give_seat(scene_id: str, given: SeatOrder, principal: Asking, services: FromServices) -> NewSeat:
    """Invite a person to play a character; whoever has the link has the seat."""
    scene = await asyncio.to_thread(permitted.scene, services, principal, "admin", scene_id)
    who = await asyncio.to_thread(permitted.person, services, principal, scene, given.character)
    made = await asyncio.to_thread(seats.invite, services, scene.id, who, timedelta(minutes=given.minutes))
    shown = seats.shown(made.seat, services)
    return NewSeat(seat=shown, secret=made.secret, path=made.path, is_in=made.is_in)


@router.delete("/{character_id}")
async def take_seat_away(
    scene_id: str, character_id: str, principal: Asking, services: FromServices
) -> SeatShown:
    """End a seat: its link opens nothing any more, and the model plays the character again."""
    scene = await asyncio.to_thread(permitted.scene, services, principal, "admin", scene_id)
    who = await asyncio.to_thread(permitted.person, services, principal, scene, character_id)
    return await asyncio.to_thread(seats.take_away, services, scene.id, who)
