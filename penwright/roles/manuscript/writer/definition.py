"""The writer of sections as an agent: it answers with edits."""

from pydantic import BaseModel

from penwright.agents.definition.agent import AgentDefinition, Section
from penwright.agents.definition.reply_reading import RawReply
from penwright.agents.definition.section import Condition
from penwright.agents.state import StateView
from penwright.domain.manuscript import placeholders as known
from penwright.roles.manuscript.edit_reply import read_edits
from penwright.roles.prompt_file import PromptFile
from penwright.roles.tasks.sections import craft, edits, material
from penwright.roles.tasks.task_file import TaskFile
from penwright.roles.tasks.task_params import TaskParams
from schemas.manuscript_roles import Edited

_HERE = "penwright.roles.manuscript.writer"
TASK = TaskFile.load(
    _HERE,
    *(known.SECTION_TITLE, known.SECTION_SUMMARY, known.SECTION_WORD_COUNT, known.SECTION_PLAN),
    *(known.INSTRUCTIONS, known.FORMAT_GUIDANCE, known.CURRENT_MANUSCRIPT, known.MAX_HUNKS),
    *(known.FAILED_OPERATIONS, known.LORE, known.EVIDENCE),
)


def read_section(arrival: RawReply) -> Edited:
    """Raises ``ModelMistake``, as ``read_edits``."""
    return read_edits(arrival, may_be_none=False)


def _cites(params: BaseModel | None, state: StateView) -> bool:
    return isinstance(params, TaskParams) and params.cites


def _cites_nothing(params: BaseModel | None, state: StateView) -> bool:
    return not _cites(params, state)


def _craft(key: str, rule: str, enabled: Condition) -> Section:
    """The writer's way of working, with one of two rules on citations."""
    section = craft(_HERE, citing=PromptFile.load(_HERE, rule).text.rstrip())
    return section.model_copy(update={"key": key, "enabled": enabled})


SECTION_WRITER = AgentDefinition(
    namespace="manuscript",
    key="section-writer",
    title="The writer of a manuscript's sections",
    sections=(
        _craft("craft", "uncited.md", _cites_nothing),
        _craft("craft-with-sources", "cites.md", _cites),
        edits(),
        material(),
    ),
    output=Edited,
    reads=read_section,
    repairs=1,
)
