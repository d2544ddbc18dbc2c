"""The writer of sections as an agent: it answers with edits."""

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.reply_reading import RawReply
from penwright.domain.manuscript import placeholders as known
from penwright.roles.manuscript.edit_reply import read_edits
from penwright.roles.tasks.sections import craft, edits, material
from penwright.roles.tasks.task_file import TaskFile
from schemas.manuscript_roles import Edited

_HERE = "penwright.roles.manuscript.writer"
TASK = TaskFile.load(
    _HERE,
    *(known.SECTION_TITLE, known.SECTION_SUMMARY, known.SECTION_WORD_COUNT, known.SECTION_PLAN),
    *(known.INSTRUCTIONS, known.FORMAT_GUIDANCE, known.CURRENT_MANUSCRIPT, known.MAX_HUNKS),
    *(known.FAILED_OPERATIONS, known.LORE),
)


def read_section(arrival: RawReply) -> Edited:
    """Raises ``ModelMistake``, as ``read_edits``."""
    return read_edits(arrival, may_be_none=False)


SECTION_WRITER = AgentDefinition(
    namespace="manuscript",
    key="section-writer",
    title="The writer of a manuscript's sections",
    sections=(craft(_HERE), edits(), material()),
    output=Edited,
    reads=read_section,
    repairs=1,
)
