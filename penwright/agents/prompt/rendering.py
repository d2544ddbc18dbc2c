"""What a model is told in a state: text, tools, and what gates them, each with its fingerprint."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypedDict

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.opened_sections import named_paths, opened_paths, told_paths
from penwright.agents.definition.skills import Skill
from penwright.agents.digests import text_digest
from penwright.agents.guardrails.guardrail import Policy
from penwright.agents.prompt import section_tree as standing
from penwright.agents.prompt.parameters import Parameters
from penwright.agents.prompt.section_text import Told, sections_text
from penwright.agents.prompt.section_tools import built_in_tools, wanted_built_ins
from penwright.agents.prompt.section_tree import Placed, Standing, reachable, stand
from penwright.agents.state import StateView
from penwright.agents.tools.offers import TextOverrides, manifest_digest, offer
from penwright.agents.tools.tool import Tool
from schemas.agent import ToolOffer

NO_OVERRIDES: TextOverrides = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Reach:
    """What a model can do in one state."""

    tools: Mapping[str, Tool]
    """By name, in the order of the sections, the library's own last."""
    policies: Mapping[str, tuple[Policy, ...]]
    """What gates each of them, outermost first; nothing gates the library's own."""
    paths: tuple[str, ...]
    """The sections in sight, summarised ones too."""
    skills: tuple[Skill, ...]


@dataclass(frozen=True, slots=True)
class Rendered(Reach):
    """All that a model is told in one state, and what it can do."""

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
    """The same for the same arguments, in every process.

    Raises:
        BrokenDefinition: when a condition of a section raises, or an override does not fit.
        UsageMistake: ``parameter-missing``, when nothing fills a section.
    """
    stands = stand(definition, parameters, state, opened=opened_paths(state))
    placed = _placed(definition, parameters, overrides, stands)
    text = sections_text(stands, overrides, Told(told_paths(state), named_paths(state)))
    offers = tuple(offer(each.tool, each.path, overrides) for each in placed)
    return Rendered(
        **_reach(stands, placed),
        text=text,
        digest=text_digest(text),
        offers=offers,
        tools_digest=manifest_digest(offers),
    )


def within_reach(
    definition: AgentDefinition,
    parameters: Parameters,
    state: StateView,
    overrides: TextOverrides = NO_OVERRIDES,
) -> Reach:
    """What ``render`` says of tools and sections, for a quarter of its price.

    Raises:
        As ``render``.
    """
    stands = stand(definition, parameters, state, opened=opened_paths(state))
    return Reach(**_reach(stands, _placed(definition, parameters, overrides, stands)))


class _ReachFields(TypedDict):
    tools: Mapping[str, Tool]
    policies: Mapping[str, tuple[Policy, ...]]
    paths: tuple[str, ...]
    skills: tuple[Skill, ...]


def _reach(stands: Sequence[Standing], placed: Sequence[Placed]) -> _ReachFields:
    return {
        "tools": MappingProxyType({each.tool.name: each.tool for each in placed}),
        "policies": MappingProxyType({each.tool.name: each.policies for each in placed}),
        "paths": tuple(each.path for each in reachable(stands)),
        "skills": tuple(skill for _, skill in standing.skills(stands)),
    }


def _placed(
    definition: AgentDefinition,
    parameters: Parameters,
    overrides: TextOverrides,
    stands: Sequence[Standing],
) -> tuple[Placed, ...]:
    declared = standing.tools(stands, definition.policies)
    if not (wanted := wanted_built_ins(stands)):
        return tuple(declared)
    own = built_in_tools(definition, parameters, overrides)
    return (*declared, *(Placed(tool, "", ()) for tool in own if tool.name in wanted))
