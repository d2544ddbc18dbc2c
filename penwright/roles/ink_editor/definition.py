"""The editor as an agent: how it works, and the files it works on."""

from penwright.agents.definition.agent import AgentDefinition, Section
from penwright.roles.prompt_file import PromptFile
from penwright.roles.workspace.section import SLICES, WORKSPACE

INK_EDITOR = AgentDefinition(
    namespace="ink",
    key="editor",
    title="The editor of a book's files",
    sections=(
        Section(
            key="craft",
            title="How you edit",
            body=PromptFile.load("penwright.roles.ink_editor", "system.md").text,
        ),
        WORKSPACE,
    ),
    slices=SLICES,
)
