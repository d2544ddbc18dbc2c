"""The table as an invited person has it: known by the secret of the seat alone, which opens nothing else."""

import asyncio
import json
import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from datetime import datetime
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Header, Query, Request, Response
from pydantic import BaseModel, Field
from starlette.responses import StreamingResponse

from gateway.desk.engine.waits import at_most
from gateway.desk.scene.events import subject_of
from gateway.desk.scene.orders import LONGEST_TEXT
from gateway.desk.scene.table import events, exporting, saying, seats, views
from gateway.desk.scene.table.exporting import SeatForm
from gateway.desk.scene.table.views import SeatTable
from gateway.desk.services import Services
from gateway.http.asking import FromCredential, FromServices, FromSite
from gateway.http.event_streams import HEADERS, JITTER_S, LIFETIME_S, STREAMED, Streams
from gateway.http.keys import Operation, session_of
from gateway.http.orders import Order
from gateway.http.seat_door import PAGES, cookie_of, mark_of
from gateway.http.strict import RightsRoute, StrictRoute
from gateway.http.uploads import DOWNLOAD, download
from gateway.http.waiting import finished
from gateway.hub import Hub, Lagging, Subscription
from penwright.errors import PenwrightError, PermanentError
from schemas.seats import Seat

_QUEUES_S: Final = 30.0
_LOOKS_EVERY_S: Final = 5.0
"""A person who comes or goes makes no event of the store."""
_ID: Final = Query(max_length=40)

entry = APIRouter(prefix="/seats", tags=["seats"], route_class=RightsRoute)
router = APIRouter(prefix="/seats/me", tags=["seats"], route_class=StrictRoute)


def _seat(request: Request) -> Seat:
    # The guard lets no request through without one.
    seat: Seat = request.scope["state"]["seat"]
    return seat


def _secret(request: Request) -> str:
    secret: str = request.scope["state"]["seat_secret"]
    return secret


FromSeat = Annotated[Seat, Depends(_seat)]
FromSecret = Annotated[str, Depends(_secret)]


class Secret(Order):
    """The secret of a link."""

    secret: str = Field(min_length=1, max_length=200)


class SeatTaken(BaseModel):
    """Whom one plays, and until when; the page of the seat, and its mark for requests with the cookie."""

    name: str
    expires_at: datetime
    page: str
    mark: str


class Words(Order):
    """Words that one says as one's character."""

    text: str = Field(min_length=1, max_length=LONGEST_TEXT)


class SeatDraft(Order):
    """Typed text that is not said yet; an empty one forgets it."""

    text: str = Field(max_length=LONGEST_TEXT)


@entry.post("/session", status_code=201)
async def take_seat(response: Response, given: Secret, services: FromServices, site: FromSite) -> SeatTaken:
    """Exchange the secret of a link for a cookie, which opens the seat's page and ``/seats/me``."""
    seat = await asyncio.to_thread(seats.seat_of, services, given.secret)
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
    return SeatTaken(name=seat.name, expires_at=seat.expires_at, page=f"{PAGES}{mark}", mark=mark)


@router.get("")
def show_table(
    seat: FromSeat,
    services: FromServices,
    after: Annotated[str, _ID] = "",
    before: Annotated[str, _ID] = "",
    limit: Annotated[int, Query(ge=1, le=views.MOST)] = 50,
) -> SeatTable:
    """The table with the newest messages that one's character witnessed, or those after or before one."""
    return views.table_of(services, seat, after=after, before=before, limit=limit)


@router.post("/messages", status_code=202)
def say_at_table(given: Words, operation: Operation, seat: FromSeat, services: FromServices) -> None:
    """Say something as one's character; waits up to 30 seconds for the end of a round that runs."""
    turn, session = at_most(_QUEUES_S), session_of(operation)
    finished(saying.say(services, seat, given.text, turn=turn, session=session))


@router.put("/draft", status_code=204)
def keep_seat_draft(given: SeatDraft, seat: FromSeat, services: FromServices) -> None:
    """Keep typed text that is not said yet; no other seat is shown it."""
    saying.draft(services, seat, given.text)


@router.get("/export", response_class=Response, responses=DOWNLOAD)
def export_table(
    seat: FromSeat, services: FromServices, format: Annotated[SeatForm, Query()] = "markdown"
) -> Response:
    """Everything that one's character witnessed, as a file."""
    made = exporting.export_of(services, seat, format)
    return download(made.content, made.name)


@router.delete("", status_code=204)
def leave_table(
    response: Response, seat: FromSeat, secret: FromSecret, services: FromServices, site: FromSite
) -> None:
    """Give the character back; the link opens nothing any more."""
    seats.leave(services, seat)
    cookie = cookie_of(site, mark_of(secret))
    response.delete_cookie(cookie, path="/", secure=site.secure, httponly=True, samesite="strict")


@router.get("/events", response_class=StreamingResponse, responses=STREAMED)
async def follow_table(
    request: Request,
    seat: FromSeat,
    secret: FromSecret,
    services: FromServices,
    credential: FromCredential,
    after: Annotated[str, Query(max_length=120)] = "",
    last_event_id: Annotated[str | None, Header(description="Wins over `after`.")] = None,
) -> StreamingResponse:
    """Changes at the table, each once; ``over`` is the last one, and says why the seat opens nothing."""
    start = last_event_id or after
    await asyncio.to_thread(events.events_of, services, seat, start)
    hub: Hub = request.app.state.hub
    streams: Streams = request.app.state.streams
    streams.refuse_more(credential)

    async def counted() -> AsyncGenerator[bytes]:
        with streams.counted(credential):
            async with aclosing(followed(hub, services, secret, start)) as lines:
                async for line in lines:
                    yield line

    return StreamingResponse(counted(), media_type="text/event-stream", headers=HEADERS)


async def followed(hub: Hub, services: Services, secret: str, mark: str) -> AsyncGenerator[bytes]:
    """The lines of one stream; it ends by itself after a while, or when the seat or the store does."""
    loop = asyncio.get_running_loop()
    ends = loop.time() + LIFETIME_S + secrets.randbelow(JITTER_S)
    yield b"retry: 2000\n\n"
    try:
        with hub.subscribed(await hub.newest()) as told:
            while loop.time() < ends:
                seat = await asyncio.to_thread(seats.seat_of, services, secret)
                for event in await asyncio.to_thread(events.events_of, services, seat, mark):
                    mark = event.mark
                    yield _line(event)
                yield b": here\n\n"
                await _next(told, subject_of(seat.scene))
    except PermanentError as over:
        yield f"event: over\ndata: {json.dumps({'code': over.code, 'message': over.message})}\n\n".encode()
    except PenwrightError:
        # The client comes back by itself, and is told why as an answer.
        return


async def _next(told: Subscription, subject: str) -> None:
    """Wait for an event about the scene, or for a while."""
    with suppress(TimeoutError, Lagging):
        async with asyncio.timeout(_LOOKS_EVERY_S):
            while (event := await told.next(_LOOKS_EVERY_S)) is None or event.subject != subject:
                pass


def _line(event: events.SeatEvent) -> bytes:
    said = event.message.as_json() if event.message else {}
    return f"id: {event.mark}\nevent: {event.kind}\ndata: {json.dumps(said, ensure_ascii=False)}\n\n".encode()
