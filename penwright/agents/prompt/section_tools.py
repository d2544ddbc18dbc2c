"""The library's own tools: opening a summarised section, and reading one or one of its skills."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.opened_sections import SectionOpened, opened_paths
from penwright.agents.definition.skills import MANIFEST
from penwright.agents.prompt.parameters import Parameters
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

OPEN = "open_sections"
READ = "read_section"


@dataclass(frozen=True, slots=True)
class SectionLookup:
    """Look sections up in the current state. Made for each call, so that an outdated path is rejected."""

    definition: AgentDefinition
    overrides: TextOverrides
    nodes: tuple[EnabledSection, ...]
    known: frozenset[str]
    """Paths of the sections that the model may know of, see ``known_paths``."""

    def at(self, path: str) -> EnabledSection | None:
        """The enabled section at ``path``."""
        return next((each for each in with_descendants(self.nodes) if each.path == path), None)

    def hint(self) -> str:
        """The sections that can be opened or read now, for the model."""
        closed = ", ".join(each.path for each in reachable(self.nodes) if each.closed)
        return f"sections that can be opened or read now: {closed or 'none'}"


def _is_closed(lookup: SectionLookup, path: str) -> bool:
    """Whether the section is enabled and closed."""
    return any(each.path == path and each.closed for each in with_descendants(lookup.nodes))


def _missing(lookup: SectionLookup, path: str) -> Failed:
    """The error for a section that is disabled or does not exist.

    One that was disabled from the start is not told apart from one that does not exist.
    """
    known = path in lookup.known
    return Failed(
        code="section-unavailable" if known else "unknown-section",
        message=f"section {path!r} is not available now" if known else f"there is no section {path!r}",
        hint=lookup.hint(),
    )


def _unopenable(before: SectionLookup, after: SectionLookup, path: str) -> Failed | None:
    """Say why ``path`` cannot be opened; ``after`` is the lookup with all requested sections open."""
    if before.at(path) is None:
        return _missing(before, path)
    around = [each for each in _above(after, path) if each.closed]
    return _inside(path, around[0]) if around else None


def _unreadable(lookup: SectionLookup, found: EnabledSection) -> Failed | None:
    """Say why a section cannot be read; None if it can, as can sections inside a closed one without tools."""
    around = [each for each in _above(lookup, found.path) if each.closed]
    if around and has_tools(around[0]):
        return _inside(found.path, around[0])
    if not around and not found.closed:
        return _open_already(lookup, (found.path,))
    return _open_instead(found.path) if has_tools(found) else None


def _open_already(lookup: SectionLookup, wanted: Sequence[str]) -> Failed:
    """The error when every requested section is already open."""
    named = ", ".join(map(repr, wanted))
    return Failed(
        code="already-open",
        message=f"already open: {named}; their text is above, and the tools can be called",
        hint=lookup.hint(),
    )


def _above(lookup: SectionLookup, path: str) -> Iterator[EnabledSection]:
    return (each for each in with_descendants(lookup.nodes) if path.startswith(f"{each.path}/"))


def _inside(path: str, around: EnabledSection) -> Failed:
    return Failed(
        code="section-inside-closed",
        message=f"section {path!r} is inside {around.path!r}, which is closed",
        hint=f"open {around.path!r} first, or both in one call of `{OPEN}`",
    )


def _open_instead(path: str) -> Failed:
    return Failed(
        code="open-instead",
        message=f"section {path!r} comes with tools or skills, so it is opened, not read",
        hint=f"call `{OPEN}` with {path!r}",
    )


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
            if (problem := _unopenable(before, after, path)) is not None:
                return problem
        opening = [path for path in wanted if _is_closed(before, path)]
        return _opened(after, opening) if opening else _open_already(before, wanted)


@dataclass(frozen=True, slots=True)
class _Reading:
    bound: _Bound

    def __call__(self, params: ReadSection, state: StateView) -> ToolResult:
        section, _, skill = params.path.partition(":")
        path, lookup = _path(section), self.bound.lookup(state)
        if (found := lookup.at(path)) is None:
            return _missing(lookup, path)
        if skill:
            return _skill_file(lookup, path, skill.strip())
        return _unreadable(lookup, found) or _text(self.bound.lookup(state, frozenset({path})), path)


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
