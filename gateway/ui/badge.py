"""The badge at the top of a page: how many things wait for a person."""

import asyncio

from cachetools import TTLCache
from nicegui import background_tasks

from gateway.desk.principals import Principal
from gateway.desk.runs.waiting import waiting
from gateway.ui.frame import Frame
from gateway.ui.visit import NeverShownError, Visit
from penwright.errors import PenwrightError

_KEPT_S = 5
_MOST = 100
AGAIN_S = 5.0
"""Time after a change of its page until a badge is counted again: once for all changes of that time."""


class Badge:
    """Counts what waits for each visitor, once in a few seconds for all of a visitor's pages."""

    def __init__(self) -> None:
        self._counts: TTLCache[Principal, int] = TTLCache(_MOST, _KEPT_S)

    def show(self, visit: Visit, made: Frame) -> None:
        """Show the count when the browser has the page; nothing if it cannot be read."""
        background_tasks.create(self._shown(visit, made), name="badge")
        waits = False

        async def later() -> None:
            nonlocal waits
            await asyncio.sleep(AGAIN_S)
            waits = False
            self._counts.pop(visit.principal, None)
            await self._shown(visit, made)

        def again() -> None:
            nonlocal waits
            if not waits:
                waits = True
                background_tasks.create(later(), name="badge again")

        made.recount = again

    async def _shown(self, visit: Visit, made: Frame) -> None:
        if made.client.is_deleted:
            return
        try:
            with made.client:
                await visit.until_shown()
            count = await self._count(visit)
        except (NeverShownError, PenwrightError, TimeoutError):
            return
        if not made.client.is_deleted:
            with made.client:
                made.waiting(count)

    async def _count(self, visit: Visit) -> int:
        count = self._counts.get(visit.principal)
        if count is None:
            count = len((await visit.ask_engine(waiting, visit.principal)).items)
            self._counts[visit.principal] = count
        return count
