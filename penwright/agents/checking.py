"""What must hold of a definition before it may be used; every problem names its section and token."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import BaseModel

from penwright.agents import memory, skills
from penwright.agents.argument_types import schema_faults, type_faults
from penwright.agents.examples import example_text, read_example
from penwright.agents.outline import Place, every, outline
from penwright.agents.output import FINAL_ANSWER, check_output
from penwright.agents.signatures import is_async, takes_two
from penwright.agents.template import lone_dollars, unknown_placeholders
from penwright.agents.tool import Tool, ToolExample
from penwright.errors import BrokenDefinition

if TYPE_CHECKING:
    from penwright.agents.definition import AgentDefinition
    from penwright.agents.section import Section

RESERVED = frozenset({"open_sections", "read_section", FINAL_ANSWER})
"""Tools of the library's own."""
LONGEST_DESCRIPTION = 1_024
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_KEY = re.compile(r"[a-z0-9-]{1,64}")
_TOOL = re.compile(r"[a-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class Problem:
    """Something a definition may not say."""

    code: str
    path: str
    """Of the section; empty for the definition as a whole."""
    token: str
    text: str

    def __str__(self) -> str:
        where = f"section {self.path!r}: " if self.path else ""
        return f"{where}{self.token!r} {self.text}"


def check(definition: "AgentDefinition") -> None:
    """Let a sound definition pass.

    Raises:
        BrokenDefinition: with the code, path and token of the first problem, and the words of all.
    """
    if found := problems(definition):
        first = found[0]
        listed = "; ".join(map(str, found))
        raise BrokenDefinition(
            first.code,
            f"agent {definition.namespace}/{definition.key} is declared wrongly: {listed}",
            path=first.path,
            token=first.token,
            hint="mend the agent's definition where the message says",
        )


def problems(definition: "AgentDefinition") -> tuple[Problem, ...]:
    """Everything that is wrong with a definition, in the order of its sections."""
    return tuple(_problems(definition))


def text_problems(section: "Section", path: str, *, field: str, text: str) -> Iterator[Problem]:
    """What a ``text`` may not say as a body or summary of ``section``; overrides are held to it too."""
    names = frozenset(section.params.model_fields) if section.params else frozenset[str]()
    known = ", ".join(f"${name}" for name in sorted(names)) or "none, for it has no params"
    for token in unknown_placeholders(text, names):
        yield Problem("unknown-placeholder", path, token, f"in the {field} is none of its fields ({known})")
    for token in lone_dollars(text):
        yield Problem("lone-dollar", path, token, f"in the {field} begins no placeholder; write `$$`")


def _problems(definition: "AgentDefinition") -> Iterator[Problem]:
    yield from _own_problems(definition)
    places = tuple(every(outline(definition.sections)))
    yield from _twin_keys("", definition.sections)
    for place in places:
        yield from _section_problems(place)
        yield from _twin_keys(place.path, place.section.children)
    yield from _twins(places)
    yield from _twin_params(places)
    yield from _twin_names("policy", definition.every_policy)
    yield from _twin_names("feedback", definition.feedback)
    yield from _guardrail_problems(definition, places)
    if definition.output is not None:
        yield from _output_problems(definition.output)


def _own_problems(definition: "AgentDefinition") -> Iterator[Problem]:
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


def _section_problems(place: Place) -> Iterator[Problem]:
    section, path = place.section, place.path
    if not _KEY.fullmatch(section.key):
        yield Problem("bad-key", path, section.key, "must be a key of 1–64 of `a-z0-9-`")
    if not section.title.strip() or len(section.title.splitlines()) > 1:
        yield Problem("bad-title", path, section.title, "must be a title of one line")
    yield from text_problems(section, path, field="body", text=section.body)
    yield from text_problems(section, path, field="summary", text=section.summary)
    yield from _visibility_problems(section, path)
    yield from _params_problems(section, path)
    for tool in section.tools:
        yield from _tool_problems(tool, path)
    for skill in section.skills:
        yield from (Problem("bad-skill", path, *fault) for fault in skills.faults(skill))


def _visibility_problems(section: "Section", path: str) -> Iterator[Problem]:
    if section.visibility != "full" and not section.summary.strip():
        yield Problem("no-summary", path, "visibility", "can be summary, but there is no summary to show")
    for name, given in (("enabled", section.enabled), ("visibility", section.visibility)):
        if callable(given) and (is_async(given) or not takes_two(given)):
            rule = "must be a plain function of the section's params and the state"
            yield Problem("bad-condition", path, name, rule)


def _params_problems(section: "Section", path: str) -> Iterator[Problem]:
    if section.params is not None:
        for fault in type_faults(section.params):
            yield Problem("bad-params", path, section.params.__name__, f"cannot fill a section: {fault}")
    if section.defaults is not None and type(section.defaults) is not section.params:
        rule = f"must be of the section's params, {_named(section.params)}"
        yield Problem("bad-defaults", path, type(section.defaults).__name__, rule)


def _tool_problems(tool: Tool, path: str) -> Iterator[Problem]:
    if not _TOOL.fullmatch(tool.name):
        yield Problem("bad-tool-name", path, tool.name, "must be a tool name of 1–64 of `a-z0-9_-`")
    if tool.name in RESERVED:
        yield Problem("reserved-name", path, tool.name, "is a tool of the library's own; choose another name")
    if not 1 <= len(tool.description.strip()) <= LONGEST_DESCRIPTION:
        rule = f"needs a description of 1–{LONGEST_DESCRIPTION} characters"
        yield Problem("bad-description", path, tool.name, rule)
    yield from _handler_problems(tool, path)
    for fault in type_faults(tool.params):
        yield Problem("bad-params", path, tool.name, f"cannot be called with these params: {fault}")
    for fault in schema_faults(tool.result) if tool.result else ():
        yield Problem("bad-result", path, tool.name, f"cannot answer with this result: {fault}")
    for at, example in enumerate(tool.examples, 1):
        yield from _example_problems(tool, path, at, example)


def _handler_problems(tool: Tool, path: str) -> Iterator[Problem]:
    if tool.effect == "pure" and is_async(tool.handler):
        rule = "is pure and runs in the workflow: its handler must be a plain function, not async"
        yield Problem("bad-handler", path, tool.name, rule)
    if tool.effect != "pure" and not is_async(tool.handler):
        rule = f"has the effect {tool.effect!r} and is run by a worker: its handler must be async"
        yield Problem("bad-handler", path, tool.name, rule)
    if not takes_two(tool.handler):
        rule = "needs a handler of two arguments: its params and the context (the state, if it is pure)"
        yield Problem("bad-handler", path, tool.name, rule)


def _example_problems(tool: Tool, path: str, at: int, example: ToolExample) -> Iterator[Problem]:
    for part, given, wanted in (
        ("params", example.params, tool.params),
        ("result", example.result, tool.result),
    ):
        if given is not None and type(given) is not wanted:
            rule = f"has {part} of {type(given).__name__}, not {_named(wanted)}"
            yield Problem("bad-example", path, f"{tool.name}#{at}", rule)
            return
    try:
        read_example(tool, example_text(example))
    except ValueError as error:
        yield Problem("bad-example", path, f"{tool.name}#{at}", f"is nothing a model could write: {error}")


def _twin_keys(path: str, siblings: "Sequence[Section]") -> Iterator[Problem]:
    keys = [section.key for section in siblings]
    for key in sorted({key for key in keys if keys.count(key) > 1}):
        twin = f"{path}/{key}" if path else key
        yield Problem("duplicate-key", twin, key, "is the key of two siblings; rename one")


def _twins(places: Iterable[Place]) -> Iterator[Problem]:
    """Names that the whole tree, disabled branches included, has twice."""
    first: dict[tuple[str, str], str] = {}
    for place in places:
        named = [("tool", tool.name) for tool in place.section.tools]
        named += [("skill", skill.name) for skill in place.section.skills]
        for kind, name in named:
            if (kind, name) in first:
                rule = f"is a {kind} of section {first[kind, name]!r} already; rename one"
                yield Problem(f"duplicate-{kind}", place.path, name, rule)
            first.setdefault((kind, name), place.path)


def _twin_params(places: Iterable[Place]) -> Iterator[Problem]:
    """A run names its parameters by type, so two types may not share a name."""
    first: dict[str, type[BaseModel]] = {}
    for place in places:
        kind = place.section.params
        if kind is not None and first.setdefault(kind.__name__, kind) is not kind:
            rule = "is the name of another section's params too; rename one"
            yield Problem("duplicate-params", place.path, kind.__name__, rule)


def _twin_names(kind: str, declared: Sequence[BaseModel]) -> Iterator[Problem]:
    """Two different guardrails of one name would share a memory; the same one twice is no matter."""
    first: dict[str, BaseModel] = {}
    for each in declared:
        name = str(getattr(each, "name", ""))
        if first.setdefault(name, each) is not each and first[name] != each:
            yield Problem(f"duplicate-{kind}", "", name, f"names two different ones ({kind}); rename one")


def _guardrail_problems(definition: "AgentDefinition", places: Sequence[Place]) -> Iterator[Problem]:
    declared_at = {policy.name: place.path for place in places for policy in place.section.policies}
    for code, token, text in memory.faults(definition, RESERVED):
        yield Problem(code, declared_at.get(token, ""), token, text)


def _output_problems(kind: type[BaseModel]) -> Iterator[Problem]:
    try:
        check_output(kind)
    except BrokenDefinition as broken:
        yield Problem(broken.code, "", kind.__name__, f"cannot be answered: {broken.message}")


def _named(kind: type[BaseModel] | None) -> str:
    return kind.__name__ if kind else "none at all"
