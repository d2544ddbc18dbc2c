"""The field for what the user says; while a round runs, the words can be sent once it ends."""

from nicegui import ui

from gateway.desk.scene import orders, rounds
from gateway.ui.frame import Frame
from gateway.ui.parts.scene import lore
from gateway.ui.parts.scene.playing import Playing
from gateway.ui.parts.shared.words import words
from gateway.ui.parts.tag_choice import tag_choice
from gateway.ui.visit import Visit
from penwright.errors import Refused

LATER = "Send it when this round ends"


class Saying:
    """Words stay in the field until a round has begun with them."""

    def __init__(self, visit: Visit, frame: Frame, scene: str) -> None:
        self._visit, self._scene = visit, scene
        self._due = False
        """Whether the browser was asked to send the words because the round has ended."""
        self.field = words(
            frame, "What you say", "Say it", self._say, place=f"{scene}/say", icon="send", enter=True
        )
        lore.marking(visit, frame, scene, self.field)
        with self.field:
            self._later = ui.checkbox(LATER)
            self._tag = tag_choice(visit, "round")
        self._later.set_visibility(False)

    def show(self, playing: Playing) -> None:
        """Offer to wait while a round runs; send what was to wait once none does."""
        self.field.stay_in_sight()
        running = playing.shown.view.running is not None
        self._later.set_visibility(running)
        if not running and self._later.value:
            self._later.set_value(False)
            self._due = True
            self.field.send()

    async def _say(self, said: str) -> str:
        self._visit.require("run", f"scene/{self._scene}")
        kind: orders.RoundKind = "message" if said.strip() else "continue"
        wanted = orders.RoundOptions(
            kind=kind, text=said.strip(), tag=self._tag(), who=self._visit.principal.name
        )
        # A round's workflow ends a moment after the scene says that it has.
        queue, self._due = self._due, False
        try:
            await self._visit.ask_engine(rounds.begin, self._scene, wanted, queue=queue)
        except Refused as refusal:
            raise _in_page_words(refusal) from refusal
        return "the round has begun"


def _in_page_words(refusal: Refused) -> Refused:
    if refusal.code != "round-runs":
        return refusal
    return Refused(refusal.code, f"a round runs; your words stay in the field. “{LATER}” sends them then")
