"""The critic as an agent: a score that is a number from 0 to 1, or an error, never a default."""

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.reply_reading import RawReply
from penwright.domain.manuscript import placeholders as known
from penwright.roles.tasks.reply_fields import JsonReply, Score, Text, Texts
from penwright.roles.tasks.reply_text import json_reply
from penwright.roles.tasks.sections import craft, material
from penwright.roles.tasks.task_file import TaskFile
from schemas.manuscript_roles import Critiqued

_HERE = "penwright.roles.manuscript.critic"
TASK = TaskFile.load(_HERE, known.INSTRUCTIONS, known.FORMAT_GUIDANCE, known.CURRENT_MANUSCRIPT)


class CritiqueReply(JsonReply):
    also_called = {"criticsummary": "critique_summary", "critiquescore": "score", "criticscore": "score"}

    critique_summary: Text
    score: Score
    action_items: Texts


def read_critique(arrival: RawReply) -> Critiqued:
    """Raises ``ModelMistake``, as ``json_reply``."""
    said = json_reply(arrival, CritiqueReply)
    return Critiqued(**said.model_dump(), model=arrival.model, demo=arrival.demo)


CRITIC = AgentDefinition(
    namespace="manuscript",
    key="critic",
    title="The critic of a manuscript",
    sections=(craft(_HERE), material()),
    output=Critiqued,
    reads=read_critique,
    wanted=CritiqueReply,
    repairs=1,
)
