"""The library's own tools: opening a summarised section, and reading one or one of its skills."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.opened_sections import SectionOpened, opened_paths
from penwright.agents.definition.skills import MANIFEST
from penwright.agents.prompt.parameters import Parameters
from penwright.agents.prompt.section_lookup import (
    OPEN,
    READ,
    SectionLookup,
    is_closed,
    missing,
    open_already,
    unopenable,
    unreadable,
)
from penwright.agents.prompt.section_text import sections_text
from penwright.agents.prompt.section_tree import (
    EnabledSection,
    enabled_sections,
    has_tools,
    known_paths,
    reachable,
    reachable_skills,
    with_descendants,
)
from penwright.agents.state import StateView
from penwright.agents.tools.offers import TextOverrides
from penwright.agents.tools.tool import Arguments, Failed, Ok, Tool, ToolResult


class OpenSections(Arguments):
    """Which sections to open."""

    paths: Annotated[tuple[str, ...], Field(min_length=1, max_length=32)]
    """Paths of sections, as their headings show them in parentheses."""


class ReadSection(Arguments):
    """What to read."""

    path: str
    """Path of a section as its heading shows it, or `path:skill` or `path:skill/file` for a skill."""


@dataclass(frozen=True, slots=True)
class _Bound:
    """Values that both tools need besides the state."""

    definition: AgentDefinition
    parameters: Parameters
    overrides: TextOverrides

    def lookup(self, state: StateView, also: frozenset[str] = frozenset()) -> SectionLookup:
        """The sections in this state, those of ``also`` open."""
        nodes = enabled_sections(self.definition, self.parameters, state, opened=opened_paths(state) | also)
        known = known_paths(self.definition, self.parameters, state)
        return SectionLookup(self.definition, self.overrides, nodes, known)


def built_in_tools(
    definition: AgentDefinition, parameters: Parameters, overrides: TextOverrides
) -> tuple[Tool, Tool]:
    """``open_sections`` and ``read_section`` of one run; both are pure."""
    bound = _Bound(definition, parameters, overrides)
    return (
        Tool(
            name=OPEN,
            description="Open summarised sections of your instructions. Answers with their full text; "
            "their tools can be called from the next turn on.",
            params=OpenSections,
            effect="pure",
            handler=_Opening(bound),
            events=(SectionOpened,),
        ),
        Tool(
            name=READ,
            description="Read the full text of a summarised section of your instructions, or a file of a "
            "skill. Changes nothing.",
            params=ReadSection,
            effect="pure",
            handler=_Reading(bound),
        ),
    )


def wanted_built_ins(nodes: Sequence[EnabledSection]) -> frozenset[str]:
    """Names of those of the two that can do anything in this state."""
    closed = [each for each in reachable(nodes) if each.closed]
    opening = {OPEN} if any(has_tools(each) for each in closed) else set()
    reading = any(not has_tools(each) for each in closed) or any(True for _ in reachable_skills(nodes))
    return frozenset(opening | ({READ} if reading else set()))


@dataclass(frozen=True, slots=True)
class _Opening:
    bound: _Bound

    def __call__(self, params: OpenSections, state: StateView) -> ToolResult:
        wanted = tuple(dict.fromkeys(map(_path, params.paths)))
        before, after = self.bound.lookup(state), self.bound.lookup(state, frozenset(wanted))
        for path in wanted:
            if (problem := unopenable(before, after, path)) is not None:
                return problem
        opening = [path for path in wanted if is_closed(before, path)]
        return _opened(after, opening) if opening else open_already(before, wanted)


@dataclass(frozen=True, slots=True)
class _Reading:
    bound: _Bound

    def __call__(self, params: ReadSection, state: StateView) -> ToolResult:
        section, _, skill = params.path.partition(":")
        path, lookup = _path(section), self.bound.lookup(state)
        if (found := lookup.at(path)) is None:
            return missing(lookup, path)
        if skill:
            return _skill_file(lookup, path, skill.strip())
        return unreadable(lookup, found) or _text(self.bound.lookup(state, frozenset({path})), path)


def _path(text: str) -> str:
    return text.strip().strip("/")


def _opened(after: SectionLookup, opening: Sequence[str]) -> Ok:
    """The text of the outermost sections, with everything open inside them."""
    found = [each for each in with_descendants(after.nodes) if each.path in opening]
    tops = [each for each in found if not any(each.path.startswith(f"{path}/") for path in opening)]
    return Ok(text=sections_text(tops, after.overrides), events=tuple(map(_event, found)))


def _event(opened: EnabledSection) -> SectionOpened:
    within = tuple(reachable((opened,)))
    return SectionOpened(
        path=opened.path,
        told=tuple(each.path for each in within if not each.closed),
        named=tuple(each.path for each in within if each.closed),
    )


def _text(opened: SectionLookup, path: str) -> Ok:
    found = opened.at(path)
    return Ok(text=sections_text((found,) if found else (), opened.overrides))


def _skill_file(lookup: SectionLookup, path: str, wanted: str) -> ToolResult:
    name, _, file = wanted.partition("/")
    held = {skill.name: skill for at, skill in reachable_skills(lookup.nodes) if at == path}
    if name not in held:
        known = ", ".join(f"{path}:{each}" for each in held) or "none"
        return Failed(
            code="unknown-skill", message=f"section {path!r} has no skill {name!r}", hint=f"it has: {known}"
        )
    found = held[name].file(file or MANIFEST)
    if found is None:
        files = ", ".join(each.path for each in held[name].files)
        return Failed(
            code="unknown-file", message=f"skill {name!r} has no file {file!r}", hint=f"it has: {files}"
        )
    return _text_of(found.content, f"{path}:{name}/{found.path}")


def _text_of(content: bytes, path: str) -> ToolResult:
    try:
        return Ok(text=content.decode("utf-8"))
    except UnicodeDecodeError:
        return Failed(code="not-text", message=f"{path!r} is not text", hint="read another file")
