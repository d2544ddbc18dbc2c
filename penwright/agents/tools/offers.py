"""Tool offers for a model: name, description and argument schema."""

from collections.abc import Mapping

from pydantic import JsonValue

from penwright.agents.digests import json_digest
from penwright.agents.tools.tool import Tool
from schemas.agent import ToolOffer

TextOverrides = Mapping[tuple[str, str], str]
"""Text by (path, field): ``a/b`` with body or summary, ``a/b:tool`` with description,
``a/b:tool.param`` with param, ``a/b:tool#1`` (counted from 1) with example."""


def offer(tool: Tool, path: str, overrides: TextOverrides) -> ToolOffer:
    """The offer of a tool in the section at ``path``."""
    at = f"{path}:{tool.name}"
    parameters = tool.parameters
    for name, field in parameters.get("properties", {}).items():
        if (text := overrides.get((f"{at}.{name}", "param"))) is not None:
            field["description"] = text
    description = overrides.get((at, "description"), tool.description)
    return ToolOffer(name=tool.name, description=description, parameters=parameters)


def manifest_digest(offers: tuple[ToolOffer, ...]) -> str:
    """The digest of all tool offers of a model call."""
    dumped: JsonValue = [offer.model_dump(mode="json") for offer in offers]
    return json_digest(dumped)
