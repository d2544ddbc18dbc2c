"""Check one section: its texts, conditions, parameters, tools and skills."""

import functools
import inspect
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from penwright.agents.definition import skills
from penwright.agents.definition.outline import PlacedSection
from penwright.agents.definition.output import FINAL_ANSWER
from penwright.agents.definition.section import Section
from penwright.agents.definition.template import lone_dollars, unknown_placeholders
from penwright.agents.tools.argument_types import schema_faults, type_faults
from penwright.agents.tools.examples import example_text, read_example
from penwright.agents.tools.tool import Tool, ToolExample


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem of a definition."""

    code: str
    path: str
    """Of the section; empty for the definition as a whole."""
    token: str
    text: str

    def __str__(self) -> str:
        where = f"section {self.path!r}: " if self.path else ""
        return f"{where}{self.token!r} {self.text}"


RESERVED = frozenset({"open_sections", "read_section", FINAL_ANSWER})
"""Names of the built-in tools."""
LONGEST_DESCRIPTION = 1_024
_KEY = re.compile(r"[a-z0-9-]{1,64}")
_TOOL = re.compile(r"[a-z0-9_-]{1,64}")


def section_problems(place: PlacedSection) -> Iterator[Problem]:
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


def _visibility_problems(section: Section, path: str) -> Iterator[Problem]:
    if section.visibility != "full" and not section.summary.strip():
        yield Problem("no-summary", path, "visibility", "can be summary, but there is no summary to show")
    for name, given in (("enabled", section.enabled), ("visibility", section.visibility)):
        if callable(given) and (_is_async(given) or not _takes_two(given)):
            rule = "must be a plain function of the section's params and the state"
            yield Problem("bad-condition", path, name, rule)


def _params_problems(section: Section, path: str) -> Iterator[Problem]:
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
    if tool.effect == "pure" and _is_async(tool.handler):
        rule = "is pure and runs in the workflow: its handler must be a plain function, not async"
        yield Problem("bad-handler", path, tool.name, rule)
    if tool.effect != "pure" and not _is_async(tool.handler):
        rule = f"has the effect {tool.effect!r} and is run by a worker: its handler must be async"
        yield Problem("bad-handler", path, tool.name, rule)
    if not _takes_two(tool.handler):
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


def text_problems(section: Section, path: str, *, field: str, text: str) -> Iterator[Problem]:
    """Find what a ``text`` may not say as a body or summary of ``section``; overrides are held to it too."""
    names = frozenset(section.params.model_fields) if section.params else frozenset[str]()
    known = ", ".join(f"${name}" for name in sorted(names)) or "none, for it has no params"
    for token in unknown_placeholders(text, names):
        yield Problem("unknown-placeholder", path, token, f"in the {field} is none of its fields ({known})")
    for token in lone_dollars(text):
        yield Problem("lone-dollar", path, token, f"in the {field} begins no placeholder; write `$$`")


def _named(kind: type[BaseModel] | None) -> str:
    return kind.__name__ if kind else "none at all"


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function inside a partial, or the ``__call__`` of an object."""
    while isinstance(function, functools.partial):
        function = function.func
    if inspect.isroutine(function) or isinstance(function, type):
        return function
    method: Callable[..., Any] = function.__call__  # type: ignore[operator]  # a routine is handled above
    return method


def _is_async(function: Callable[..., Any]) -> bool:
    """Whether a call returns an awaitable."""
    return inspect.iscoroutinefunction(_plain(function))


def _takes_two(function: Callable[..., Any]) -> bool:
    """Whether it can be called with two arguments by position."""
    try:
        inspect.signature(function).bind(None, None)
    except TypeError:
        return False
    except ValueError:  # some built-ins have no signature
        return True
    return True
