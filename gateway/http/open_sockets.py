"""WebSockets that end with the session by which they were opened."""

import asyncio
from contextlib import suppress

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.desk.access import Access
from penwright.errors import PenwrightError
from schemas.web import Credential
from workers.http_guard import POLICY_VIOLATION

CHECKED_EVERY_S = 15.0
"""A session that ended in another process, or by time, is noticed within this."""


class OpenSockets:
    """Serves WebSockets, and closes those of a credential once it is worth nothing any more."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._open: dict[str, set[_Socket]] = {}
        access.listen(self._ended)

    async def serve(
        self, app: ASGIApp, scope: Scope, receive: Receive, send: Send, credential: Credential
    ) -> None:
        """Run ``app`` on one socket until it or the credential ends."""
        socket = _Socket(receive, send)
        self._open.setdefault(credential.id, set()).add(socket)
        watching = asyncio.create_task(self._watch(credential, socket))
        try:
            await app(scope, socket.receive, send)
        finally:
            watching.cancel()
            self._open[credential.id].discard(socket)
            if not self._open[credential.id]:
                del self._open[credential.id]

    def _ended(self, credential_id: str) -> None:
        for socket in tuple(self._open.get(credential_id, ())):
            socket.end()

    async def _watch(self, credential: Credential, socket: "_Socket") -> None:
        while True:
            await asyncio.sleep(CHECKED_EVERY_S)
            with suppress(PenwrightError):  # a store that does not answer ends nothing
                if not await asyncio.to_thread(self._access.valid, credential):
                    return socket.end()


class _Socket:
    """One connection, whose application hears of a disconnection once it is to end."""

    def __init__(self, receive: Receive, send: Send) -> None:
        self._receive = receive
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._ending = asyncio.Event()

    def end(self) -> None:
        """Close it soon; from any thread."""
        self._loop.call_soon_threadsafe(self._ending.set)

    async def receive(self) -> Message:
        message = asyncio.ensure_future(self._receive())
        ending = asyncio.ensure_future(self._ending.wait())
        try:
            await asyncio.wait({message, ending}, return_when=asyncio.FIRST_COMPLETED)
            if not self._ending.is_set():
                return message.result()
        finally:
            ending.cancel()
        message.cancel()
        await self._send({"type": "websocket.close", "code": POLICY_VIOLATION, "reason": "signed out"})
        return {"type": "websocket.disconnect", "code": POLICY_VIOLATION, "reason": "signed out"}
