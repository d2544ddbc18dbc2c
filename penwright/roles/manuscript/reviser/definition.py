"""The reviser as an agent: it answers with edits, or that nothing is left to do."""

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.reply_reading import RawReply
from penwright.domain.manuscript import placeholders as known
from penwright.roles.manuscript.edit_reply import read_edits
from penwright.roles.tasks.sections import craft, edits, material
from penwright.roles.tasks.task_file import TaskFile
from schemas.manuscript_roles import Edited

_HERE = "penwright.roles.manuscript.reviser"
TASK = TaskFile.load(
    _HERE,
    *(known.INSTRUCTIONS, known.FORMAT_GUIDANCE, known.CRITIQUE_SUMMARY, known.ACTION_ITEMS),
    *(known.CURRENT_MANUSCRIPT, known.MAX_HUNKS, known.FAILED_OPERATIONS, known.LORE),
)


def read_revision(arrival: RawReply) -> Edited:
    """Raises ``ModelMistake``, as ``read_edits``."""
    return read_edits(arrival, may_be_none=True)


REVISER = AgentDefinition(
    namespace="manuscript",
    key="reviser",
    title="The editor of a manuscript",
    sections=(craft(_HERE), edits(), material()),
    output=Edited,
    reads=read_revision,
    repairs=1,
)
