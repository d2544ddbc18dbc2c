"""Slots for calls by vendor, so that a vendor that hangs holds up its own calls only."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from urllib.parse import urlsplit

from penwright.errors import ModelUnavailable
from schemas.model_catalog import ModelEntry

PATIENCE_S = 14 * 60.0
"""Time a call waits for its vendor. With the longest call it stays below the timeout of the activity."""
_AGAIN_S = 1.0

Waiting = Callable[[], AbstractContextManager[None]]


def vendor_of(entry: ModelEntry) -> str:
    """Vendor of this model: the server of its address, else its vendor as litellm spells it."""
    if entry.api_base:
        return urlsplit(entry.api_base).netloc.rpartition("@")[2] or entry.api_base
    if entry.provider != "litellm":
        return entry.provider
    vendor, slash, _ = entry.model.partition("/")
    return vendor if slash else "openai"


class VendorSlots:
    """Slots of one process, for each vendor the same number."""

    def __init__(
        self, at_once: int, *, patience_s: float = PATIENCE_S, waiting: Waiting = nullcontext
    ) -> None:
        """``waiting``: entered while a call waits for a slot; not by one that finds it free."""
        self._at_once = at_once
        self._waiting = waiting
        self._patience_s = patience_s
        self._slots: dict[str, asyncio.Semaphore] = {}

    @asynccontextmanager
    async def of(self, entry: ModelEntry) -> AsyncIterator[None]:
        """Have a slot of the model's vendor inside, first come first served.

        Raises:
            ModelUnavailable: ``model-busy``: none became free within ``patience_s``.
        """
        vendor = vendor_of(entry)
        # The server of a file does one thing at a time, and a call's own time must not pass in its queue.
        at_once = 1 if entry.file else self._at_once
        slot = self._slots.setdefault(vendor, asyncio.Semaphore(at_once))
        try:
            with self._waiting() if slot.locked() else nullcontext():
                async with asyncio.timeout(self._patience_s):
                    await slot.acquire()
        except TimeoutError as late:
            raise ModelUnavailable(
                "model-busy",
                f"{vendor} has as many calls under way as `worker.model_activities` allows "
                f"({at_once}), and none became free within {self._patience_s:g} s. The call is tried "
                "again; raise the setting if the vendor allows more at once.",
                retry_after_s=_AGAIN_S,
                model=entry.name,
            ) from late
        try:
            yield
        finally:
            slot.release()
