"""The words of sections: headings, bodies, summaries, examples and skills, in the order of the tree."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from penwright.agents.definition.outline import Place
from penwright.agents.definition.skills import Skill
from penwright.agents.definition.template import fill, written
from penwright.agents.prompt.section_tree import Standing, capable
from penwright.agents.tools.examples import read_example, shown
from penwright.agents.tools.offers import TextOverrides
from penwright.agents.tools.tool import Tool
from penwright.errors import BrokenDefinition

_OUTERMOST = 2
"""Hashes of a root section's heading; deeper ones have more, up to the six that Markdown knows."""


@dataclass(frozen=True, slots=True)
class Told:
    """What the conversation holds already, by path, and the prompt need not say again."""

    bodies: frozenset[str] = frozenset()
    summaries: frozenset[str] = frozenset()

    def holds(self, standing: Standing) -> bool:
        """Whether a section was told as it stands now."""
        return standing.path in (self.summaries | self.bodies if standing.closed else self.bodies)


NOTHING_TOLD = Told()


def sections_text(standings: Sequence[Standing], overrides: TextOverrides, told: Told = NOTHING_TOLD) -> str:
    """The sections one after the other, parted by empty lines."""
    return "\n\n".join(part for each in standings for part in _parts(each, overrides, told, inside=False))


def heading(place: Place) -> str:
    """Number, title and path of a section."""
    return f"{'#' * min(_OUTERMOST + place.depth, 6)} {place.number} {place.section.title} ({place.path})"


def section_field(standing: Standing, field: str, overrides: TextOverrides) -> str:
    """A body or summary with its placeholders filled."""
    own = standing.section.body if field == "body" else standing.section.summary
    try:
        return fill(overrides.get((standing.path, field), own), written(standing.params)).strip("\n")
    except KeyError as error:
        raise _unfit(f"{standing.path!r}: {field}", f"wants {error}, which its params do not have") from None


def _parts(standing: Standing, overrides: TextOverrides, told: Told, *, inside: bool) -> Iterator[str]:
    """``inside`` a section that was told, only what was not told with it is still to be said."""
    shown_short = standing.summarised and (standing.closed or standing.path in told.bodies)
    said = inside and told.holds(standing)
    if not said:
        yield heading(standing.place)
        yield from _summary(standing, overrides) if shown_short else _body(standing, overrides)
    if not standing.closed:
        below = said or (shown_short and not standing.closed)
        for child in standing.children:
            yield from _parts(child, overrides, told, inside=below)


def _summary(standing: Standing, overrides: TextOverrides) -> Iterator[str]:
    yield section_field(standing, "summary", overrides)
    if capable(standing):
        yield f"(Summary. Call `open_sections` with `{standing.path}` for its full text and its tools.)"
    else:
        yield f"(Summary. Call `read_section` with `{standing.path}` for its full text.)"


def _body(standing: Standing, overrides: TextOverrides) -> Iterator[str]:
    if body := section_field(standing, "body", overrides):
        yield body
    for tool in standing.section.tools:
        yield from _examples(tool, standing.path, overrides)
    if standing.section.skills:
        yield "\n".join(_skill(skill, standing.path) for skill in standing.section.skills)


def _examples(tool: Tool, path: str, overrides: TextOverrides) -> Iterator[str]:
    for at, example in enumerate(tool.examples, 1):
        target = f"{path}:{tool.name}#{at}"
        if (text := overrides.get((target, "example"))) is None:
            yield shown(tool.name, example)
            continue
        try:
            yield shown(tool.name, read_example(tool, text))
        except ValueError as error:
            raise _unfit(repr(target), str(error)) from None


def _skill(skill: Skill, path: str) -> str:
    return f"- Skill `{skill.name}`: {skill.description} (`read_section` with `{path}:{skill.name}`)"


def _unfit(where: str, what: str) -> BrokenDefinition:
    return BrokenDefinition("bad-override", f"{where}: the override {what}; write it anew", path=where)
