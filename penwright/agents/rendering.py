"""What a model is told in a state: text, tools, and what gates them, each with its fingerprint."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from penwright.agents import standing
from penwright.agents.definition import AgentDefinition
from penwright.agents.digests import text_digest
from penwright.agents.guardrail import Policy
from penwright.agents.offers import TextOverrides, manifest_digest, offer
from penwright.agents.opened import named_paths, opened_paths, told_paths
from penwright.agents.parameters import Parameters
from penwright.agents.section_text import Told, sections_text
from penwright.agents.skills import Skill
from penwright.agents.standing import Placed
from penwright.agents.state import StateView
from penwright.agents.tool import Tool
from penwright.agents.visibility import built_in_tools, wanted_built_ins
from schemas.agent import ToolOffer

NO_OVERRIDES: TextOverrides = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Rendered:
    """A definition as it stands in one state."""

    text: str
    """The system message. Opening a section by a call leaves it as it was."""
    digest: str
    """Of ``text``."""
    offers: tuple[ToolOffer, ...]
    """The tools within reach, in the order of the sections, the library's own last."""
    tools_digest: str
    """Of ``offers``."""
    tools: Mapping[str, Tool]
    """Those same tools, by name."""
    policies: Mapping[str, tuple[Policy, ...]]
    """What gates each of them, outermost first; nothing gates the library's own."""
    paths: tuple[str, ...]
    """The sections in sight, summarised ones too."""
    skills: tuple[Skill, ...]


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
    stands = standing.stand(definition, parameters, state, opened=opened_paths(state))
    text = sections_text(stands, overrides, Told(told_paths(state), named_paths(state)))
    placed = (
        *standing.tools(stands, definition.policies),
        *_built_in(definition, parameters, overrides, stands),
    )
    offers = tuple(offer(each.tool, each.path, overrides) for each in placed)
    return Rendered(
        text=text,
        digest=text_digest(text),
        offers=offers,
        tools_digest=manifest_digest(offers),
        tools=MappingProxyType({each.tool.name: each.tool for each in placed}),
        policies=MappingProxyType({each.tool.name: each.policies for each in placed}),
        paths=tuple(each.path for each in standing.reachable(stands)),
        skills=tuple(skill for _, skill in standing.skills(stands)),
    )


def _built_in(
    definition: AgentDefinition,
    parameters: Parameters,
    overrides: TextOverrides,
    stands: tuple[standing.Standing, ...],
) -> tuple[Placed, ...]:
    wanted = wanted_built_ins(stands)
    own = built_in_tools(definition, parameters, overrides)
    return tuple(Placed(tool, "", ()) for tool in own if tool.name in wanted)
