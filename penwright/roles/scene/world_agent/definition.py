"""The world agent as an agent: facts and trackers that a round has changed."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self

from pydantic import BeforeValidator, Field, model_validator

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.reply_reading import RawReply
from penwright.agents.tools.tool import Arguments
from penwright.roles.scene.reply_json import SceneReply, unwrapped, whole_json
from penwright.roles.scene.reply_text import delivery
from penwright.roles.scene.reply_values import LONGEST_NAME, LONGEST_VALUE, short_value
from penwright.roles.scene.sections import craft, material
from schemas.director import WorldUpdate
from schemas.scene_roles import WorldTold

_HERE = "penwright.roles.scene.world_agent"
_MOST = 100


# Any: the model may have written anything.
def _by_name(value: Any) -> Any:
    """Values by name; a list of names and values is the same, and empty values change nothing."""
    if value is None:
        return {}
    if isinstance(value, list | tuple):
        value = {each.get("name"): each.get("value") for each in value if isinstance(each, Mapping)}
    if not isinstance(value, Mapping):
        raise ValueError("write an object of names and values")
    lines = {
        " ".join(str(name).split())[:LONGEST_NAME]: str(short_value(each)) for name, each in value.items()
    }
    if any(len(line) > LONGEST_VALUE for line in lines.values()):
        raise ValueError(f"write at most {LONGEST_VALUE} characters for each value")
    return {name: line for name, line in lines.items() if name and line}


Values = Annotated[dict[str, str], Field(max_length=_MOST), BeforeValidator(_by_name)]


class WorldReply(SceneReply):
    also_called: ClassVar[Mapping[str, str]] = {"worldstate": "facts", "world": "facts"}

    facts: Values = {}
    trackers: Values = {}
    unchanged: bool = False

    @model_validator(mode="before")
    @classmethod
    def _outside_wrappers(cls, given: Any) -> Any:
        return unwrapped(given, {*cls.model_fields, *cls.also_called})

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("say what changed under `facts` and `trackers`, or `unchanged`: true")
        return self


class AskedUpdate(Arguments):
    """The update as a model is asked for it."""

    facts: dict[str, str]
    trackers: dict[str, str]
    unchanged: bool


def read_update(arrival: RawReply) -> WorldTold:
    """Raises ``ModelMistake``, as ``whole_json``."""
    said = whole_json(arrival, WorldReply)
    facts, trackers = ({}, {}) if said.unchanged else (said.facts, said.trackers)
    update = WorldUpdate(facts=facts, trackers=trackers, unchanged=not facts and not trackers)
    return WorldTold(update=update, **delivery(arrival))


WORLD_AGENT = AgentDefinition(
    namespace="scene",
    key="world-agent",
    title="The keeper of a scene's world",
    sections=(craft(_HERE), material()),
    output=WorldTold,
    reads=read_update,
    wanted=AskedUpdate,
    repairs=1,
)
