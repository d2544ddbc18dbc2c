"""Words while a model writes them: pieces that may be lost, only for those who look at the scene.

Nothing of the stream is stored, it has no cursors, and what a reader misses stays missed. The reply itself is
read from the scene once ``GET /events`` tells of it.
"""

import asyncio
import json
import secrets
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import StreamingResponse

from gateway.desk.access import Access
from gateway.desk.scene import permitted
from gateway.http.asking import Asking, FromAccess, FromCredential, FromServices
from gateway.http.event_streams import HEADERS, JITTER_S, LIFETIME_S, STREAMED, Standing, Streams
from gateway.http.strict import StrictRoute
from gateway.hub import PATIENCE_S, Hub
from gateway.typing_hub import Typing
from penwright.errors import PenwrightError
from schemas.deltas import Delta
from schemas.web import Credential

router = APIRouter(tags=["events"], route_class=StrictRoute)


@router.get("/scenes/{scene_id}/typing", response_class=StreamingResponse, responses=STREAMED)
async def follow_typing(
    request: Request,
    scene_id: Annotated[str, Path(max_length=200)],
    principal: Asking,
    credential: FromCredential,
    access: FromAccess,
    services: FromServices,
) -> StreamingResponse:
    """Pieces of replies as ``typing``: round, character, piece, and how many characters came before it.

    A gap means that a piece was lost, position 0 that the reply is begun anew.
    """
    scene = await asyncio.to_thread(permitted.scene, services, principal, "read", scene_id)
    hub: Hub = request.app.state.hub
    streams: Streams = request.app.state.streams
    streams.refuse_more(credential)

    async def counted() -> AsyncGenerator[bytes]:
        with streams.counted(credential):
            async with aclosing(typed(hub.typing, access, credential, scene.id)) as lines:
                async for line in lines:
                    yield line

    return StreamingResponse(counted(), media_type="text/event-stream", headers=HEADERS)


async def typed(typing: Typing, access: Access, credential: Credential, scene: str) -> AsyncGenerator[bytes]:
    """The lines of one stream; it ends by itself after a while, or when the credential or the store does."""
    loop = asyncio.get_running_loop()
    ends = loop.time() + LIFETIME_S + secrets.randbelow(JITTER_S)
    standing = Standing(access, credential)
    yield b"retry: 2000\n\n"
    with suppress(PenwrightError):
        async with aclosing(typing.of(scene, PATIENCE_S)) as found:
            async for delta in found:
                if loop.time() >= ends or await standing.ended(idle=delta is None):
                    return
                yield b": nothing new\n\n" if delta is None else line(delta)


def line(delta: Delta) -> bytes:
    """One piece as an event without an id: a reader that comes back goes on with what is new."""
    told = delta.model_dump(mode="json", exclude={"scene"})
    return f"event: typing\ndata: {json.dumps(told, ensure_ascii=False)}\n\n".encode()
