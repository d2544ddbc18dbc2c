"""A turn as the store gets it: what its words change, and the state after it."""

from penwright.domain.scene import presence, states
from penwright.domain.scene.inferring import inferred
from schemas.director import StateChange
from schemas.director_round import KeepSpoken
from schemas.scene import KeepTurn, SceneState


def changes_by(request: KeepSpoken, text: str) -> tuple[StateChange, ...]:
    """Changes of the speaker by the words of a turn, from the request and the words alone."""
    if request.own is None or request.record.outcome != "spoken":
        return ()
    own = request.own
    before = SceneState(characters=(own,))
    by_rules = inferred(text, own, request.name)
    return states.reported_or_inferred(before, own.id, request.reported, by_rules)


def stored_turn(request: KeepSpoken, changes: tuple[StateChange, ...], now: SceneState) -> KeepTurn:
    """The request to the store.

    Args:
        now: the stored state, as the turns before left it.
    """
    after = presence.entered(now, request.entering)
    if request.own is not None:
        after = presence.acted(states.fold(after, changes), request.own.id)
    after = presence.left(after, request.leaving)
    fields = {name: getattr(request, name) for name in KeepTurn.model_fields}
    return KeepTurn(**fields | {"changes": changes, "state": after})
