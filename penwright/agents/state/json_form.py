"""Dump events to JSON and load them, across versions."""

from typing import TypeVar

from pydantic import BaseModel, JsonValue, ValidationError
from pydantic_core import PydanticSerializationError, to_json

from penwright.agents.state.declared import Event
from penwright.errors import BrokenDefinition

Happened = TypeVar("Happened", bound=Event)


def dump(event: BaseModel) -> JsonValue:
    """The event as JSON."""
    value: JsonValue = event.model_dump(mode="json", by_alias=True, warnings="error")
    return value


def load(kind: type[Happened], version: int, value: JsonValue) -> Happened:
    """The event of this JSON, which an older version may have written.

    Raises:
        BrokenDefinition: ``newer-version``, ``no-upcaster``, ``upcaster-failed`` or ``unreadable-state``.
    """
    if version > kind.event_version:
        raise BrokenDefinition(
            "newer-version",
            f"{kind.event_name!r} was written by version {version}, and this build reads up to "
            f"{kind.event_version}; run a build that knows it",
            slice=kind.event_name,
        )
    current = _upcast(kind, version, value)
    try:
        return _parsed(kind, current)
    except ValidationError as error:
        raise BrokenDefinition(
            "unreadable-state",
            f"{kind.event_name!r} version {version} does not fit {kind.__name__}: {_first(error)}; "
            f"raise event_version and give an upcaster",
            slice=kind.event_name,
        ) from error


def round_tripped(item: Happened) -> Happened:
    """Round-trip ``item`` through JSON: a private copy that is known to serialize.

    Raises:
        BrokenDefinition: ``not-json``, if it does not come back equal.
    """
    try:
        again = _parsed(type(item), dump(item))
    except (PydanticSerializationError, ValidationError, ValueError) as error:
        raise _not_json(item, f"{type(error).__name__}: {_first(error)}") from error
    if again != item:
        raise _not_json(item, "it comes back as another value")
    return again


def _upcast(kind: type[Event], version: int, value: JsonValue) -> JsonValue:
    steps = kind.upcasters()
    for at in range(version, kind.event_version):
        if at not in steps:
            raise BrokenDefinition(
                "no-upcaster",
                f"{kind.event_name!r} version {version} is no longer supported; give an upcaster from {at}",
                slice=kind.event_name,
            )
        try:
            value = steps[at](value)
        except Exception as error:
            raise BrokenDefinition(
                "upcaster-failed",
                f"the upcaster of {kind.event_name!r} from version {at} failed: "
                f"{type(error).__name__}: {error}; fix it",
                slice=kind.event_name,
            ) from error
    return value


def _parsed(kind: type[Happened], value: JsonValue) -> Happened:
    # As text: what strict models take from JSON is not what they take from Python's values.
    return kind.model_validate_json(to_json(value, inf_nan_mode="null"))


def _not_json(item: Event, why: str) -> BrokenDefinition:
    return BrokenDefinition(
        "not-json",
        f"an item of {item.event_name!r} cannot be kept as JSON: {why}; use plain types",
        slice=item.event_name,
    )


def _first(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
