"""The visual role as an agent: a prompt for a model of images."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, model_validator

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.reply_reading import RawReply
from penwright.agents.tools.tool import Arguments
from penwright.roles.reply import plain_text
from penwright.roles.scene.reply_json import SceneReply, unwrapped, whole_json
from penwright.roles.scene.reply_text import delivery
from penwright.roles.scene.sections import craft, material
from schemas.scene_roles import PictureDescribed

_HERE = "penwright.roles.scene.visual"


# Any, here and below: the model may have written anything.
def _line(value: Any) -> Any:
    if isinstance(value, list | tuple):
        value = ", ".join(str(plain_text(each)) for each in value)
    return "" if value is None else " ".join(plain_text(value).split())


class PictureReply(SceneReply):
    also_called: ClassVar[Mapping[str, str]] = {
        "imageprompt": "prompt",
        "positiveprompt": "prompt",
        "negative": "avoid",
        "negativeprompt": "avoid",
        "title": "caption",
    }

    prompt: Annotated[str, Field(min_length=1, max_length=4_000), BeforeValidator(_line)]
    avoid: Annotated[str, Field(max_length=2_000), BeforeValidator(_line)] = ""
    caption: Annotated[str, Field(max_length=400), BeforeValidator(_line)] = ""

    @model_validator(mode="before")
    @classmethod
    def _outside_wrappers(cls, given: Any) -> Any:
        return unwrapped(given, {*cls.model_fields, *cls.also_called})


class AskedPicture(Arguments):
    """The picture as a model is asked for it."""

    prompt: str
    avoid: str
    caption: str


def read_picture(arrival: RawReply) -> PictureDescribed:
    """Raises ``ModelMistake``, as ``whole_json``."""
    said = whole_json(arrival, PictureReply)
    return PictureDescribed(**said.model_dump(), **delivery(arrival))


VISUAL = AgentDefinition(
    namespace="scene",
    key="visual",
    title="The describer of pictures",
    sections=(craft(_HERE), material()),
    output=PictureDescribed,
    reads=read_picture,
    wanted=AskedPicture,
    repairs=1,
)
