"""WebSockets that end with the session by which they were opened, and keep it while they are used."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from gateway.desk.access import Access
from penwright.errors import PenwrightError
from schemas.web import Credential
from workers.http_guard import POLICY_VIOLATION

CHECKED_EVERY_S = 1.0
"""A session that ended in another process, or by time, is noticed within this."""
USE_NOTED_EVERY_S = 60.0
"""That pages are used is stored at most this often."""
_EVENT = '42["event"'
"""Beginning of a page's message by which something was done on it."""


class OpenSockets:
    """Serves WebSockets, and closes those of a credential once it is worth nothing any more."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._open: dict[Credential, set[_Socket]] = {}
        self._watching: asyncio.Task[None] | None = None
        self._used: set[Credential] = set()
        self._noted_at = -USE_NOTED_EVERY_S
        access.listen(self._ended)

    async def serve(
        self, app: ASGIApp, scope: Scope, receive: Receive, send: Send, credential: Credential
    ) -> None:
        """Run ``app`` on one socket until it or the credential ends."""
        socket = _Socket(receive, send, lambda: self._used.add(credential))
        self._open.setdefault(credential, set()).add(socket)
        self._watching = self._watching or asyncio.create_task(self._watch())
        try:
            await app(scope, socket.receive, send)
        finally:
            self._open[credential].discard(socket)
            if not self._open[credential]:
                del self._open[credential]

    def _ended(self, credential_id: str) -> None:
        for credential in tuple(self._open):
            if credential.id == credential_id:
                self._close(credential)

    def _close(self, credential: Credential) -> None:
        for socket in tuple(self._open.get(credential, ())):
            socket.end()

    async def _watch(self) -> None:
        """One task for all: with fifty pages open the store is asked no more often than with one."""
        while self._open:
            await asyncio.sleep(CHECKED_EVERY_S)
            with suppress(PenwrightError):  # a store that does not answer ends nothing
                await self._note()
                for credential in await asyncio.to_thread(self._access.ended, tuple(self._open)):
                    self._close(credential)
        self._watching = None

    async def _note(self) -> None:
        now = asyncio.get_running_loop().time()
        if not self._used or now - self._noted_at < USE_NOTED_EVERY_S:
            return
        used, self._used, self._noted_at = self._used, set(), now
        await asyncio.to_thread(self._access.note_used, used)


class _Socket:
    """One connection, whose application hears of a disconnection once it is to end."""

    def __init__(self, receive: Receive, send: Send, used: Callable[[], None]) -> None:
        self._receive = receive
        self._used = used
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
                return self._heard(message.result())
        finally:
            ending.cancel()
        message.cancel()
        return await self._signed_out()

    def _heard(self, message: Message) -> Message:
        if (message.get("text") or "").startswith(_EVENT):
            self._used()
        return message

    async def _signed_out(self) -> Message:
        await self._send({"type": "websocket.close", "code": POLICY_VIOLATION, "reason": "signed out"})
        return {"type": "websocket.disconnect", "code": POLICY_VIOLATION, "reason": "signed out"}
