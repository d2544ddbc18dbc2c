"""The editor of sessions as an agent: it reads a draft once, and answers with edits."""

from penwright.agents.definition.agent import AgentDefinition, Section
from penwright.domain.prose.editing import MOST_EDITS
from penwright.roles.ink_session_editor.answer import EditingTask, EditorOutput, read_edits
from penwright.roles.prompt_file import PromptFile
from schemas.base import BlobRef

SESSION_EDITOR = AgentDefinition(
    namespace="ink",
    key="editor-of-sessions",
    title="The editor of a book session's draft",
    sections=(
        Section(
            key="craft",
            title="How you edit",
            body=PromptFile.load("penwright.roles.ink_session_editor", "system.md", "language", "edits").text,
            params=EditingTask,
        ),
    ),
    output=EditorOutput,
    reads=read_edits,
    repairs=0,
)
_NO_TEXT = BlobRef(sha256="0" * 64, size=0)
EXAMPLE = (
    EditingTask(language="English", edits=MOST_EDITS, payload=_NO_TEXT, index=_NO_TEXT, written=_NO_TEXT),
)
"""Parameters to look at it with."""
