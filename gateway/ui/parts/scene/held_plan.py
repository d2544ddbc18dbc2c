"""The plan that waits for a person: put in order, struck, added to, and let go."""

from collections.abc import Callable

from nicegui import ui

from gateway.desk.scene import direction
from gateway.ui.elements.html import attribute, box, text
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import action
from gateway.ui.parts.scene.playing import Playing
from gateway.ui.visit import Visit
from penwright.domain.scene.resolving import name_of
from schemas.director import ApprovedTurn
from schemas.scene import PassRecord

PLACE = "plan"
"""The id of the plan on its page, for links to it."""


class HeldPlan:
    """One plan as a person changes it; the director's own stays as it is until it is approved."""

    def __init__(self, visit: Visit, frame: Frame, playing: Playing, held: PassRecord) -> None:
        self._visit, self._frame, self._scene, self._held = visit, frame, playing.scene.id, held
        self._cast = playing.shown.view.cast
        self._turns = [
            ApprovedTurn(who=each.character, guidance=each.guidance) for each in held.applied.turns
        ]
        self._place = box("section", classes="card held", label="The plan that waits")
        attribute(self._place, "id", PLACE)
        self._draw()

    def _draw(self) -> None:
        self._place.clear()
        with self._place:
            text("h3", f"Pass {self._held.number} waits for you")
            if self._held.applied.open_guidance:
                text("p", f"To everyone: {self._held.applied.open_guidance}", classes="note")
            with box("ol", classes="turns"):
                for index, each in enumerate(self._turns):
                    self._turn(index, each)
            self._adding()
            self._changes()
            with box(classes="row-of"):
                action(self._frame, "Play this plan", self._approve, look="main", icon="play_arrow")
                action(self._frame, "Take it back", self._reject)

    def _changes(self) -> None:
        applied = self._held.applied
        for entry in applied.entries:
            text("p", f"{name_of(entry.who, self._cast)} comes in.", classes="soft")
        for who in applied.leaving:
            text("p", f"{name_of(who, self._cast)} leaves.", classes="soft")
        for change in applied.changes:
            what = f"{name_of(change.subject, self._cast)}, {change.field}"
            text("p", f"{what}: {change.old or 'nothing'} → {change.new or 'nothing'}", classes="soft")

    def _turn(self, index: int, each: ApprovedTurn) -> None:
        name = name_of(each.who, self._cast)
        with box("li"):
            told = ui.input(f"What {name} is told", value=each.guidance or "")
            told.props('outlined dense autogrow maxlength="4000" autocomplete="off"')
            told.on_value_change(lambda event: self._told(index, event.value))
            with box(classes="row-of"):
                self._button("↑", f"{name} earlier", lambda: self._move(index, -1), on=index > 0)
                self._button(
                    "↓", f"{name} later", lambda: self._move(index, 1), on=index + 1 < len(self._turns)
                )
                self._button("Strike", f"Strike {name}", lambda: self._strike(index))

    def _adding(self) -> None:
        planned = {each.who for each in self._turns}
        others = {each.id: each.name for each in self._cast if each.id not in planned}
        if not others:
            return
        with box(classes="row-of adding"):
            chosen = ui.select(others, label="Who else", value=next(iter(others))).props("outlined dense")
            self._button("Add", "Add to the plan", lambda: self._add(str(chosen.value)))

    def _button(self, shown: str, named: str, act: Callable[[], None], *, on: bool = True) -> None:
        button = ui.button(shown, on_click=act, color=None).props("no-caps unelevated dense").classes("plain")
        attribute(button, "aria-label", named)
        button.set_enabled(on)

    def _told(self, index: int, said: object) -> None:
        guidance = said if isinstance(said, str) else ""
        self._turns[index] = self._turns[index].model_copy(update={"guidance": guidance})

    def _move(self, index: int, by: int) -> None:
        self._turns.insert(index + by, self._turns.pop(index))
        self._draw()

    def _strike(self, index: int) -> None:
        self._turns.pop(index)
        self._draw()

    def _add(self, who: str) -> None:
        if who in {each.id for each in self._cast}:
            self._turns.append(ApprovedTurn(who=who, guidance=""))
        self._draw()

    async def _reject(self) -> str:
        self._visit.require("run", f"scene/{self._scene}")
        who = self._visit.principal.name
        await self._visit.ask_engine(direction.reject, self._scene, who=who)
        return "the plan is taken back"

    async def _approve(self) -> str:
        self._visit.require("run", f"scene/{self._scene}")
        await self._visit.ask_engine(
            direction.approve,
            self._scene,
            tuple(self._turns),
            pass_number=self._held.number,
            who=self._visit.principal.name,
        )
        return "the plan is played"
