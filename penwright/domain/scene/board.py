"""Items of a scene that wait for a person while no round of it runs."""

from schemas.board import Attention
from schemas.director import Steering
from schemas.scene import NumberedRound, Round
from schemas.worlds import Scene

_TOLD = {
    "failed": "failed",
    "completed-with-errors": "ended with errors",
    "running": "is open, and nothing plays it",
}


def went_wrong(last: Round) -> bool:
    """Whether a round failed or was lost."""
    return last.status in _TOLD


def scene_attention(scene: Scene, bad: NumberedRound | None) -> tuple[Attention, ...]:
    """An unfinished import, a round that went wrong, wishes for the next one; empty if all is well.

    Args:
        bad: the newest round, hidden or not; None if it did not go wrong.
    """
    return (*_importing(scene), *(() if bad is None else (_ended(scene.id, bad),)), *_waiting(scene))


def unfinished(scene: Scene) -> str:
    """Say how far the import of a chat into the scene is; empty if none is unfinished."""
    if scene.importing is None:
        return ""
    return f"{scene.rounds:,} of {scene.importing.rounds:,} rounds of an imported chat are stored"


def _importing(scene: Scene) -> tuple[Attention, ...]:
    if not (stands := unfinished(scene)):
        return ()
    return (
        Attention(
            reason=f"{stands}; the same import, given once more, goes on with it",
            command=f"penwright scene show {scene.id}",
            also=f"penwright scene remove {scene.id}",
        ),
    )


def _ended(scene: str, last: NumberedRound) -> Attention:
    reason = f"{last.name.words} {_TOLD[last.status]}" + (f" ({last.code})" if last.code else "")
    if last.status == "running":
        return Attention(reason=reason, command=f"penwright scene kill {scene}")
    look = f"penwright scene show {scene} {last.name.options}"
    return Attention(reason=reason, command=look, also=f"penwright scene regenerate {scene}")


def _waiting(scene: Scene) -> tuple[Attention, ...]:
    wishes = _wishes(scene.steering)
    if not wishes:
        return ()
    return (
        Attention(
            reason=f"planned for the next round: {', '.join(wishes)}",
            command=f"penwright scene continue {scene.id}",
        ),
    )


def _wishes(steering: Steering) -> list[str]:
    return [
        *(f"{who} acts" for who in steering.force),
        *(f"{who} does not act" for who in steering.veto),
    ]
