"""How a model is told of a tool: its name, its description and the schema of its arguments."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel, JsonValue

from penwright.agents.digests import json_digest
from penwright.agents.tools.tool import Tool
from schemas.agent import ToolOffer

TextOverrides = Mapping[tuple[str, str], str]
"""Text by (path, field): ``a/b`` with body or summary, ``a/b:tool`` with description,
``a/b:tool.param`` with param, ``a/b:tool#1`` (counted from 1) with example."""


def offer(tool: Tool, path: str, overrides: TextOverrides) -> ToolOffer:
    """The offer of a tool that stands in the section ``path``."""
    at = f"{path}:{tool.name}"
    parameters = arguments_schema(tool.params)
    for name, field in parameters.get("properties", {}).items():
        if (text := overrides.get((f"{at}.{name}", "param"))) is not None:
            field["description"] = text
    description = overrides.get((at, "description"), tool.description)
    return ToolOffer(name=tool.name, description=description, parameters=parameters)


def arguments_schema(kind: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a tool's arguments, a new copy each time; no field but those named is allowed."""
    schema: dict[str, Any] = json.loads(_schema_text(kind))
    return schema


def manifest_digest(offers: tuple[ToolOffer, ...]) -> str:
    """One fingerprint over all that a model is told of its tools."""
    told: JsonValue = [offer.model_dump(mode="json") for offer in offers]
    return json_digest(told)


@cache
def _schema_text(kind: type[BaseModel]) -> str:
    schema = kind.model_json_schema()
    for model in (schema, *schema.get("$defs", {}).values()):
        model.pop("title", None)
        if "properties" in model:
            model["additionalProperties"] = False
            for field in model["properties"].values():
                field.pop("title", None)
    return json.dumps(schema)
