"""The enabled sections of a definition in a given state, as a tree, and which of them are open."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from pydantic import BaseModel

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.outline import PlacedSection
from penwright.agents.definition.section import Section, Visibility
from penwright.agents.definition.skills import Skill
from penwright.agents.guardrails.guardrail import Policy
from penwright.agents.prompt.parameters import Parameters
from penwright.agents.state import StateView
from penwright.agents.tools.tool import Tool
from penwright.errors import BrokenDefinition

Item = TypeVar("Item", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class EnabledSection:
    """An enabled section whose ancestors are all enabled."""

    place: PlacedSection
    params: BaseModel | None
    summarised: bool
    """Whether its definition asks for the summary in this state."""
    opened: bool
    """Whether the model has opened it."""
    children: "tuple[EnabledSection, ...]"
    """The enabled ones."""

    @property
    def section(self) -> Section:
        return self.place.section

    @property
    def path(self) -> str:
        return self.place.path

    @property
    def closed(self) -> bool:
        """Whether its children, tools and skills are hidden."""
        return self.summarised and not self.opened


@dataclass(frozen=True, slots=True)
class ReachableTool:
    """A tool that the model can call, and the policies that gate it."""

    tool: Tool
    path: str
    """Of its section."""
    policies: tuple[Policy, ...]
    """The definition's, then those of the sections from the root down to its own."""


def enabled_sections(
    definition: AgentDefinition, parameters: Parameters, state: StateView, *, opened: frozenset[str]
) -> tuple[EnabledSection, ...]:
    """The enabled sections, as a tree.

    Raises:
        BrokenDefinition: when a condition or selector raises, or returns a value that is not allowed.
        UsageMistake: ``parameter-missing``, when nothing fills a section.
    """
    return _enabled_sections(definition.outline, parameters, state, opened)


def known_paths(definition: AgentDefinition, parameters: Parameters, state: StateView) -> frozenset[str]:
    """Paths of the sections that are enabled now or were when the run began: the model may know of these."""
    views: tuple[StateView, ...] = (state, _AtStart(state, definition.flags))
    trees = (enabled_sections(definition, parameters, view, opened=frozenset()) for view in views)
    return frozenset(each.path for nodes in trees for each in with_descendants(nodes))


@dataclass(frozen=True, slots=True)
class _AtStart:
    """The state with which the run began: its flags alone. Implements ``StateView``."""

    state: StateView
    flags: type[BaseModel] | None

    def all(self, kind: type[Item]) -> tuple[Item, ...]:
        return self.state.all(kind) if kind is self.flags else ()

    def latest(self, kind: type[Item]) -> Item | None:
        return self.state.latest(kind) if kind is self.flags else None

    def newest(self, kind: type[Item], most: int) -> tuple[Item, ...]:
        return self.state.newest(kind, most) if kind is self.flags else ()


def reachable(nodes: Sequence[EnabledSection]) -> Iterator[EnabledSection]:
    """Every section that is not inside a closed one, parents first."""
    for node in nodes:
        yield node
        if not node.closed:
            yield from reachable(node.children)


def with_descendants(nodes: Sequence[EnabledSection]) -> Iterator[EnabledSection]:
    """Every enabled section, also inside closed ones, parents first."""
    for node in nodes:
        yield node
        yield from with_descendants(node.children)


def has_tools(node: EnabledSection) -> bool:
    """Whether the section, or an enabled one below it, has tools or skills."""
    return any(each.section.tools or each.section.skills for each in with_descendants((node,)))


def reachable_tools(nodes: Sequence[EnabledSection], policies: tuple[Policy, ...]) -> Iterator[ReachableTool]:
    """The tools of open sections; ``policies`` gate all of them."""
    for node in nodes:
        if node.closed:
            continue
        gates = (*policies, *node.section.policies)
        each_once = tuple({policy.name: policy for policy in gates}.values())
        yield from (ReachableTool(tool, node.path, each_once) for tool in node.section.tools)
        yield from reachable_tools(node.children, gates)


def reachable_skills(nodes: Sequence[EnabledSection]) -> Iterator[tuple[str, Skill]]:
    """The skills of open sections, each with the path of its section."""
    for node in reachable(nodes):
        if not node.closed:
            yield from ((node.path, skill) for skill in node.section.skills)


def _enabled_sections(
    places: Sequence[PlacedSection], parameters: Parameters, state: StateView, opened: frozenset[str]
) -> tuple[EnabledSection, ...]:
    found = []
    for place in places:
        params = parameters.of(place)
        if _enabled(place, params, state):
            summarised = _visibility(place, params, state) == "summary"
            children = _enabled_sections(place.children, parameters, state, opened)
            found.append(EnabledSection(place, params, summarised, place.path in opened, children))
    return tuple(found)


def _enabled(place: PlacedSection, params: BaseModel | None, state: StateView) -> bool:
    if place.section.enabled is None:
        return True
    try:
        answer = place.section.enabled(params, state)
    except Exception as fault:  # any error of the author's function
        raise _broken(place, "enabled", f"raised {type(fault).__name__}: {fault}") from fault
    if not isinstance(answer, bool):
        raise _broken(place, "enabled", f"returned {answer!r} instead of a bool")
    return answer


def _visibility(place: PlacedSection, params: BaseModel | None, state: StateView) -> Visibility:
    chosen = place.section.visibility
    if not callable(chosen):
        return chosen
    try:
        answer = chosen(params, state)
    except Exception as fault:  # as above
        raise _broken(place, "visibility", f"raised {type(fault).__name__}: {fault}") from fault
    if answer not in ("full", "summary"):
        raise _broken(place, "visibility", f"returned {answer!r} instead of 'full' or 'summary'")
    return answer


def _broken(place: PlacedSection, token: str, what: str) -> BrokenDefinition:
    return BrokenDefinition(
        "bad-condition",
        f"section {place.path!r}: its {token!r} {what}; fix that function",
        path=place.path,
        token=token,
    )
