"""The sections as a call of the model finds them, and what it is told where there is nothing to be had."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.prompt.section_tree import Standing, capable, enabled, reachable
from penwright.agents.tools.offers import TextOverrides
from penwright.agents.tools.tool import Failed

OPEN = "open_sections"
READ = "read_section"


@dataclass(frozen=True, slots=True)
class Sight:
    """The sections as a call finds them; made anew for each call, so that a stale wish is noticed."""

    definition: AgentDefinition
    overrides: TextOverrides
    standings: tuple[Standing, ...]

    def at(self, path: str) -> Standing | None:
        """The enabled section at ``path``."""
        return next((each for each in enabled(self.standings) if each.path == path), None)

    def hint(self) -> str:
        """The sections that can be opened or read now, for the model."""
        closed = ", ".join(each.path for each in reachable(self.standings) if each.closed)
        return f"sections that can be opened or read now: {closed or 'none'}"


def is_closed(sight: Sight, path: str) -> bool:
    """Whether the section is there and not open."""
    return any(each.path == path and each.closed for each in enabled(sight.standings))


def missing(sight: Sight, path: str) -> Failed:
    """What is told of a section that is not there, now or at all."""
    known = path in {place.path for place in sight.definition.places}
    return Failed(
        code="section-unavailable" if known else "unknown-section",
        message=f"section {path!r} is not available now" if known else f"there is no section {path!r}",
        hint=sight.hint(),
    )


def unopenable(before: Sight, after: Sight, path: str) -> Failed | None:
    """Why ``path`` cannot be opened; ``after`` is the sight if all that is wanted were open."""
    if before.at(path) is None:
        return missing(before, path)
    around = [each for each in _above(after, path) if each.closed]
    return _inside(path, around[0]) if around else None


def unreadable(sight: Sight, found: Standing) -> Failed | None:
    """Why a section cannot be read. What is inside a closed one without tools can be."""
    around = [each for each in _above(sight, found.path) if each.closed]
    if around and capable(around[0]):
        return _inside(found.path, around[0])
    if not around and not found.closed:
        return open_already(sight, (found.path,))
    return _open_instead(found.path) if capable(found) else None


def open_already(sight: Sight, wanted: Sequence[str]) -> Failed:
    """What is told when nothing is left to be opened or read."""
    named = ", ".join(map(repr, wanted))
    return Failed(
        code="already-open",
        message=f"already open: {named}; the text is in what you were told, and the tools can be called",
        hint=sight.hint(),
    )


def _above(sight: Sight, path: str) -> Iterator[Standing]:
    return (each for each in enabled(sight.standings) if path.startswith(f"{each.path}/"))


def _inside(path: str, around: Standing) -> Failed:
    return Failed(
        code="section-inside-closed",
        message=f"section {path!r} stands inside {around.path!r}, which is closed",
        hint=f"open {around.path!r} first, or both in one call of `{OPEN}`",
    )


def _open_instead(path: str) -> Failed:
    return Failed(
        code="open-instead",
        message=f"section {path!r} comes with tools or skills, so it is opened, not read",
        hint=f"call `{OPEN}` with {path!r}",
    )
