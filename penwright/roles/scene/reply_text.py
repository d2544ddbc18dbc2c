"""Read a role's reply in prose: all of it stands, except a last block that reports the actor's own state."""

import re
from typing import Any, NamedTuple

from penwright.agents.definition.reply_reading import RawReply
from penwright.errors import ModelMistake
from penwright.roles.reply import UNFIT, kept
from penwright.roles.scene.speech.wrapped import speech_in
from penwright.roles.scene.state_block import parted
from schemas.director import StatePatch
from schemas.scene_roles import StateBlock

LONGEST = 200_000
"""Characters of one reply."""
CUT = "the reply reached its token limit and may end in the middle"


class Prose(NamedTuple):
    """A reply without what is not prose."""

    text: str
    reported: StatePatch
    state_block: StateBlock
    note: str


def prose_of(arrival: RawReply) -> Prose:
    """The prose of a reply, whole: brackets, rules, braces and fences in it stay; JSON around it does not.

    A reply that stopped at the token limit counts; its note says so. Signs that no text has are left out.

    Raises:
        ModelMistake: ``empty-reply``, ``oversize-reply``, or ``invalid-output`` for JSON.
    """
    found = parted(UNFIT.sub("", arrival.text.replace("\r\n", "\n")))
    speech = speech_in(found.prose)
    if speech.reported is not None and found.block != "read":
        found = found._replace(reported=speech.reported, block="read", problem="")
    found = found._replace(prose=UNFIT.sub("", speech.text))
    if not re.search(r"\w", found.prose):
        raise ModelMistake("empty-reply", "The reply held no words. Answer with prose.")
    if len(found.prose) > LONGEST:
        raise ModelMistake(
            "oversize-reply",
            f"The reply had {len(found.prose)} characters, and {LONGEST} are taken. Answer again, shorter.",
        )
    notes = [each for each in (found.problem, speech.note, CUT if arrival.cut_off else "") if each]
    return Prose(found.prose, found.reported, found.block, "; ".join(notes))


# Any: fields of different types.
def delivery(arrival: RawReply) -> dict[str, Any]:
    """The fields that every delivery has; the reply as it came is stored."""
    return {"model": arrival.model, "demo": arrival.demo, "raw": kept(arrival, arrival.text)}
