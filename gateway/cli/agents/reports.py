"""Agents for people and as JSON: lists, how one is made, what it is told, what is wrong with it."""

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from gateway.cli.output import columns
from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.linting import findings
from penwright.agents.definition.manifest import definition_digest
from penwright.agents.prompt.overridable import descriptor
from penwright.agents.prompt.parameters import Parameters, bind
from penwright.agents.prompt.rendering import Rendered, render
from penwright.agents.state import empty_state
from penwright.errors import PenwrightError

if TYPE_CHECKING:
    from penwright.agents.definition.outline import Place
    from penwright.agents.tools.tool import Tool
    from penwright.roles.catalogue import Entry
    from schemas.agent import SkippedOverride
    from schemas.overrides import ResolvedOverrides

_SHORT = 12
"""Characters of a digest that people are shown."""

# Any, here and below: JSON.
Json = dict[str, Any]


def row(definition: AgentDefinition) -> Json:
    """One line of the list."""
    return {
        "name": definition.name,
        "version": definition.version,
        "title": definition.title,
        "sections": len(list(definition.places)),
        "tools": sorted(definition.tools),
        "output": definition.output.__name__ if definition.output else "text",
        "digest": definition_digest(definition),
    }


def listed(rows: Sequence[Json]) -> list[str]:
    """The list as a table."""
    cells = [
        (
            each["name"],
            str(each["version"]),
            str(each["sections"]),
            str(len(each["tools"])),
            each["output"],
            each["digest"][:_SHORT],
            each["title"],
        )
        for each in rows
    ]
    return columns([("name", "version", "sections", "tools", "output", "digest", "title"), *cells])


def shown(definition: AgentDefinition) -> Json:
    """How an agent is made."""
    return {
        **row(definition),
        "sections": [_section(place) for place in definition.places],
        "parameters": _parameter_schemas(definition),
        "flags": _flags(definition),
        "policies": [policy.name for policy in definition.policies],
        "feedback": [provider.name for provider in definition.feedback],
        "completion": definition.completion.name if definition.completion else None,
        "slices": [each.name for each in definition.registry.slices.values()],
        "repairs": definition.repairs,
        "texts": [
            {"path": text.path, "field": text.field, "digest": text.digest}
            for text in descriptor(definition).values()
        ],
    }


def _flags(definition: AgentDefinition) -> Json:
    """Type and default of each, by name; ``--flags NAME=VALUE`` sets it."""
    if definition.flags is None:
        return {}
    plain = definition.flags().model_dump(mode="json")
    schema = definition.flags.model_json_schema()["properties"]
    return {name: {"type": schema[name].get("type", "value"), "default": plain[name]} for name in plain}


def shown_lines(made: Json) -> list[str]:
    """The same for people."""
    lines = [f"{made['name']}, version {made['version']}: {made['title']}", ""]
    for section in made["sections"]:
        lines += _section_lines(section)
    lines += ["", f"answers: {made['output']}, mended at most {made['repairs']} times"]
    for kind, schema in made["parameters"].items():
        lines.append(f"parameters: {kind} ({', '.join(_field_names(schema)) or 'no fields'})")
    for name, flag in made["flags"].items():
        lines.append(f"flag: {name} ({flag['type']}), else {json.dumps(flag['default'])}")
    for guard in ("policies", "feedback"):
        lines += [f"{guard}: {', '.join(made[guard])}"] if made[guard] else []
    lines += [f"done when: {made['completion']}"] if made["completion"] else []
    lines += [f"state: {', '.join(made['slices'])}", f"digest: {made['digest']}", ""]
    texts = [(each["path"], each["field"], each["digest"][:_SHORT]) for each in made["texts"]]
    return [*lines, "texts that an override may replace:", *columns([("at", "field", "digest"), *texts])]


def rendered(
    definition: AgentDefinition, given: Parameters, told: Rendered, resolved: "ResolvedOverrides"
) -> Json:
    """What an agent is told."""
    return {
        "agent": definition.name,
        "version": definition.version,
        "parameters": {kind.__name__: value.model_dump(mode="json") for kind, value in given.given.items()},
        "digest": told.digest,
        "tools_digest": told.tools_digest,
        "sections": list(told.paths),
        "skills": [skill.name for skill in told.skills],
        "policies": {name: [policy.name for policy in each] for name, each in told.policies.items()},
        "tools": [offer.model_dump(mode="json") for offer in told.offers],
        "overrides": resolved.digest,
        "skipped_overrides": [each.model_dump(mode="json") for each in resolved.skipped],
        "text": told.text,
    }


def offer_lines(told: Rendered) -> Iterator[str]:
    """The tools as a model is told of them."""
    for offer in told.offers:
        yield ""
        yield f"tool {offer.name}: {offer.description}"
        yield json.dumps(offer.parameters, ensure_ascii=False, indent=2)


def rendered_note(told: Rendered, resolved: "ResolvedOverrides") -> str:
    """What there is beside the text."""
    lines = ["", f"sections: {', '.join(told.paths)}", f"tools: {', '.join(told.tools) or 'none'}"]
    lines += [_skipped(each) for each in resolved.skipped]
    return "\n".join([*lines, f"digest: {told.digest}"])


def _skipped(override: "SkippedOverride") -> str:
    found = override.found[:_SHORT] or "gone"
    written = override.expected[:_SHORT]
    return f"skipped: {override.field} at {override.path}, written against {written}; now it is {found}"


def linted(entry: "Entry") -> Json:
    """What is wrong with an agent."""
    found = [
        {"code": each.code, "section": each.path, "token": each.token, "message": str(each)}
        for each in findings(entry.definition)
    ]
    return {"name": entry.definition.name, "findings": [*found, *_rendering_findings(entry)]}


def linted_lines(found: Sequence[Json]) -> list[str]:
    """The same for people, agent after agent."""
    lines: list[str] = []
    for each in found:
        lines.append(f"{each['name']}: {_count(each['findings'])}")
        lines += [f"  {one['code']}: {one['message']}" for one in each["findings"]]
    return lines or ["no agents"]


def _rendering_findings(entry: "Entry") -> list[Json]:
    definition = entry.definition
    try:
        render(definition, bind(definition, entry.example), empty_state(definition.registry))
    except PenwrightError as error:
        where = {"section": error.details.get("path", ""), "token": error.details.get("token", "")}
        return [{"code": error.code, **where, "message": f"does not render: {error.message}"}]
    return []


def _count(found: Sequence[object]) -> str:
    return f"{len(found)} finding{'s' if len(found) > 1 else ''}" if found else "in order"


def _section(place: "Place") -> Json:
    section = place.section
    return {
        "path": place.path,
        "number": place.number,
        "title": section.title,
        "enabled": "always" if section.enabled is None else "depends",
        "visibility": "depends" if callable(section.visibility) else section.visibility,
        "params": section.params.__name__ if section.params else None,
        "tools": [_tool(tool) for tool in section.tools],
        "skills": [{"name": each.name, "digest": each.digest} for each in section.skills],
        "policies": [policy.name for policy in section.policies],
    }


def _tool(tool: "Tool") -> Json:
    asks = tool.effect == "external" if tool.approval is None else tool.approval
    return {
        "name": tool.name,
        "description": tool.description,
        "effect": tool.effect,
        "approval": asks,
        "params": tool.params.__name__,
        "result": tool.result.__name__ if tool.result else None,
    }


def _section_lines(section: Json) -> Iterator[str]:
    indent = "  " * section["number"].count(".")
    marks = [f"visibility {section['visibility']}"] if section["visibility"] != "full" else []
    marks += ["only in some states"] if section["enabled"] == "depends" else []
    marks += [f"filled by {section['params']}"] if section["params"] else []
    about = f"  [{'; '.join(marks)}]" if marks else ""
    yield f"{indent}{section['number']} {section['title']} ({section['path']}){about}"
    for tool in section["tools"]:
        asks = ", asks a person" if tool["approval"] else ""
        yield f"{indent}  tool {tool['name']} ({tool['effect']}{asks}): {tool['description']}"
    yield from (f"{indent}  skill {skill['name']}" for skill in section["skills"])
    yield from (f"{indent}  policy {name}" for name in section["policies"])


def _parameter_schemas(definition: AgentDefinition) -> Json:
    kinds = (place.section.params for place in definition.places)
    return {kind.__name__: kind.model_json_schema() for kind in kinds if kind is not None}


def _field_names(schema: Json) -> list[str]:
    wanted = schema.get("required", [])
    return [name if name in wanted else f"[{name}]" for name in schema.get("properties", {})]
