"""The eight roles together: each with its agent, its task and what it delivers."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from penwright.agents.definition.agent import AgentDefinition
from penwright.roles.citations.citation_generator import definition as citation_generator
from penwright.roles.citations.citation_orchestrator import definition as citation_orchestrator
from penwright.roles.manuscript.critic import definition as critic
from penwright.roles.manuscript.formatter import definition as formatter
from penwright.roles.manuscript.manager import definition as manager
from penwright.roles.manuscript.planner import definition as planner
from penwright.roles.manuscript.reviser import definition as reviser
from penwright.roles.manuscript.writer import definition as writer
from penwright.roles.tasks.task_file import TaskFile
from schemas.manuscript_roles import ManuscriptRole


@dataclass(frozen=True, slots=True)
class Role:
    """One of the eight."""

    name: ManuscriptRole
    definition: AgentDefinition
    task: TaskFile
    answer_tokens: int
    """The most it may answer, besides words that a task wants."""

    @property
    def for_citations(self) -> bool:
        """Whether it works in scans for sentences that need a source, not in runs that write."""
        return self.name.startswith("citation-")

    @property
    def model_role(self) -> str:
        """Settings map it to a model; ``manuscript`` is the group of all of them."""
        return f"manuscript-{self.name}"


ROLES: Mapping[ManuscriptRole, Role] = MappingProxyType(
    {
        each.name: each
        for each in (
            Role("manager", manager.MANAGER, manager.TASK, 1_500),
            Role("formatter", formatter.FORMATTER, formatter.TASK, 3_000),
            Role("planner", planner.PLANNER, planner.TASK, 6_000),
            Role("writer", writer.SECTION_WRITER, writer.TASK, 4_000),
            Role("critic", critic.CRITIC, critic.TASK, 4_000),
            Role("reviser", reviser.REVISER, reviser.TASK, 12_000),
            Role(
                "citation-orchestrator",
                citation_orchestrator.CITATION_ORCHESTRATOR,
                citation_orchestrator.TASK,
                4_000,
            ),
            Role("citation-generator", citation_generator.CITATION_GENERATOR, citation_generator.TASK, 2_000),
        )
    }
)
