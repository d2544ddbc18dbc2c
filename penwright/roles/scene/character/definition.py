"""An actor as an agent: prose, and optionally what changed about its character."""

from penwright.agents.definition.agent import AgentDefinition
from penwright.roles.scene.sections import craft, material, state_report
from penwright.roles.scene.spoken import TurnDone, read_spoken
from schemas.scene_roles import Spoken

_HERE = "penwright.roles.scene.character"

CHARACTER = AgentDefinition(
    namespace="scene",
    key="character",
    title="An actor of one character",
    sections=(craft(_HERE, "name", "persona"), state_report(), material()),
    output=Spoken,
    reads=read_spoken,
    completion=TurnDone(),
    repairs=1,
)
