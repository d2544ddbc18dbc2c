"""Data of a scene's page, read at once."""

from dataclasses import dataclass

from gateway.desk.scene import branches, lore_reasons, rounds, views
from gateway.desk.scene.branches import Branch
from gateway.desk.scene.lore_reasons import LoreReasons
from gateway.desk.scene.table import seats
from gateway.desk.scene.table.seats import SeatShown
from gateway.desk.scene.views import Shown, ShownEnvelope
from gateway.ui.visit import Visit
from penwright.domain.scene.plan.holding import holds
from penwright.errors import NotFound
from schemas.base import Progress
from schemas.scene import NumberedRound, PassRecord, SceneMessage
from schemas.worlds import Scene

FEW = 50
"""Of those who are not present, how many are offered by name."""
_ROUNDS = 20


@dataclass(slots=True)
class Window:
    """Range of a chat that a page shows: its newest messages, and more each time it is asked for."""

    step: int = 60
    messages: int = 60


@dataclass(frozen=True, slots=True)
class Playing:
    """A scene, and what one tab backstage needs besides."""

    shown: Shown
    calls: tuple[ShownEnvelope, ...] = ()
    lore: tuple[LoreReasons, ...] = ()
    tree: Branch | None = None
    seats: tuple[SeatShown, ...] = ()
    progress: Progress | None = None
    """Progress of the round that runs, from the engine."""

    @property
    def scene(self) -> Scene:
        return self.shown.view.located.scene

    @property
    def running(self) -> NumberedRound | None:
        """The round that runs."""
        return next((each for each in self.shown.rounds if each.status == "running"), None)

    @property
    def remarks(self) -> dict[str, str]:
        """By message id, what was found in a reply; not of words that a person chose or wrote instead."""
        turns = {each.message: each for played in self.shown.rounds for each in played.turns if each.message}
        return {
            said.id: turn.reason
            for said in self.shown.messages
            if (turn := turns.get(said.id)) is not None and turn.outcome == "spoken" and _is_as_made(said)
        }

    @property
    def paused(self) -> bool:
        """Whether the round that runs waits to be resumed."""
        return self.progress is not None and self.progress.paused

    @property
    def held(self) -> PassRecord | None:
        """The plan that waits for a person."""
        played = self.running
        return played.passes[-1] if played and holds(self.scene.settings, played.passes) else None


def _is_as_made(said: SceneMessage) -> bool:
    """Whether the newest reply of a model is the one that stands."""
    made = [each.index for each in said.alternatives if each.author.kind == "model"]
    return said.chosen in made[-1:]


async def read(visit: Visit, scene: str, tab: str, window: Window) -> Playing:
    """Read it; raises as ``looking.look``."""
    shown = await visit.ask(views.look, scene, newest=window.messages, rounds=_ROUNDS, others=FEW)
    calls: tuple[ShownEnvelope, ...] = ()
    lore: tuple[LoreReasons, ...] = ()
    try:
        if tab in ("memory", "budget"):
            calls = await visit.ask(views.envelopes, scene)
        elif tab == "lore" and (directed := [each for each in shown.rounds if each.passes]):
            # A reply that was made anew is a round without a director.
            last = directed[-1]
            lore = await visit.ask(lore_reasons.reasons, scene, number=last.number, take=last.take)
    except NotFound:
        pass  # nothing was played, or no role was asked
    tree = await visit.ask(branches.tree, visit.principal, scene) if tab == "branches" else None
    given = await visit.ask(seats.seats, scene) if tab == "seats" else ()
    runs = shown.view.running is not None
    progress = await visit.ask_engine(rounds.round_progress, scene) if runs else None
    return Playing(shown, calls, lore, tree, given, progress)
