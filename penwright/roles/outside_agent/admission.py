"""Which calls of an outside agent are taken at all."""

import json
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import ValidationError

from penwright.agents.tools.tool import Arguments
from penwright.domain.text.nearest import meant
from penwright.errors import UsageMistake

LONGEST_CALL = 48 * 1024
"""Bytes of a call's arguments, as JSON."""
_MOST_PROBLEMS = 10


@dataclass(frozen=True, slots=True)
class OutsideTool:
    """One tool for outside agents."""

    name: str
    description: str
    params: type[Arguments]
    writes: bool = False
    """Whether it may change something."""
    longest: int = LONGEST_CALL
    """Bytes of its arguments, as JSON."""
    shorter: str = "send less"
    """Advice on a call that is too long."""


def admitted(tools: Mapping[str, OutsideTool], name: str, arguments: Mapping[str, object]) -> Arguments:
    """The arguments of a call as its tool's own type: nothing unknown, nothing coerced.

    Raises:
        UsageMistake: ``unknown-tool``, ``arguments-too-long`` or ``invalid-arguments``, naming the fields.
    """
    tool = tools.get(name)
    if tool is None:
        raise _unknown(tools, name)
    text = measured(tool, arguments)
    try:
        return tool.params.model_validate_json(text, strict=True)
    except ValidationError as error:
        found = error.errors(include_url=False, include_context=False, include_input=False)
        raise _invalid(
            tool, [(".".join(map(str, one["loc"])) or "arguments", one["msg"]) for one in found]
        ) from None


def measured(tool: OutsideTool, arguments: Mapping[str, object]) -> str:
    """The arguments of a call as JSON, if they can be carried on; their fields are not looked at.

    Raises:
        UsageMistake: ``arguments-too-long`` or ``invalid-arguments``.
    """
    try:
        text = json.dumps(arguments, ensure_ascii=False)
    except RecursionError:
        raise _invalid(tool, [("arguments", "are nested too deep")]) from None
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > tool.longest:
        raise _too_long(tool, size)
    if halves := [key for key, value in arguments.items() if _is_torn(value)]:
        raise _invalid(tool, [(str(key), "holds half of a surrogate pair") for key in halves])
    return text


def _is_torn(value: object) -> bool:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return True
    return False


def _unknown(tools: Mapping[str, OutsideTool], name: str) -> UsageMistake:
    return UsageMistake(
        "unknown-tool",
        f"there is no tool {name[:64]!r}, and nothing was done{meant(name, tools)}",
        tools=", ".join(tools),
    )


def _too_long(tool: OutsideTool, size: int) -> UsageMistake:
    return UsageMistake(
        "arguments-too-long",
        f"the arguments of {tool.name!r} have {size} bytes, {tool.longest} are taken; nothing was changed",
        action_hint=f"{tool.shorter}, and call again",
        bytes=str(size),
        most_bytes=str(tool.longest),
    )


def _invalid(tool: OutsideTool, problems: list[tuple[str, str]]) -> UsageMistake:
    shown = [(field[:80], problem) for field, problem in problems[:_MOST_PROBLEMS]]
    listed = "; ".join(f"{field}: {problem}" for field, problem in shown)
    return UsageMistake(
        "invalid-arguments",
        f"the arguments of {tool.name!r} do not fit, and the call was not made: {listed}",
        fields=", ".join(field for field, _ in shown),
        problems=listed,
        known_fields=", ".join(tool.params.model_fields),
    )
