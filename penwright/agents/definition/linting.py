"""Find the functions of a valid definition that are not pure."""

from collections.abc import Callable, Iterator
from typing import Any

from penwright.agents.definition.declaration import Declaration
from penwright.agents.definition.outline import PlacedSection
from penwright.agents.definition.problem import Problem
from penwright.agents.definition.purity import impurities
from penwright.agents.guardrails.guardrail import Policy
from penwright.agents.state import SliceItem

Function = Callable[..., Any]  # Any: conditions, reducers and checks are of many types


def findings(definition: Declaration) -> tuple[Problem, ...]:
    """Every function of the definition that uses more than its arguments, sections first."""
    return tuple(
        Problem("impure", path, token, f"asks {asked!r}; it may use its arguments only")
        for path, token, function in _functions(definition)
        for asked in impurities(function)
    )


def _functions(definition: Declaration) -> Iterator[tuple[str, str, Function]]:
    for place in definition.places:
        yield from _of_section(place)
    for policy in definition.policies:
        yield from _of_policy("", policy)
    for kind in definition.slices:
        yield from _of_slice(kind)
    for provider in definition.feedback:
        yield "", provider.name, provider.feedback
    if definition.completion is not None:
        yield "", definition.completion.name, definition.completion.check
    if definition.finalize is not None:
        yield "", "finalize", definition.finalize


def _of_section(place: PlacedSection) -> Iterator[tuple[str, str, Function]]:
    section, path = place.section, place.path
    if section.enabled is not None:
        yield path, "enabled", section.enabled
    if callable(section.visibility):
        yield path, "visibility", section.visibility
    yield from ((path, tool.name, tool.handler) for tool in section.tools if tool.effect == "pure")
    for policy in section.policies:
        yield from _of_policy(path, policy)


def _of_policy(path: str, policy: Policy) -> Iterator[tuple[str, str, Function]]:
    yield path, policy.name, policy.check
    yield path, policy.name, policy.learned
    for kind in policy.memory:
        yield from ((path, policy.name, reducer) for reducer in kind.reducers().values())


def _of_slice(kind: type[Any]) -> Iterator[tuple[str, str, Function]]:  # Any: checked right below
    if issubclass(kind, SliceItem):
        yield from (("", kind.event_name, reducer) for reducer in kind.reducers().values())
        yield from (("", kind.event_name, upcaster) for upcaster in kind.upcasters().values())
