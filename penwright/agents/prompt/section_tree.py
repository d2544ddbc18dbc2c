"""How a definition's sections stand in a state: which are there at all, and which of them are open."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.outline import Place
from penwright.agents.definition.section import Section, Visibility
from penwright.agents.definition.skills import Skill
from penwright.agents.guardrails.guardrail import Policy
from penwright.agents.prompt.parameters import Parameters
from penwright.agents.state import StateView
from penwright.agents.tools.tool import Tool
from penwright.errors import BrokenDefinition


@dataclass(frozen=True, slots=True)
class Standing:
    """An enabled section whose ancestors are all enabled."""

    place: Place
    params: BaseModel | None
    summarised: bool
    """What its definition says of it now."""
    opened: bool
    """Whether the model has opened it."""
    children: "tuple[Standing, ...]"
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
class Placed:
    """A tool within reach, and what gates it."""

    tool: Tool
    path: str
    """Of its section."""
    policies: tuple[Policy, ...]
    """The definition's, then those of the sections from the root down to its own."""


def stand(
    definition: AgentDefinition, parameters: Parameters, state: StateView, *, opened: frozenset[str]
) -> tuple[Standing, ...]:
    """The enabled sections, as a tree.

    Raises:
        BrokenDefinition: when a condition or selector raises, or answers something else than it may.
        UsageMistake: ``parameter-missing``, when nothing fills a section.
    """
    return _standing(definition.outline, parameters, state, opened)


def reachable(standings: Sequence[Standing]) -> Iterator[Standing]:
    """Every section in sight, parents first: what is inside a closed one is not."""
    for standing in standings:
        yield standing
        if not standing.closed:
            yield from reachable(standing.children)


def enabled(standings: Sequence[Standing]) -> Iterator[Standing]:
    """Every section there is, also inside closed ones, parents first."""
    for standing in standings:
        yield standing
        yield from enabled(standing.children)


def capable(standing: Standing) -> bool:
    """Whether a section or anything enabled below it brings tools or skills."""
    return any(each.section.tools or each.section.skills for each in enabled((standing,)))


def tools(standings: Sequence[Standing], policies: tuple[Policy, ...]) -> Iterator[Placed]:
    """The tools within reach; ``policies`` gate them all."""
    for standing in standings:
        if standing.closed:
            continue
        gates = (*policies, *standing.section.policies)
        yield from (Placed(tool, standing.path, gates) for tool in standing.section.tools)
        yield from tools(standing.children, gates)


def skills(standings: Sequence[Standing]) -> Iterator[tuple[str, Skill]]:
    """The skills within reach, each with the path of its section."""
    for standing in reachable(standings):
        if not standing.closed:
            yield from ((standing.path, skill) for skill in standing.section.skills)


def _standing(
    places: Sequence[Place], parameters: Parameters, state: StateView, opened: frozenset[str]
) -> tuple[Standing, ...]:
    found = []
    for place in places:
        params = parameters.of(place)
        if _enabled(place, params, state):
            summarised = _visibility(place, params, state) == "summary"
            children = _standing(place.children, parameters, state, opened)
            found.append(Standing(place, params, summarised, place.path in opened, children))
    return tuple(found)


def _enabled(place: Place, params: BaseModel | None, state: StateView) -> bool:
    if place.section.enabled is None:
        return True
    try:
        answer = place.section.enabled(params, state)
    except Exception as fault:  # whatever it raises is a mistake of its author
        raise _broken(place, "enabled", f"raised {type(fault).__name__}: {fault}") from fault
    if not isinstance(answer, bool):
        raise _broken(place, "enabled", f"answered {answer!r}, neither True nor False")
    return answer


def _visibility(place: Place, params: BaseModel | None, state: StateView) -> Visibility:
    chosen = place.section.visibility
    if not callable(chosen):
        return chosen
    try:
        answer = chosen(params, state)
    except Exception as fault:  # as above
        raise _broken(place, "visibility", f"raised {type(fault).__name__}: {fault}") from fault
    if answer not in ("full", "summary"):
        raise _broken(place, "visibility", f"answered {answer!r}, neither 'full' nor 'summary'")
    return answer


def _broken(place: Place, token: str, what: str) -> BrokenDefinition:
    return BrokenDefinition(
        "bad-condition",
        f"section {place.path!r}: its {token!r} {what}; mend that function",
        path=place.path,
        token=token,
    )
