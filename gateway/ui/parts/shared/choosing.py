"""A field to choose things of a kind: a few are offered, the others are found by a part of their name."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from gateway.desk.worlds import views
from gateway.desk.worlds.kinds import EntityKind
from gateway.desk.worlds.views import EntityLine
from gateway.ui.visit import Visit
from penwright.ports.portions import Portion

OFFERED = 50
"""Names at once."""
_LONGEST = 200


class Choosing:
    """The field; the first things of the kind are offered at once."""

    def __init__(
        self, visit: Visit, kind: EntityKind[Any], label: str, *, several: bool, hint: str = ""
    ) -> None:
        self._visit, self._kind = visit, kind
        self._typed = ""
        self.count = 0
        """How many there are of the kind."""
        self._field = ui.select({}, label=label, with_input=True, multiple=several, clearable=not several)
        self._field.props("outlined dense")
        if several:
            self._field.props("use-chips")
        self._field.props["hint"] = hint
        self._field.on("input-value", self._sought, throttle=0.2, leading_events=False)

    @property
    def chosen(self) -> tuple[str, ...]:
        """Ids of what was chosen."""
        value = self._field.value
        return tuple(value) if isinstance(value, list) else (value,) if value else ()

    async def offer(self) -> None:
        """Offer the first of the kind."""
        lines, self.count = await self._found("")
        self._field.set_options(_named(lines))
        if self.count > len(lines):
            self._field.props["hint"] = f"{self.count:,} in all: type a part of the name"

    def choose_only(self, if_none: str) -> None:
        """Choose the only one there is; ``if_none``: what to say where there is none."""
        if self.count == 1:
            self._field.value = next(iter(self.offered))
        elif not self.count:
            self._field.props["hint"] = if_none

    def on_chosen(self, told: Callable[[], object]) -> None:
        """Call ``told`` whenever something else is chosen, or nothing."""
        self._field.on_value_change(lambda: told())

    def shown(self, yes: bool) -> None:
        """Show the field, or do not."""
        self._field.set_visibility(yes)

    async def choose(self, id: str) -> None:
        """Choose one by its id, if it is there still."""
        lines, _ = await self._visit.ask(views.part, self._kind, Portion(1, among=(id,)))
        if lines:
            self._field.set_options({**self.offered, **_named(lines)}, value=id)

    @property
    def offered(self) -> dict[str, str]:
        """Names by id."""
        return dict(self._field.options)

    async def _sought(self, event: GenericEventArguments) -> None:
        self._typed = typed = event.args[:_LONGEST] if isinstance(event.args, str) else ""
        lines, _ = await self._found(typed.strip())
        if typed == self._typed:  # else more was typed meanwhile
            kept = {id: name for id, name in self.offered.items() if id in self.chosen}
            self._field.set_options({**_named(lines), **kept})

    async def _found(self, named: str) -> tuple[tuple[EntityLine, ...], int]:
        return await self._visit.ask(views.part, self._kind, Portion(OFFERED, named=named))


def _named(lines: Sequence[EntityLine]) -> dict[str, str]:
    """Names by id; those of one name are told apart by their ids."""
    names = Counter(each.thing.name for each in lines)
    return {
        each.thing.id: each.thing.name
        if names[each.thing.name] == 1
        else f"{each.thing.name} ({each.thing.id})"
        for each in lines
    }
