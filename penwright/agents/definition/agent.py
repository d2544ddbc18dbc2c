"""Definition of an agent: one versioned, frozen object, checked when it is declared."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

from pydantic import BaseModel, model_validator

from penwright.agents.definition import run_slices
from penwright.agents.definition.declaration import Declaration
from penwright.agents.definition.flags import Flags
from penwright.agents.definition.outline import PlacedSection, every, outline
from penwright.agents.definition.output import check_output
from penwright.agents.definition.run_slices import registry_of
from penwright.agents.definition.section import Condition, Section, Selector, Visibility
from penwright.agents.definition.section_checks import RESERVED, Problem, section_problems
from penwright.agents.definition.skills import Skill, SkillFile
from penwright.agents.guardrails.completion import world_checkers
from penwright.agents.state import Registry
from penwright.errors import BrokenDefinition

__all__ = [
    "AgentDefinition",
    "Condition",
    "Section",
    "Selector",
    "Skill",
    "SkillFile",
    "Visibility",
]

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


class AgentDefinition(Declaration):
    """Instructions, tools, policies, feedback and the completion checker of an agent.

    Raises:
        BrokenDefinition: when it is declared, listing every problem with its section path and token.
    """

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        check(self)
        return self

    # Any: values of any field.
    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A changed copy is declared again, so it is checked too."""
        kept = {name: getattr(self, name) for name in type(self).model_fields}
        return type(self)(**{**kept, **(update or {})})

    @cached_property
    def registry(self) -> Registry:
        """The slices of its runs."""
        return registry_of(self)


def check(definition: Declaration) -> None:
    """Check that a definition has no problems.

    Raises:
        BrokenDefinition: with code, path and token of the first problem; its message lists all.
    """
    if found := problems(definition):
        first = found[0]
        listed = "; ".join(map(str, found))
        raise BrokenDefinition(
            first.code,
            f"agent {definition.namespace}/{definition.key} is declared wrongly: {listed}",
            path=first.path,
            token=first.token,
            hint="fix the agent's definition where the message says",
        )


def problems(definition: Declaration) -> tuple[Problem, ...]:
    """All problems of a definition, in the order of its sections."""
    return tuple(_problems(definition))


def _problems(definition: Declaration) -> Iterator[Problem]:
    yield from _own_problems(definition)
    places = tuple(every(outline(definition.sections)))
    yield from _twin_keys("", definition.sections)
    for place in places:
        yield from section_problems(place)
        yield from _twin_keys(place.path, place.section.children)
    yield from _twins(places)
    yield from _twin_params(places)
    yield from _twin_names("policy", definition.every_policy)
    yield from _twin_names("feedback", definition.feedback)
    yield from _twin_names("checker", world_checkers(definition.completion))
    yield from _guardrail_problems(definition, places)
    if definition.flags is not None:
        yield from _flag_problems(definition.flags)
    if definition.output is not None:
        yield from _output_problems(definition.output)
    elif definition.reads is not None:
        yield Problem("reads-no-output", "", "reads", "makes an output, but the agent declares no type of it")
    yield from _wanted_problems(definition)


def _own_problems(definition: Declaration) -> Iterator[Problem]:
    for name in (definition.namespace, definition.key):
        if not _NAME.fullmatch(name):
            rule = "must be 1–64 of `a-z0-9._-` and begin with a letter or digit"
            yield Problem("bad-name", "", name, rule)
    if not definition.sections:
        yield Problem("no-sections", "", "sections", "is empty; an agent needs at least one")
    if definition.version < 1:
        yield Problem("bad-version", "", str(definition.version), "must be a version of 1 or more")
    if definition.repairs < 0:
        yield Problem("bad-repairs", "", str(definition.repairs), "must be a number of repairs, 0 or more")


def _flag_problems(kind: type[Flags]) -> Iterator[Problem]:
    for name, field in kind.model_fields.items():
        if field.is_required():
            yield Problem("bad-flags", "", name, "is a flag without a default; a run may leave it out")


def _twin_keys(path: str, siblings: Sequence[Section]) -> Iterator[Problem]:
    keys = [section.key for section in siblings]
    for key in sorted({key for key in keys if keys.count(key) > 1}):
        twin = f"{path}/{key}" if path else key
        yield Problem("duplicate-key", twin, key, "is the key of two siblings; rename one")


def _twins(places: Iterable[PlacedSection]) -> Iterator[Problem]:
    """Duplicate names of tools and skills in the whole tree, disabled branches included."""
    first: dict[tuple[str, str], str] = {}
    for place in places:
        named = [("tool", tool.name) for tool in place.section.tools]
        named += [("skill", skill.name) for skill in place.section.skills]
        for kind, name in named:
            if (kind, name) in first:
                rule = f"is a {kind} of section {first[kind, name]!r} already; rename one"
                yield Problem(f"duplicate-{kind}", place.path, name, rule)
            first.setdefault((kind, name), place.path)


def _twin_params(places: Iterable[PlacedSection]) -> Iterator[Problem]:
    """A run names its parameters by type, so two types may not share a name."""
    first: dict[str, type[BaseModel]] = {}
    for place in places:
        kind = place.section.params
        if kind is not None and first.setdefault(kind.__name__, kind) is not kind:
            rule = "is the name of another section's params too; rename one"
            yield Problem("duplicate-params", place.path, kind.__name__, rule)


def _twin_names(kind: str, declared: Sequence[BaseModel]) -> Iterator[Problem]:
    """Two different guardrails of one name would share a memory; the same one may appear twice."""
    first: dict[str, BaseModel] = {}
    for each in declared:
        name = str(getattr(each, "name", ""))
        if first.setdefault(name, each) is not each and first[name] != each:
            yield Problem(f"duplicate-{kind}", "", name, f"names two different ones ({kind}); rename one")


def _guardrail_problems(definition: Declaration, places: Sequence[PlacedSection]) -> Iterator[Problem]:
    declared_at = {tool.name: place.path for place in places for tool in place.section.tools}
    declared_at |= {policy.name: place.path for place in places for policy in place.section.policies}
    for code, token, text in run_slices.faults(definition, RESERVED):
        yield Problem(code, declared_at.get(token, ""), token, text)


def _wanted_problems(definition: Declaration) -> Iterator[Problem]:
    if definition.wanted is None:
        return
    if definition.reads is None or any(place.section.tools for place in every(outline(definition.sections))):
        rule = "is asked for only where `reads` reads the answer, and no section has tools"
        yield Problem("wanted-unread", "", "wanted", rule)
    yield from _output_problems(definition.wanted)


def _output_problems(kind: type[BaseModel]) -> Iterator[Problem]:
    try:
        check_output(kind)
    except BrokenDefinition as broken:
        yield Problem(broken.code, "", kind.__name__, f"cannot be answered: {broken.message}")
