"""The digest of a whole definition, which a run is pinned to."""

import functools
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from pydantic import BaseModel, JsonValue
from pydantic_core import to_jsonable_python

from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.skills import Skill
from penwright.agents.digests import canonical_json, json_digest


def definition_digest(definition: AgentDefinition) -> str:
    """Changes with every text, type, rule and name of a definition.

    Functions count by name: their code may change without unpinning a run.
    """
    return json_digest(_plain(definition))


# Any: whatever a definition may hold.
def _plain(value: Any) -> JsonValue:
    match value:
        case Skill():
            return {"name": value.name, "description": value.description, "digest": value.digest}
        case BaseModel():
            fields = {name: _plain(getattr(value, name)) for name in type(value).model_fields}
            return {"type": _name(type(value)), "fields": fields}
        case type() if issubclass(value, BaseModel):
            return {"type": _name(value), "schema": value.model_json_schema()}
        case Mapping():
            return [[_plain(key), _plain(each)] for key, each in value.items()]
        case AbstractSet():
            return sorted((_plain(each) for each in value), key=canonical_json)
        case tuple() | list():
            return [_plain(each) for each in value]
        case functools.partial():
            return [_name(value.func), _plain(value.args), _plain(value.keywords)]
    plain: JsonValue = to_jsonable_python(value, fallback=_name)
    return plain


def _name(thing: Any) -> str:
    """Module and qualified name of a type or function; of an object, those of its type."""
    named = thing if hasattr(thing, "__qualname__") else type(thing)
    return f"{named.__module__}.{named.__qualname__}"
