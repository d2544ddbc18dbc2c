"""The parameters of a definition's sections: one value per type."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pydantic import BaseModel, JsonValue, ValidationError

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.outline import PlacedSection
from penwright.errors import UsageMistake

_GIVE = "give it among the run's params, by the name of its type"


@dataclass(frozen=True, slots=True)
class Parameters:
    """The values given to a run, and the sections' defaults for the rest."""

    given: Mapping[type[BaseModel], BaseModel]
    defaults: Mapping[type[BaseModel], BaseModel]
    """The first one that a section declares, by type."""

    def of(self, place: PlacedSection) -> BaseModel | None:
        """The parameters of a section: the run's value, else its default, another section's, or an empty one.

        Raises:
            UsageMistake: ``parameter-missing`` if none of these exists.
        """
        section = place.section
        if section.params is None:
            return None
        known = (self.given.get(section.params), section.defaults, self.defaults.get(section.params))
        found = next((value for value in known if value is not None), None)
        return found if found is not None else _empty(section.params, place.path)


def bind(definition: AgentDefinition, values: Iterable[BaseModel] = ()) -> Parameters:
    """Bind values to a definition's sections, at most one of each type.

    Raises:
        UsageMistake: ``parameter-twice``, or ``parameter-unknown`` for a type that no section takes.
    """
    kinds = _kinds(definition)
    given: dict[type[BaseModel], BaseModel] = {}
    for value in values:
        if type(value) in given:
            raise _mistake(
                "parameter-twice", definition, type(value).__name__, "is given twice; give it once"
            )
        if type(value) not in kinds.values():
            raise _unknown(definition, type(value).__name__, kinds)
        given[type(value)] = value
    return Parameters(MappingProxyType(given), MappingProxyType(_defaults(definition)))


def read(definition: AgentDefinition, values: Mapping[str, JsonValue]) -> Parameters:
    """Bind values given as JSON, by the name of their type.

    Raises:
        UsageMistake: as ``bind``, and ``parameter-invalid`` naming the field.
    """
    kinds = _kinds(definition)
    for name in values:
        if name not in kinds:
            raise _unknown(definition, name, kinds)
    return bind(definition, [_parsed(definition, kinds[name], value) for name, value in values.items()])


def _parsed(definition: AgentDefinition, kind: type[BaseModel], value: JsonValue) -> BaseModel:
    try:
        return kind.model_validate_json(json.dumps(value), strict=True)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        token = ".".join((kind.__name__, *map(str, problem["loc"])))
        raise _mistake("parameter-invalid", definition, token, f"is not valid: {problem['msg']}") from None


def _kinds(definition: AgentDefinition) -> dict[str, type[BaseModel]]:
    declared = (place.section.params for place in definition.places)
    return {kind.__name__: kind for kind in declared if kind is not None}


def _defaults(definition: AgentDefinition) -> dict[type[BaseModel], BaseModel]:
    first: dict[type[BaseModel], BaseModel] = {}
    for place in definition.places:
        if place.section.defaults is not None:
            first.setdefault(type(place.section.defaults), place.section.defaults)
    return first


def _empty(kind: type[BaseModel], path: str) -> BaseModel:
    try:
        return kind()
    except ValidationError as error:
        wanted = ", ".join(".".join(map(str, each["loc"])) for each in error.errors(include_url=False))
        raise UsageMistake(
            "parameter-missing",
            f"section {path!r} is filled by {kind.__name__!r} ({wanted}), which was not given; {_GIVE}",
            path=path,
            token=kind.__name__,
        ) from None


def _unknown(definition: AgentDefinition, name: str, kinds: Mapping[str, object]) -> UsageMistake:
    known = ", ".join(kinds) or "none"
    return _mistake("parameter-unknown", definition, name, f"fills none of its sections; these do: {known}")


def _mistake(code: str, definition: AgentDefinition, token: str, text: str) -> UsageMistake:
    return UsageMistake(code, f"agent {definition.name!r}: the parameter {token!r} {text}", token=token)
