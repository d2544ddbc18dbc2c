"""Render what a model reads in a state: text and tools, each with a digest, and the policies of the tools."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.opened_sections import named_paths, opened_paths, told_paths
from penwright.agents.definition.skills import Skill
from penwright.agents.digests import text_digest
from penwright.agents.guardrails.guardrail import Policy
from penwright.agents.prompt.parameters import Parameters
from penwright.agents.prompt.section_text import ReadSections, sections_text
from penwright.agents.prompt.section_tools import built_in_tools, wanted_built_ins
from penwright.agents.prompt.section_tree import (
    EnabledSection,
    ReachableTool,
    enabled_sections,
    reachable,
    reachable_skills,
    reachable_tools,
)
from penwright.agents.state import StateView
from penwright.agents.tools.offers import TextOverrides, manifest_digest, offer
from penwright.agents.tools.tool import Tool
from schemas.agent import ToolOffer

NO_OVERRIDES: TextOverrides = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Rendered:
    """Prompt and tools of a model in one state."""

    tools: Mapping[str, Tool]
    """By name, in the order of the sections, the built-in ones last."""
    policies: Mapping[str, tuple[Policy, ...]]
    """The policies of each tool, outermost first; built-in tools have none."""
    paths: tuple[str, ...]
    """The reachable sections, summarised ones too."""
    skills: tuple[Skill, ...]
    text: str
    """The system message. Opening a section by a call leaves it as it was."""
    digest: str
    """Of ``text``."""
    offers: tuple[ToolOffer, ...]
    """Of ``tools``, in their order."""
    tools_digest: str
    """Of ``offers``."""


def render(
    definition: AgentDefinition,
    parameters: Parameters,
    state: StateView,
    overrides: TextOverrides = NO_OVERRIDES,
) -> Rendered:
    """Render the prompt: equal arguments give equal results, in every process.

    Raises:
        BrokenDefinition: when a condition of a section raises, or an override does not fit.
        UsageMistake: ``parameter-missing``, when nothing fills a section.
    """
    nodes = enabled_sections(definition, parameters, state, opened=opened_paths(state))
    placed = _placed(definition, parameters, overrides, nodes)
    text = sections_text(nodes, overrides, ReadSections(told_paths(state), named_paths(state)))
    offers = tuple(offer(each.tool, each.path, overrides) for each in placed)
    return Rendered(
        tools=MappingProxyType({each.tool.name: each.tool for each in placed}),
        policies=MappingProxyType({each.tool.name: each.policies for each in placed}),
        paths=tuple(each.path for each in reachable(nodes)),
        skills=tuple(skill for _, skill in reachable_skills(nodes)),
        text=text,
        digest=text_digest(text),
        offers=offers,
        tools_digest=manifest_digest(offers),
    )


def _placed(
    definition: AgentDefinition,
    parameters: Parameters,
    overrides: TextOverrides,
    nodes: Sequence[EnabledSection],
) -> tuple[ReachableTool, ...]:
    everywhere = tuple(policy for policy in definition.every_policy if policy.everywhere)
    declared = reachable_tools(nodes, (*definition.policies, *everywhere))
    if not (wanted := wanted_built_ins(nodes)):
        return tuple(declared)
    own = built_in_tools(definition, parameters, overrides)
    return (*declared, *(ReachableTool(tool, "", ()) for tool in own if tool.name in wanted))
