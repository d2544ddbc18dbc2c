"""The texts of a definition that an override may replace, and the rules for each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.outline import PlacedSection
from penwright.agents.definition.section import Section
from penwright.agents.definition.section_checks import LONGEST_DESCRIPTION, text_problems
from penwright.agents.digests import text_digest
from penwright.agents.tools.examples import example_text, read_example
from penwright.agents.tools.tool import Tool
from schemas.overrides import OverrideField

LONGEST_OVERRIDE = 200_000
"""Characters of one text."""

Address = tuple[str, str]
"""Path and field."""


@dataclass(frozen=True, slots=True)
class Overridable:
    """A text that may be replaced, as the definition has it."""

    path: str
    field: OverrideField
    text: str
    section: Section
    tool: Tool | None = None

    @property
    def digest(self) -> str:
        """The digest that an override of it must name as expected."""
        return text_digest(self.text)


def descriptor(definition: AgentDefinition) -> Mapping[Address, Overridable]:
    """Every text that may be replaced, by address, in the order of the sections."""
    found = (each for place in definition.places for each in _of_section(place))
    return {(each.path, each.field): each for each in found}


def text_misfits(target: Overridable, text: str) -> Iterator[str]:
    """Reasons why ``text`` may not replace ``target``."""
    where = f"the {target.field} at {target.path!r}"
    if len(text) > LONGEST_OVERRIDE:
        yield f"{where} is {len(text)} characters long, and {LONGEST_OVERRIDE} are allowed"
    elif not _writable(text):
        yield f"{where} holds half of a surrogate pair, which no file can"
    else:
        yield from (f"{where}: {problem}" for problem in _misfits(target, text))


def _misfits(target: Overridable, text: str) -> Iterator[str]:
    match target.field:
        case "body" | "summary":
            found = text_problems(target.section, target.path, field=target.field, text=text)
            yield from (f"{problem.token!r} {problem.text}" for problem in found)
            if target.field == "summary" and not text.strip():
                yield "a summary cannot be empty"
        case "description":
            if not 1 <= len(text.strip()) <= LONGEST_DESCRIPTION:
                yield f"a tool needs a description of 1–{LONGEST_DESCRIPTION} characters"
        case "param":
            if len(text) > LONGEST_DESCRIPTION:
                yield f"a parameter's description has {LONGEST_DESCRIPTION} characters at most"
        case "example":
            yield from _example_misfits(target, text)


def _example_misfits(target: Overridable, text: str) -> Iterator[str]:
    assert target.tool is not None  # an example is of a tool
    try:
        read_example(target.tool, text)
    except ValueError as error:
        yield str(error)


def _writable(text: str) -> bool:
    return text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text)


def _of_section(place: PlacedSection) -> Iterator[Overridable]:
    section = place.section
    yield Overridable(place.path, "body", section.body, section)
    if section.visibility != "full":
        yield Overridable(place.path, "summary", section.summary, section)
    for tool in section.tools:
        yield from _of_tool(tool, section, f"{place.path}:{tool.name}")


def _of_tool(tool: Tool, section: Section, path: str) -> Iterator[Overridable]:
    yield Overridable(path, "description", tool.description, section, tool)
    for name, param in tool.parameters.get("properties", {}).items():
        yield Overridable(f"{path}.{name}", "param", param.get("description", ""), section, tool)
    for number, example in enumerate(tool.examples, 1):
        yield Overridable(f"{path}#{number}", "example", example_text(example), section, tool)
