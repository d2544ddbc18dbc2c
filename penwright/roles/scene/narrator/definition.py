"""The narrator as an agent: prose about the place and the moment."""

from penwright.agents.definition.agent import AgentDefinition
from penwright.roles.scene.reply_text import read_spoken
from penwright.roles.scene.sections import craft, material
from schemas.scene_roles import Spoken

_HERE = "penwright.roles.scene.narrator"

NARRATOR = AgentDefinition(
    namespace="scene",
    key="narrator",
    title="The narrator of a scene",
    sections=(craft(_HERE, "persona"), material()),
    output=Spoken,
    reads=read_spoken,
    repairs=1,
)
