"""End of a round that was to be played again."""

from schemas.scene import Round


def falls_through(ended: Round) -> bool:
    """Whether a round that replaces another gives it back: it failed, or was cut short before anyone spoke.

    A round that ran to its end and in which no character acted does replace it.
    """
    spoken = any(each.outcome == "spoken" or each.message for each in ended.turns)
    return ended.status == "failed" or (ended.status != "completed" and not spoken)
