"""The moment that a call of a role is about: now, or just before a message that is there already."""

from dataclasses import dataclass
from datetime import datetime

from penwright.domain.scene import presence
from penwright.domain.scene.rewinding import state_before
from penwright.ports.scenes import Scenes
from schemas.director_round import BriefRole
from schemas.scene import SceneState


@dataclass(frozen=True, slots=True)
class Moment:
    """Bounds of all that a prompt is made of, besides the number of its last message."""

    round: int
    state: SceneState
    at: datetime | None = None
    """When the round began, if what came later is not to be known; None: the moment is now."""


@dataclass(frozen=True, slots=True)
class Moments:
    """Reads moments."""

    scenes: Scenes

    def of(self, request: BriefRole) -> Moment:
        """The moment of a call: one bound for history, memories, summary and states."""
        # A summariser goes on from the summary that there is now, whatever messages it is shown.
        before = None if request.for_ == "summariser" else request.before
        earlier = self._before(request, before) if before is not None else None
        return earlier or Moment(request.round, self._now(request))

    def _before(self, request: BriefRole, number: int) -> Moment | None:
        message = self.scenes.message(f"{request.scene}/{number}")
        played = self.scenes.round(request.scene, message.round) if message is not None else None
        if message is None or played is None:
            return None
        acting = (request.who,) if request.who else ()
        state = presence.entered(state_before(played, message.id), acting)
        return Moment(played.number, state, played.started_at)

    def _now(self, request: BriefRole) -> SceneState:
        """The request's state, or the stored one with who comes in for it."""
        if request.state != SceneState():
            return request.state
        state, turn = self.scenes.state(request.scene), request.turn
        return presence.entered(state, (turn.character,)) if turn and turn.entered else state
