"""The planner as an agent: it reads the book's material once, and answers with one outline."""

from penwright.agents.definition.agent import AgentDefinition, Section
from penwright.roles.ink_planner.answer import PlannerOutput, PlanningTask, read_outline
from penwright.roles.prompt_file import PromptFile

PLANNER = AgentDefinition(
    namespace="ink",
    key="planner",
    title="The planner of a book and its chapters",
    sections=(
        Section(
            key="craft",
            title="How you plan",
            body=PromptFile.load("penwright.roles.ink_planner", "system.md", "language", "chapters").text,
            params=PlanningTask,
        ),
    ),
    output=PlannerOutput,
    reads=read_outline,
    repairs=1,
)
EXAMPLE = (PlanningTask(language="English", chapter=2, chapters=12),)
"""Parameters to look at it with."""
