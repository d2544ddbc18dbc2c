"""The output type of a run: the schema that a model is shown, hidden fields, dump and load."""

import json
from collections.abc import Iterator
from typing import Annotated, Any, TypeVar, get_args, get_origin

from pydantic import (
    BaseModel,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    JsonValue,
    RootModel,
    ValidationInfo,
)
from pydantic.errors import PydanticInvalidForJsonSchema
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import CoreSchema, PydanticKnownError, PydanticOmit, core_schema

from penwright.errors import BrokenDefinition
from schemas.agent import ToolOffer

Output = TypeVar("Output", bound=BaseModel)

FINAL_ANSWER = "final_answer"
"""Name of the tool a model is made to call where its provider knows no schema of answers."""
FROM_MODEL = "penwright-from-model"
"""Set in the context of a validation whose input a model wrote."""


class Hidden:
    """Marks a field that is not in the model's schema and that the model may not fill."""

    def __get_pydantic_core_schema__(self, source: type[object], handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.with_info_before_validator_function(_not_from_model, handler(source))

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        raise PydanticOmit


def hidden() -> Hidden:
    """Annotation of an output field that ``finalize`` fills: ``words: Annotated[int, hidden()] = 0``.

    It is in no schema, is refused in a reply as any unknown field is, must have a default, and is always
    stored.
    """
    return Hidden()


# Any: the model may have written anything.
def _not_from_model(value: Any, info: ValidationInfo) -> Any:
    if info.context and info.context.get(FROM_MODEL):
        # As for a field that does not exist, so that a guess learns nothing.
        raise PydanticKnownError("extra_forbidden")
    return value


class _WireSchema(GenerateJsonSchema):
    """JSON schema of exactly what is taken as an answer."""

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        return super().model_schema(schema) | {"additionalProperties": False}

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> JsonSchemaValue:
        shown = super().default_schema(schema)
        if isinstance(shown.get("default"), (dict, list)):
            # A default would show the hidden fields inside it.
            del shown["default"]
        return shown


def wire_schema(kind: type[BaseModel]) -> dict[str, Any]:  # a JSON schema is open by nature
    """JSON schema of ``kind`` as a model is shown it: no hidden field, and nothing besides the fields."""
    return kind.model_json_schema(schema_generator=_WireSchema)


def final_answer(kind: type[BaseModel]) -> ToolOffer:
    """The forced tool whose arguments are the answer."""
    return ToolOffer(
        name=FINAL_ANSWER,
        description="Give the final answer of the task. Call it once, when everything else is done.",
        parameters=wire_schema(kind),
    )


def check_output(kind: type[BaseModel], path: str = "") -> None:
    """Raise ``BrokenDefinition`` for an output type that no answer can fill, naming the field."""
    if issubclass(kind, RootModel):
        raise BrokenDefinition(
            "output-not-an-object",
            f"The output type {kind.__name__!r} is not an object, and models answer with objects. "
            "Give it one field that holds the value.",
        )
    for name, field, place in _fields(kind, path or kind.__name__, frozenset()):
        _check_field(name, field, place)
    try:
        wire_schema(kind)
    except PydanticInvalidForJsonSchema as error:
        raise BrokenDefinition(
            "output-without-schema",
            f"The output type {kind.__name__!r} cannot be shown to a model: {error.message} "
            "Use types that JSON has, or hide the field with a default.",
        ) from error


def _check_field(name: str, field: FieldInfo, place: str) -> None:
    if any(_marks_hidden(inner) for inner in _inside(field.annotation)):
        raise BrokenDefinition(
            "hidden-misplaced",
            f"The field {place!r} hides a part of its type. "
            f"Mark the whole field: {name}: Annotated[…, hidden()] = ….",
        )
    if _is_hidden(field) and field.is_required():
        raise BrokenDefinition(
            "hidden-without-default",
            f"The hidden field {place!r} has no default. Give it one; no model can fill it.",
        )
    if _is_hidden(field) and field.exclude:
        raise BrokenDefinition(
            "hidden-excluded", f"The hidden field {place!r} is never stored. Remove its exclude=True."
        )


def _is_hidden(field: FieldInfo) -> bool:
    return any(isinstance(mark, Hidden) for mark in field.metadata)


def _fields(
    kind: type[BaseModel], path: str, above: frozenset[type[BaseModel]]
) -> Iterator[tuple[str, FieldInfo, str]]:
    """Every field of ``kind`` and of the models in it that a model is shown."""
    for name, field in kind.model_fields.items():
        yield name, field, f"{path}.{name}"
        if _is_hidden(field):
            continue
        for inner in _inside(field.annotation):
            if isinstance(inner, type) and issubclass(inner, BaseModel) and inner not in above | {kind}:
                yield from _fields(inner, f"{path}.{name}", above | {kind})


# Annotations are types, special forms and values of literals.
def _inside(annotation: Any) -> Iterator[Any]:
    yield annotation
    for part in get_args(annotation):
        yield from _inside(part)


def _marks_hidden(annotation: Any) -> bool:
    return get_origin(annotation) is Annotated and any(isinstance(a, Hidden) for a in annotation.__metadata__)


def dumped(value: BaseModel) -> JsonValue:
    """An output as JSON, hidden fields included; ``loaded`` takes it back."""
    stored: JsonValue = value.model_dump(mode="json", by_alias=False, round_trip=True, warnings="error")
    return stored


def loaded(kind: type[Output], stored: JsonValue) -> Output:
    """The output that was ``dumped``."""
    return kind.model_validate_json(json.dumps(stored), by_alias=True, by_name=True)
