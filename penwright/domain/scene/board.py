"""What of a scene waits for a person while no round of it runs."""

from schemas.board import Attention
from schemas.director import Steering
from schemas.scene import Round
from schemas.worlds import Scene

_TOLD = {
    "failed": "failed",
    "completed-with-errors": "ended with errors",
    "running": "is open, and nothing plays it",
}


def scene_attention(scene: Scene, last: Round | None) -> tuple[Attention, ...]:
    """A last round that failed or was lost, and wishes that wait for the next round; empty if all is well.

    Args:
        last: the newest round, undone or not; None if none was played.
    """
    failed = () if last is None or last.status not in _TOLD else (_ended(scene.id, last),)
    return (*failed, *_waiting(scene))


def _ended(scene: str, last: Round) -> Attention:
    reason = f"round {last.number} {_TOLD[last.status]}" + (f" ({last.code})" if last.code else "")
    if last.status == "running":
        return Attention(reason=reason, command=f"penwright scene kill {scene}")
    look = f"penwright scene show {scene} --round {last.number}"
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
