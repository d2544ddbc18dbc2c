"""The director as an agent: one pass of a round as a plan in JSON, and the reading of that plan."""

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.reply_reading import RawReply
from penwright.agents.tools.tool import Arguments
from penwright.roles.scene.director.plan_reply import PlanReply
from penwright.roles.scene.reply_json import whole_json
from penwright.roles.scene.reply_text import delivery
from penwright.roles.scene.sections import answer, craft, material
from schemas.scene_roles import PassPlanned


class _Asked(Arguments):
    """Base of the shapes that a director is asked for; every field is required, as strict vendors want it."""


class AskedActor(_Asked):
    name: str
    """Id or name, as it stands in the material."""
    guidance: str
    """What to aim at in this turn."""
    priority: float
    """A higher one acts earlier."""
    order: float | None
    """Position; comes before priority."""


class AskedEntry(_Asked):
    name: str
    entryGuidance: str


class AskedExit(_Asked):
    name: str
    exitGuidance: str


class AskedState(_Asked):
    name: str
    mood: str | None
    location: str | None
    activity: str | None
    clothing: str | None
    intentions: str | None


class AskedTracker(_Asked):
    name: str
    value: str


class AskedPlan(_Asked):
    """The plan as a model is asked for it."""

    actingCharacters: tuple[AskedActor, ...]
    activations: tuple[AskedEntry, ...]
    deactivations: tuple[AskedExit, ...]
    stateUpdates: tuple[AskedState, ...]
    trackers: tuple[AskedTracker, ...]
    openGuidance: str


_HERE = "penwright.roles.scene.director"


def read_plan(arrival: RawReply) -> PassPlanned:
    """Raises ``ModelMistake``, as ``whole_json``."""
    return PassPlanned(plan=whole_json(arrival, PlanReply).plan, **delivery(arrival))


DIRECTOR = AgentDefinition(
    namespace="scene",
    key="director",
    title="The director of a scene",
    sections=(craft(_HERE, "persona"), answer(_HERE), material()),
    output=PassPlanned,
    reads=read_plan,
    wanted=AskedPlan,
    repairs=1,
)
