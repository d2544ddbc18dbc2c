"""Which lorebook has its names marked in a text; chosen in the browser, which keeps the choice."""

from collections.abc import Callable, Sequence
from pathlib import Path

from nicegui.element import Element
from nicegui.events import GenericEventArguments

from gateway.desk.principals import sees
from gateway.desk.works.subjects import WORLDS
from gateway.desk.worlds import looking
from gateway.desk.worlds.kinds import LOREBOOK
from gateway.ui.visit import Visit
from schemas.lore import Lorebook

_FILES = Path(__file__).parents[1] / "editor"


async def lorebooks_of(visit: Visit) -> tuple[Lorebook, ...]:
    """The lorebooks that the visitor may see, without their entries."""
    if not sees(visit.principal, WORLDS):
        return ()
    return tuple(line.thing for line in await visit.ask(looking.listing, LOREBOOK))


class LoreChoice(Element, component=_FILES / "lore_choice.js"):
    """A list of lorebooks, and none."""

    def __init__(self, work: str, books: Sequence[Lorebook]) -> None:
        """The choice for the texts of one work."""
        super().__init__()
        self._ids = frozenset(book.id for book in books)
        self._props["books"] = [{"id": book.id, "name": book.name} for book in books]
        self._props["place"] = f"penwright-lore:{work}"

    def on_chosen(self, told: Callable[[str], object]) -> None:
        """Call ``told`` with the id of a lorebook when one is chosen, with an empty text for none."""

        def chosen(event: GenericEventArguments) -> None:
            told(event.args if isinstance(event.args, str) and event.args in self._ids else "")

        self.on("chosen", chosen)
