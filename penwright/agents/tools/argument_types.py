"""Check parameter types: frozen throughout, and with the same JSON in every process."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticUserError

_BETTER = {list: "a tuple", dict: "a Mapping or a model"}
_SETS = (set, frozenset, AbstractSet)


def type_faults(kind: type[BaseModel]) -> Iterator[str]:
    """Problems of ``kind``; each names the type or field and the remedy."""
    for model in _models(kind, set()):
        if not model.model_config.get("frozen"):
            yield f"type {model.__name__!r} is not frozen; derive it from `Arguments` or set `frozen=True`"
        for name, field in model.model_fields.items():
            yield from _field_faults(f"{model.__name__}.{name}", field.annotation)
    yield from schema_faults(kind)


def schema_faults(kind: type[BaseModel]) -> tuple[str, ...]:
    """Reasons why ``kind`` has no JSON schema; empty if it has one."""
    try:
        kind.model_json_schema()
    except (PydanticInvalidForJsonSchema, PydanticUserError) as error:
        return (f"type {kind.__name__!r} has no JSON schema: {str(error).splitlines()[0]}",)
    return ()


def arguments_schema(kind: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a tool's arguments, without titles; fields that are not declared are not allowed."""
    schema = kind.model_json_schema()
    for model in (schema, *schema.get("$defs", {}).values()):
        model.pop("title", None)
        if "properties" in model:
            model["additionalProperties"] = False
            for field in model["properties"].values():
                field.pop("title", None)
    return schema


def _field_faults(name: str, annotation: Any) -> Iterator[str]:  # Any: annotations are of every kind
    for part in _parts(annotation):
        if part in _SETS:
            yield f"field {name!r} is a set, whose order changes from process to process; use a tuple"
        elif part in _BETTER:
            yield f"field {name!r} can be changed in place; use {_BETTER[part]}"


def _models(kind: type[BaseModel], seen: set[type[BaseModel]]) -> Iterator[type[BaseModel]]:
    if kind in seen:
        return
    seen.add(kind)
    yield kind
    for field in kind.model_fields.values():
        for part in _parts(field.annotation):
            if isinstance(part, type) and issubclass(part, BaseModel):
                yield from _models(part, seen)


def _parts(annotation: Any) -> Iterator[Any]:  # Any: as above
    """The parts of an annotation: ``tuple[X, ...] | None`` gives tuple, X and None."""
    yield get_origin(annotation) or annotation
    for inner in get_args(annotation):
        if not isinstance(inner, str | int | float):
            yield from _parts(inner)
