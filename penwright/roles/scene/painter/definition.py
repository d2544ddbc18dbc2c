"""The painter as an agent: a model for images answers it with a picture, which is stored."""

from pydantic import ValidationError

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.reply_reading import RawReply
from penwright.errors import ModelMistake
from penwright.roles.scene.reply_text import delivery
from penwright.roles.scene.sections import craft
from schemas.scene_roles import Painted, PicturePainted


def read_painting(arrival: RawReply) -> PicturePainted:
    """Raises ``ModelMistake`` (``no-picture``): a model for texts has answered."""
    try:
        painted = Painted.model_validate_json(arrival.text)
    except ValidationError:
        raise ModelMistake(
            "no-picture", "The reply held no picture. Only a model for images can answer this."
        ) from None
    return PicturePainted(picture=painted, **delivery(arrival))


PAINTER = AgentDefinition(
    namespace="scene",
    key="painter",
    title="The painter of pictures",
    sections=(craft("penwright.roles.scene.painter"),),
    output=PicturePainted,
    reads=read_painting,
    repairs=0,
)
