"""Look up the section that a call names; explain to the model why one cannot be opened or read."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.prompt.section_tree import EnabledSection, has_tools, reachable, with_descendants
from penwright.agents.tools.offers import TextOverrides
from penwright.agents.tools.tool import Failed

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


def is_closed(lookup: SectionLookup, path: str) -> bool:
    """Whether the section is enabled and closed."""
    return any(each.path == path and each.closed for each in with_descendants(lookup.nodes))


def missing(lookup: SectionLookup, path: str) -> Failed:
    """The error for a section that is disabled or does not exist.

    One that was disabled from the start is not told apart from one that does not exist.
    """
    known = path in lookup.known
    return Failed(
        code="section-unavailable" if known else "unknown-section",
        message=f"section {path!r} is not available now" if known else f"there is no section {path!r}",
        hint=lookup.hint(),
    )


def unopenable(before: SectionLookup, after: SectionLookup, path: str) -> Failed | None:
    """Say why ``path`` cannot be opened; ``after`` is the lookup with all requested sections open."""
    if before.at(path) is None:
        return missing(before, path)
    around = [each for each in _above(after, path) if each.closed]
    return _inside(path, around[0]) if around else None


def unreadable(lookup: SectionLookup, found: EnabledSection) -> Failed | None:
    """Say why a section cannot be read; None if it can, as can sections inside a closed one without tools."""
    around = [each for each in _above(lookup, found.path) if each.closed]
    if around and has_tools(around[0]):
        return _inside(found.path, around[0])
    if not around and not found.closed:
        return open_already(lookup, (found.path,))
    return _open_instead(found.path) if has_tools(found) else None


def open_already(lookup: SectionLookup, wanted: Sequence[str]) -> Failed:
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
