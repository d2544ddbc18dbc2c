"""A notice on every page while a process that runs depend on is absent, or does not answer."""

import asyncio
from collections.abc import Mapping, Sequence

from nicegui import background_tasks, ui

from gateway.desk.operator import health
from gateway.desk.services import Services
from gateway.ui.elements.html import attribute, box, sentence
from gateway.ui.frame import Frame
from penwright.errors import PenwrightError

_LOOK_S = 5.0
_MEANS = {
    "engine": "no process that ends or hangs is started again",
    "workflows": "no run goes on",
    "activities": "no run reads or changes a text, and nothing that you save arrives",
    "models": "no model is asked, and runs wait where they need one",
}
"""Loss without a process; ``engine`` is the supervisor."""


class Absent:
    """Looks at the processes of the engine every few seconds, once for all open pages."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._places: set[ui.element] = set()
        self._said: Sequence[str] = ()
        self._follows = False

    def show(self, made: Frame) -> None:
        """Say on the page which process is absent, and take it back when the process is ready again."""
        with made.notices, box() as place:
            attribute(place, "role", "status")
        self._draw(place)
        self._places.add(place)
        if not self._follows:
            self._follows = True
            background_tasks.create(self._follow(), name="absent processes")

    async def _follow(self) -> None:
        try:
            while self._places:
                found = await asyncio.to_thread(self._found)
                self._places = {each for each in self._places if not each.client.is_deleted}
                if found != self._said:
                    self._said = found
                    for place in self._places:
                        self._draw(place)
                await asyncio.sleep(_LOOK_S)
        finally:
            self._said, self._follows = (), False

    def _found(self) -> Sequence[str]:
        try:
            return sentences(health.states(self._services.engine_status()))
        except PenwrightError:
            return ()  # what the settings lack is said by the page that needs them

    def _draw(self, place: ui.element) -> None:
        place.clear()
        with place:
            for said in self._said:
                with box(classes="problem"):
                    sentence(said)


def sentences(states: Mapping[str, str]) -> Sequence[str]:
    """One for each absent process; none without an engine, which each page says itself.

    Args:
        states: of processes, in words, by name.
    """
    return tuple(
        f"The process {name} is not ready ({states[name]}): {meant}. `penwright logs {name}` says why; "
        "`penwright down` and `penwright up --detach` start it again."
        for name, meant in _MEANS.items()
        if states.get(name, "ready") != "ready"
    )
