"""The director as an agent: one pass of a round as a plan in JSON."""

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.reply_reading import RawReply
from penwright.roles.scene.director.asked_plan import AskedPlan
from penwright.roles.scene.director.plan_reply import PlanReply
from penwright.roles.scene.reply_json import whole_json
from penwright.roles.scene.reply_text import delivery
from penwright.roles.scene.sections import answer, craft, material
from schemas.scene_roles import PassPlanned

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
