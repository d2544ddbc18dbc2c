"""The parameters of an agent as a command line gives them: a file of JSON, and single fields."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic_core import from_json

from penwright.errors import UsageMistake

ParamsOption = Annotated[
    str,
    typer.Option(
        "--params",
        metavar="FILE",
        help="JSON with the fields of its parameters by type name; - for standard input.",
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="TYPE.FIELD=VALUE", help="One field; the value as JSON, or plain text."),
]


# Any, here and below: JSON.
def merged(known: Mapping[str, Any], path: str, fields: Sequence[str]) -> dict[str, Any]:
    """``known`` parameters by type name, with those of the file and then single fields in their place."""
    values: dict[str, Any] = {**known, **_from_file(path)}
    for text in fields:
        kind, field, value = _field(text)
        values[kind] = {**_object(values.get(kind, {}), kind), field: value}
    return values


def _from_file(path: str) -> dict[str, Any]:
    if not path:
        return {}
    raw = sys.stdin.buffer.read() if path == "-" else Path(path).expanduser().read_bytes()
    try:
        return _object(from_json(raw), path)
    except ValueError as error:
        raise UsageMistake("params-not-json", f"the parameters in {path!r} are not JSON: {error}") from None


def _object(value: Any, where: str) -> dict[str, Any]:  # Any: parsed JSON
    if isinstance(value, dict):
        return value
    hint = 'write fields by type name, such as {"SessionTask": {"language": "English"}}'
    raise UsageMistake("params-not-fields", f"{where!r} holds {type(value).__name__}, not fields", hint=hint)


def _field(text: str) -> tuple[str, str, Any]:
    """``Type.field=value`` taken apart; a value that is no JSON is text."""
    target, equals, value = text.partition("=")
    kind, dot, field = target.partition(".")
    if not (equals and dot and kind and field):
        hint = "write it as TYPE.FIELD=VALUE, such as SessionTask.words_wanted=400"
        raise UsageMistake("bad-set", f"--set {text!r} names no field", hint=hint)
    try:
        return kind, field, from_json(value)
    except ValueError:
        return kind, field, value
