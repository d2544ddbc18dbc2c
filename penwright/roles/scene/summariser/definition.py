"""The summariser as an agent: one text in place of the summary so far."""

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.reply_reading import RawReply
from penwright.domain.text.words import count_words
from penwright.errors import ModelMistake
from penwright.roles.reply import kept
from penwright.roles.scene.reply_text import CUT, delivery, prose_of
from penwright.roles.scene.sections import craft, material
from schemas.scene_roles import Summarised

_HERE = "penwright.roles.scene.summariser"


def read_summary(arrival: RawReply) -> Summarised:
    """Raises ``ModelMistake``, as ``prose_of``; ``cut-off``, since half a summary would lose the rest."""
    if arrival.cut_off:
        raise ModelMistake("cut-off", f"It cannot be used: {CUT}. Answer again, and shorter.")
    text = prose_of(arrival).text
    return Summarised(text=kept(arrival, text), words=count_words(text), **delivery(arrival))


SUMMARISER = AgentDefinition(
    namespace="scene",
    key="summariser",
    title="The keeper of a scene's summary",
    sections=(craft(_HERE), material()),
    output=Summarised,
    reads=read_summary,
    repairs=1,
)
