"""The address of each section of a definition: its path, and a number that is the same in every state."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from penwright.agents.definition.section import Section


@dataclass(frozen=True, slots=True)
class PlacedSection:
    """A section with its address."""

    section: Section
    path: str
    """Keys from the root, joined by ``/``."""
    number: str
    """Dotted, counted from 1 among all siblings, disabled ones too."""
    depth: int
    """0 at the root."""
    children: "tuple[PlacedSection, ...]"


def outline(sections: Sequence[Section], above: PlacedSection | None = None) -> tuple[PlacedSection, ...]:
    """The tree of places, in the order of declaration."""
    return tuple(_placed(section, at, above) for at, section in enumerate(sections, 1))


def every(places: Sequence[PlacedSection]) -> Iterator[PlacedSection]:
    """All places, parents before their children."""
    for place in places:
        yield place
        yield from every(place.children)


def _placed(section: Section, at: int, above: PlacedSection | None) -> PlacedSection:
    path = f"{above.path}/{section.key}" if above else section.key
    number = f"{above.number}.{at}" if above else str(at)
    bare = PlacedSection(section, path, number, above.depth + 1 if above else 0, ())
    return PlacedSection(section, path, number, bare.depth, outline(section.children, bare))
