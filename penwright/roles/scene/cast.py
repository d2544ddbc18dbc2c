"""The seven roles of a scene together: each with its agent and the model that settings map it to."""

from collections.abc import Mapping
from types import MappingProxyType

from penwright.agents.definition.agent import AgentDefinition
from penwright.roles.scene.character.definition import CHARACTER
from penwright.roles.scene.creator.definition import CREATOR
from penwright.roles.scene.director.definition import DIRECTOR
from penwright.roles.scene.narrator.definition import NARRATOR
from penwright.roles.scene.summariser.definition import SUMMARISER
from penwright.roles.scene.visual.definition import VISUAL
from penwright.roles.scene.world_agent.definition import WORLD_AGENT
from schemas.director_round import SceneRole

PLAYING: Mapping[SceneRole, AgentDefinition] = MappingProxyType(
    {
        "director": DIRECTOR,
        "character": CHARACTER,
        "narrator": NARRATOR,
        "summariser": SUMMARISER,
        "world-agent": WORLD_AGENT,
    }
)
"""Those that a round may ask."""
ROLES: Mapping[SceneRole, AgentDefinition] = MappingProxyType(
    {**PLAYING, "creator": CREATOR, "visual": VISUAL}
)
"""By role; settings map a model to it under the same name."""
