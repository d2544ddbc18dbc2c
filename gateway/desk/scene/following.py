"""Messages as they are stored: each is told once, in order, while something else is waited for."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Final, TypeVar

from gateway.desk.scene.numbers import numbering, said
from gateway.desk.services import CommandStore, Services
from penwright.errors import PassingError
from schemas.scene import SceneMessage

Told = Callable[[SceneMessage], None]
Spoken = tuple[int, int]
"""Stored number of a message, and how many alternatives it had."""
_T = TypeVar("_T")
_PERIOD_S: Final = 0.2
NEWEST: Final = 300
"""Messages among which new ones are looked for; a round has fewer."""


class Teller:
    """Tells messages, and alternatives of old ones, that were not there before.

    What is older than all in ``seen`` is never told: it comes into view when newer messages are taken back.
    """

    def __init__(self, told: Told, seen: frozenset[Spoken]) -> None:
        self._told = told
        self._seen = set(seen)
        self._oldest = min((stored for stored, _ in seen), default=0)
        self._new: list[SceneMessage] = []

    def look(self, store: CommandStore, scene: str) -> None:
        """Read what is new in the scene; blocks."""
        found = store.scenes.messages(scene, newest=NEWEST)
        new = [each for each in found if self._is_untold(each)]
        self._new = list(said(new, numbering(store, scene))) if new else []

    def tell(self) -> None:
        """Tell what was read and is not told yet."""
        for message in self._new:
            if self._is_untold(message):
                self._seen.add(_spoken(message))
                self._told(message)

    def _is_untold(self, message: SceneMessage) -> bool:
        return _spoken(message) not in self._seen and message.stored >= self._oldest


def marks(messages: Iterable[SceneMessage]) -> frozenset[Spoken]:
    """Marks of messages that count as displayed before."""
    return frozenset(_spoken(each) for each in messages)


def spoken(store: CommandStore, scene: str) -> frozenset[Spoken]:
    """Marks of the scene's messages so far."""
    return marks(store.scenes.messages(scene, newest=NEWEST))


async def told_until(services: Services, scene: str, awaited: Awaitable[_T], teller: Teller) -> _T:
    """Await it; meanwhile, and once more at its end, tell what is new in the scene."""
    task = asyncio.ensure_future(awaited)
    try:
        with services.open_store() as store:
            while not task.done():
                await asyncio.wait({task}, timeout=_PERIOD_S)
                with suppress(PassingError):  # the next look tells it
                    await asyncio.to_thread(teller.look, store, scene)
                teller.tell()
    finally:
        task.cancel()
    return await task


def _spoken(message: SceneMessage) -> Spoken:
    return message.stored, len(message.alternatives)
