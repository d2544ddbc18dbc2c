"""Pieces of a reply on their way to those who look on: gathered, sent now and then, never waited for."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from penwright.adapters.models.provider import Hear
from penwright.domain.models.thought import without_thought_so_far
from penwright.ports.scenes import Deltas
from penwright.roles.scene.speech.shown import shown
from schemas.model import ModelRequest
from schemas.scene import Author

EVERY_S = 0.05
"""Between two sendings of one reply."""
_LAST_S = 0.5
"""Time that the end of a reply may take to go out."""
_ADDRESS = re.compile(r"(?P<scene>.+)/(?P<round>\d{1,9})/(?P<character>[^/]+)")
_SENTENCES = re.compile(r".+?(?:[.!?…][”\"’)]*\s+|\Z)", re.DOTALL)


def is_streamed(request: ModelRequest) -> bool:
    """Whether pieces of the answer are wanted: of plain text only."""
    return bool(request.stream_to) and not request.tools and request.output_schema is None


async def speak(text: str, hear: Hear | None) -> None:
    """Have a text that is ready be heard sentence by sentence."""
    if hear is None:
        return
    for sentence in _SENTENCES.findall(text):
        hear(sentence)
        await asyncio.sleep(0)


class PieceCarrier:
    """Sends what is heard of replies to ``Deltas``, at most every ``every_s`` seconds each."""

    def __init__(self, deltas: Deltas, *, every_s: float = EVERY_S) -> None:
        self._deltas = deltas
        self._every_s = every_s

    @asynccontextmanager
    async def carrying(self, stream_to: str, author: Author) -> AsyncIterator[Hear]:
        """Yield what takes the pieces of one reply; those of an address that is none go nowhere."""
        address = _ADDRESS.fullmatch(stream_to)
        if address is None:
            yield lambda piece: None
            return
        reply = _Outgoing(self._deltas, address, author)
        sending = asyncio.create_task(reply.send(self._every_s))
        try:
            yield reply.hear
        finally:
            reply.end()
            # A cancelled wait leaves the task to end by itself: it has nothing left to wait for.
            await asyncio.wait({sending}, timeout=_LAST_S)


class _Outgoing:
    """One reply: what was heard of it, and how much of that was sent."""

    def __init__(self, deltas: Deltas, address: re.Match[str], author: Author) -> None:
        self._deltas, self._author = deltas, author
        self._scene, self._round = address["scene"], int(address["round"])
        self._character = address["character"]
        self._heard: list[str] = []
        self._sent = 0
        self._news = asyncio.Event()
        self._ended = asyncio.Event()

    def hear(self, piece: str) -> None:
        self._heard.append(piece)
        self._news.set()

    def end(self) -> None:
        self._ended.set()
        self._news.set()

    async def send(self, every_s: float) -> None:
        """Send what is new, until the reply has ended."""
        is_last = False
        while not is_last:
            await self._news.wait()
            self._news.clear()
            is_last = self._ended.is_set()
            await self._send_new()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._ended.wait(), every_s)

    async def _send_new(self) -> None:
        text = shown(without_thought_so_far("".join(self._heard)))
        if len(text) <= self._sent:
            return
        piece, position, self._sent = text[self._sent :], self._sent, len(text)
        address = (self._scene, self._round, self._character)
        await asyncio.to_thread(self._deltas.send, *address, piece, position, self._author)
