"""The plan of a director that waits until a person has approved it."""

from gateway.desk.services import CommandStore
from penwright.domain.scene.plan.holding import holds
from schemas.scene import PassRecord
from schemas.worlds import Scene


def held(store: CommandStore, scene: Scene) -> PassRecord | None:
    """The plan that waits for a person; None if none does."""
    number = store.scenes.running(scene.id)
    played = store.scenes.round(scene.id, number) if number is not None else None
    return played.passes[-1] if played and holds(scene.settings, played.passes) else None
