"""Which lorebook has its names marked in a text; the browser keeps the choice."""

from collections.abc import Callable
from pathlib import Path

from nicegui.element import Element
from nicegui.events import GenericEventArguments

from gateway.desk.principals import sees
from gateway.desk.works.subjects import WORLDS
from gateway.desk.worlds.kinds import LOREBOOK
from gateway.ui.parts.shared.choosing import Choosing
from gateway.ui.visit import Visit

_FILES = Path(__file__).parents[2] / "editor"


class _Kept(Element, component=_FILES / "lore_choice.js"):
    """Element that keeps the choice for the texts of one work in the browser."""

    def __init__(self, work: str) -> None:
        super().__init__()
        self._props["place"] = f"penwright-lore:{work}"


class LoreChoice:
    """A field to search a lorebook and choose it; nothing where the visitor may see none."""

    def __init__(self, visit: Visit, work: str, told: Callable[[str], object]) -> None:
        """``told``: called with the id of a lorebook when one is chosen, with an empty text for none."""
        self._field = Choosing(visit, LOREBOOK, "Lore", several=False)
        self._kept = _Kept(work)
        self._told = told
        self._field.on_chosen(self._chosen)
        self._kept.on("kept", self._again)

    async def offer(self) -> None:
        """Offer the first lorebooks; without any, the field is not shown."""
        await self._field.offer()
        self._field.shown(self._field.count > 0)

    def _chosen(self) -> None:
        id = next(iter(self._field.chosen), "")
        self._kept.run_method("keep", id)
        self._told(id)

    async def _again(self, event: GenericEventArguments) -> None:
        if isinstance(event.args, str):
            await self._field.choose(event.args)


def lore_choice(visit: Visit, work: str, told: Callable[[str], object]) -> LoreChoice | None:
    """The choice for the texts of one work; None for a visitor who may see no lorebook."""
    return LoreChoice(visit, work, told) if sees(visit.principal, WORLDS) else None
