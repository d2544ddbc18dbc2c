"""Examples of a tool's use: as prompt text, and as JSON for overrides."""

import json

from pydantic import BaseModel, JsonValue, ValidationError

from penwright.agents.tools.tool import Declared, Tool, ToolExample


class ExampleText(Declared):
    """An example in the JSON form of overrides."""

    description: str
    params: JsonValue
    result: JsonValue = None


def example_text(example: ToolExample) -> str:
    """The example as JSON, for an author to edit."""
    value = {"description": example.description, "params": _plain(example.params)}
    if example.result is not None:
        value["result"] = _plain(example.result)
    return json.dumps(value, ensure_ascii=False, indent=2)


def read_example(tool: Tool, text: str) -> ToolExample:
    """Parse an example; the inverse of ``example_text``.

    Raises:
        ValueError: when it is not JSON of this shape, or does not fit the tool's types.
    """
    try:
        given = ExampleText.model_validate_json(text)
        params = tool.params.model_validate_json(json.dumps(given.params), strict=True)
        result = _result(tool, given.result)
    except ValidationError as error:
        raise ValueError(f"not an example of tool {tool.name!r}: {_first(error)}") from None
    return ToolExample(description=given.description, params=params, result=result)


def shown(tool: str, example: ToolExample) -> str:
    """The example as prompt text."""
    lines = [f"Example of `{tool}`: {example.description}", f"- call: `{_line(example.params)}`"]
    if example.result is not None:
        lines.append(f"- answer: `{_line(example.result)}`")
    return "\n".join(lines)


def _result(tool: Tool, given: JsonValue) -> BaseModel | None:
    if given is None:
        return None
    if tool.result is None:
        raise ValueError(f"tool {tool.name!r} has no result type; leave `result` out of its example")
    return tool.result.model_validate_json(json.dumps(given), strict=True)


def _plain(value: BaseModel) -> JsonValue:
    plain: JsonValue = value.model_dump(mode="json", by_alias=True)
    return plain


def _line(value: BaseModel) -> str:
    return json.dumps(_plain(value), ensure_ascii=False)


def _first(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, problem['loc'])) or 'the whole'}: {problem['msg']}"
