"""The narrator as an agent: prose about the place and the moment."""

from penwright.agents.definition.agent import AgentDefinition
from penwright.roles.scene.sections import craft, material
from penwright.roles.scene.spoken import TurnDone, read_spoken
from schemas.scene_roles import Spoken

_HERE = "penwright.roles.scene.narrator"

NARRATOR = AgentDefinition(
    namespace="scene",
    key="narrator",
    title="The narrator of a scene",
    sections=(craft(_HERE, "persona"), material()),
    output=Spoken,
    reads=read_spoken,
    completion=TurnDone(),
    repairs=1,
)
