"""The text of sections: headings, bodies, summaries, examples and skills, in the order of the tree."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from penwright.agents.definition.outline import PlacedSection
from penwright.agents.definition.skills import Skill
from penwright.agents.definition.template import field_texts, fill
from penwright.agents.prompt.section_tree import EnabledSection, has_tools
from penwright.agents.tools.examples import read_example, shown
from penwright.agents.tools.offers import TextOverrides
from penwright.agents.tools.tool import Tool
from penwright.errors import BrokenDefinition

_OUTERMOST = 2
"""Hashes of a root section's heading; deeper ones have more, up to the six that Markdown knows."""


@dataclass(frozen=True, slots=True)
class ReadSections:
    """Paths of sections whose text the conversation already holds, so that the prompt omits it."""

    bodies: frozenset[str] = frozenset()
    summaries: frozenset[str] = frozenset()

    def holds(self, node: EnabledSection) -> bool:
        """Whether the section was read in its present form, open or closed."""
        return node.path in (self.summaries | self.bodies if node.closed else self.bodies)


NOTHING_READ = ReadSections()


def sections_text(
    nodes: Sequence[EnabledSection], overrides: TextOverrides, already_read: ReadSections = NOTHING_READ
) -> str:
    """The sections in order, separated by empty lines."""
    return "\n\n".join(part for each in nodes for part in _parts(each, overrides, already_read, inside=False))


def heading(place: PlacedSection) -> str:
    """Number, title and path of a section."""
    return f"{'#' * min(_OUTERMOST + place.depth, 6)} {place.number} {place.section.title} ({place.path})"


def section_field(node: EnabledSection, field: str, overrides: TextOverrides) -> str:
    """A body or summary with its placeholders filled."""
    own = node.section.body if field == "body" else node.section.summary
    try:
        return fill(overrides.get((node.path, field), own), field_texts(node.params)).strip("\n")
    except KeyError as error:
        raise _unfit(f"{node.path!r}: {field}", f"wants {error}, which its params do not have") from None


def _parts(
    node: EnabledSection, overrides: TextOverrides, already_read: ReadSections, *, inside: bool
) -> Iterator[str]:
    """``inside``: whether an enclosing section was read; then only what was not read with it is yielded."""
    shown_short = node.summarised and (node.closed or node.path in already_read.bodies)
    said = inside and already_read.holds(node)
    if not said:
        yield heading(node.place)
        yield from _summary(node, overrides) if shown_short else _body(node, overrides)
    if not node.closed:
        below = said or (shown_short and not node.closed)
        for child in node.children:
            yield from _parts(child, overrides, already_read, inside=below)


def _summary(node: EnabledSection, overrides: TextOverrides) -> Iterator[str]:
    yield section_field(node, "summary", overrides)
    if has_tools(node):
        yield f"(Summary. Call `open_sections` with `{node.path}` for its full text and its tools.)"
    else:
        yield f"(Summary. Call `read_section` with `{node.path}` for its full text.)"


def _body(node: EnabledSection, overrides: TextOverrides) -> Iterator[str]:
    if body := section_field(node, "body", overrides):
        yield body
    for tool in node.section.tools:
        yield from _examples(tool, node.path, overrides)
    if node.section.skills:
        yield "\n".join(_skill(skill, node.path) for skill in node.section.skills)


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
    return BrokenDefinition("bad-override", f"{where}: the override {what}; write it again", path=where)
