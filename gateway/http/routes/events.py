"""Events as they happen, as ``text/event-stream``."""

import asyncio
import json
import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from starlette.responses import StreamingResponse

from gateway.desk.access import Access
from gateway.desk.principals import Principal, require, sees
from gateway.desk.works.subjects import subject_of
from gateway.http import run_ids
from gateway.http.asking import Asking, FromAccess, FromCredential
from gateway.http.event_streams import HEADERS, JITTER_S, LIFETIME_S, STREAMED, Standing, Streams
from gateway.http.strict import StrictRoute
from gateway.hub import Hub, Lagging
from penwright.domain.text.whole_numbers import whole_number
from penwright.errors import PenwrightError, UsageMistake
from schemas.records import Event
from schemas.web import Credential

_TOLD = frozenset(
    {
        *("stage", "outcome", "code", "state", "status", "step", "role", "model", "tool", "name", "number"),
        *("session", "branch", "round", "version", "message_id", "speaker", "character"),
        *("variable", "approval", "key"),
    }
)
"""Names of short texts that an event may tell; prose, prompts and lore are read by revision."""
_LONGEST = 200

router = APIRouter(tags=["events"], route_class=StrictRoute)


@router.get("/events", response_class=StreamingResponse, responses=STREAMED)
async def follow_events(
    request: Request,
    principal: Asking,
    credential: FromCredential,
    access: FromAccess,
    after: Annotated[int | None, Query(ge=0, le=2**62)] = None,
    subject: Annotated[str, Query(max_length=300, description="Only about this, as book/tide.")] = "",
    last_event_id: Annotated[str | None, Header(description="Wins over `after`.")] = None,
) -> StreamingResponse:
    """The events after a cursor, then new ones; without a cursor, from now on.

    ``hello`` and ``reset`` carry a cursor. After ``reset`` the caller reads again what it shows.
    """
    require(principal, "read", subject or None)
    start = _cursor(last_event_id) if last_event_id else after
    hub: Hub = request.app.state.hub
    streams: Streams = request.app.state.streams
    streams.refuse_more(credential)

    async def counted() -> AsyncGenerator[bytes]:
        lines = stream(hub, access, principal, credential, start, subject)
        with streams.counted(credential):
            async with aclosing(lines):
                async for line in lines:
                    yield line

    return StreamingResponse(counted(), media_type="text/event-stream", headers=HEADERS)


async def stream(
    hub: Hub, access: Access, principal: Principal, credential: Credential, start: int | None, subject: str
) -> AsyncGenerator[bytes]:
    """The lines of one stream; it ends by itself after a while, or when the credential does."""
    loop = asyncio.get_running_loop()
    ends = loop.time() + LIFETIME_S + secrets.randbelow(JITTER_S)
    standing = Standing(access, credential)
    yield b"retry: 2000\n\n"
    cursor = start
    while loop.time() < ends:
        try:
            if cursor is None:
                cursor = await hub.newest()
                yield _line("hello", cursor, {"cursor": cursor})
            async with aclosing(hub.after(cursor)) as found:
                async for event in found:
                    if await standing.ended(idle=event is None):
                        return
                    if event is None:
                        yield b": nothing new\n\n"
                    else:
                        cursor = event.cursor
                        if _wanted(event, principal, subject):
                            yield _line(event.kind, cursor, envelope(event))
                    if loop.time() >= ends:
                        return
        except Lagging:
            cursor = await hub.newest()
            yield _line("reset", cursor, {"cursor": cursor})
        except PenwrightError:
            # The client comes back by itself, with its cursor, and is told why as an answer.
            return


def envelope(event: Event) -> dict[str, Any]:  # Any: JSON
    """Data of an event: that something changed, with numbers, and never the words themselves."""
    data = {name: value for name, value in event.data.items() if _told(name, value)}
    if _is_id(message := event.data.get("message"), event.subject):
        data["message"] = message
    return {
        "cursor": event.cursor,
        "at": event.at.isoformat(),
        "subject": subject_of(event.subject),
        "run": run_ids.encoded(event.run),
        "pipeline": event.run.partition("/")[0],
        "kind": event.kind,
        "stage": str(event.data.get("stage", "")),
        "op_id": event.op_id,
        "data": data,
    }


def _told(name: str, value: object) -> bool:
    if value is None or isinstance(value, bool | int | float):
        return True
    return name in _TOLD and isinstance(value, str) and len(value) <= _LONGEST


def _is_id(message: object, subject: str) -> bool:
    """Whether it is the id of a message of a scene."""
    scene = subject.removeprefix("scene/")
    return isinstance(message, str) and scene != subject and message.rpartition("/")[0] == scene


def _wanted(event: Event, principal: Principal, subject: str) -> bool:
    about = subject_of(event.subject)
    return sees(principal, about) and subject in ("", about)


def _line(kind: str, cursor: int, data: dict[str, Any]) -> bytes:  # Any: JSON
    # A kind comes from our own code, and may not end the line all the same.
    named = "".join(kind.split())
    return f"id: {cursor}\nevent: {named}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def _cursor(text: str) -> int:
    cursor = whole_number(text, most=10**18)
    if cursor is None:
        raise UsageMistake("bad-cursor", "Last-Event-ID is none of ours", hint="begin without one")
    return cursor
