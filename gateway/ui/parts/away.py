"""A notice on every page while a process that runs depend on is away."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from cachetools import TTLCache
from nicegui import background_tasks

from gateway.ui.frame import Frame
from gateway.ui.parts.html import attribute, box
from gateway.ui.parts.problem import trouble
from gateway.ui.visit import Visit
from penwright.errors import PenwrightError

_LOOK_S = 5.0
_KEPT_S = 4.0
_MEANS = {
    "workflows": "no run goes on",
    "activities": "no run reads or changes a text, and nothing that you save arrives",
    "models": "no model is asked",
}
"""What stands still without a process."""


class Away:
    """Looks at the processes of the engine, once in a few seconds for all pages."""

    def __init__(self) -> None:
        self._known: TTLCache[str, Sequence[str]] = TTLCache(1, _KEPT_S)
        self._asking = asyncio.Lock()

    def show(self, visit: Visit, made: Frame) -> None:
        """Say on the page which process is away, and take it back when it answers again."""
        with made.notices, box() as place:
            attribute(place, "role", "status")
        shown: Sequence[str] = ()

        async def look() -> None:
            nonlocal shown
            found = await self._away(visit)
            if found == shown or made.client.is_deleted:
                return
            shown = found
            place.clear()
            with place:
                for said in found:
                    trouble(said)

        async def follow() -> None:
            while True:
                await look()
                await asyncio.sleep(_LOOK_S)

        begun = False

        def begin() -> None:
            nonlocal begun
            if not begun:
                begun = True
                made.client.on_delete(background_tasks.create(follow(), name="away").cancel)

        made.client.on_connect(begin)

    async def _away(self, visit: Visit) -> Sequence[str]:
        async with self._asking:
            if "now" not in self._known:
                try:
                    self._known["now"] = sentences(await visit.ask(lambda services: services.engine_status()))
                except PenwrightError:
                    self._known["now"] = ()
            return self._known["now"]


def sentences(status: Mapping[str, Any]) -> Sequence[str]:  # Any: JSON, as ``penwright status`` has it
    """What does not work now; nothing without an engine, which each page says itself."""
    if not status["running"]:
        return ()
    states = {name: child.get("state") for name, child in status["children"].items()}
    return tuple(
        f"The process {name} is not ready ({states[name]}): {meant}. `penwright logs {name}` says why."
        for name, meant in _MEANS.items()
        if states.get(name, "ready") != "ready"
    )
