"""Definitions of agents as JSON: their parts, their prompts, and what is wrong with them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gateway.desk.services import Services
from penwright.adapters.overrides.file_format import load_overrides
from penwright.agents.definition.agent import AgentDefinition
from penwright.agents.definition.linting import findings
from penwright.agents.definition.manifest import definition_digest
from penwright.agents.definition.opened_sections import SectionOpened
from penwright.agents.definition.outline import PlacedSection
from penwright.agents.definition.run_slices import registry_of
from penwright.agents.prompt import parameters
from penwright.agents.prompt.overridable import descriptor
from penwright.agents.prompt.overrides import resolve, texts_of
from penwright.agents.prompt.parameters import Parameters, bind
from penwright.agents.prompt.rendering import Rendered, render
from penwright.agents.state import State, apply, empty_state
from penwright.agents.tools.tool import Tool
from penwright.domain.text.nearest import meant
from penwright.errors import NotFound, PenwrightError
from penwright.roles.catalogue import Entry, all_agents, find
from schemas.overrides import ResolvedOverrides

# Any, here and below: JSON.
Json = dict[str, Any]


def listed(services: Services) -> list[Json]:
    """One row for each agent of this installation."""
    services.register_agents()
    return [row(entry.definition) for entry in all_agents().values()]


def described(services: Services, name: str) -> Json:
    """Describe the agent; ``NotFound`` if there is none of that name."""
    services.register_agents()
    return shown(find(name).definition)


def example_parameters(services: Services, name: str) -> Json:
    """The agent's example parameters, by type name."""
    services.register_agents()
    return {type(value).__name__: value.model_dump(mode="json") for value in find(name).example}


def render_agent(
    services: Services,
    name: str,
    params: Mapping[str, Any],
    *,
    opened: Sequence[str] = (),
    overrides: Path | None = None,
) -> tuple[Json, Rendered, ResolvedOverrides]:
    """An agent's prompt at the start of a run: as JSON, rendered, and with which overrides.

    Args:
        params: by type name.
        opened: summarised sections to show in full; ``NotFound`` for one that does not exist.
        overrides: a file of overrides.
    """
    services.register_agents()
    definition = find(name).definition
    given = parameters.read(definition, params)
    state = _state(definition, opened)
    wanted = load_overrides(overrides.expanduser().read_bytes(), str(overrides)) if overrides else None
    resolved = resolve(definition, wanted)
    prompt = render(definition, given, state, texts_of(resolved))
    return rendered(definition, given, prompt, resolved), prompt, resolved


def lint(services: Services, name: str = "") -> list[Json]:
    """Findings of one agent, or of all of them."""
    services.register_agents()
    entries = [find(name)] if name else list(all_agents().values())
    return [linted(entry) for entry in entries]


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


def shown(definition: AgentDefinition) -> Json:
    """Describe an agent."""
    return {
        **row(definition),
        "sections": [_section(place) for place in definition.places],
        "parameters": _parameter_schemas(definition),
        "flags": _flags(definition),
        "policies": [policy.name for policy in definition.policies],
        "feedback": [provider.name for provider in definition.feedback],
        "completion": definition.completion.name if definition.completion else None,
        "slices": [each.name for each in registry_of(definition).slices.values()],
        "repairs": definition.repairs,
        "texts": [
            {"path": text.path, "field": text.field, "digest": text.digest}
            for text in descriptor(definition).values()
        ],
    }


def rendered(
    definition: AgentDefinition, given: Parameters, prompt: Rendered, resolved: ResolvedOverrides
) -> Json:
    """A rendered prompt as JSON."""
    return {
        "agent": definition.name,
        "version": definition.version,
        "parameters": {kind.__name__: value.model_dump(mode="json") for kind, value in given.given.items()},
        "digest": prompt.digest,
        "tools_digest": prompt.tools_digest,
        "sections": list(prompt.paths),
        "skills": [skill.name for skill in prompt.skills],
        "policies": {name: [policy.name for policy in each] for name, each in prompt.policies.items()},
        "tools": [offer.model_dump(mode="json") for offer in prompt.offers],
        "overrides": resolved.digest,
        "skipped_overrides": [each.model_dump(mode="json") for each in resolved.skipped],
        "text": prompt.text,
    }


def linted(entry: Entry) -> Json:
    """Find the faults of an agent."""
    found = [
        {"code": each.code, "section": each.path, "token": each.token, "message": str(each)}
        for each in findings(entry.definition)
    ]
    return {"name": entry.definition.name, "findings": [*found, *_rendering_findings(entry)]}


def _flags(definition: AgentDefinition) -> Json:
    """Type and default of each, by name; ``--flags NAME=VALUE`` sets it."""
    if definition.flags is None:
        return {}
    plain = definition.flags().model_dump(mode="json")
    schema = definition.flags.model_json_schema()["properties"]
    return {name: {"type": schema[name].get("type", "value"), "default": plain[name]} for name in plain}


def _rendering_findings(entry: Entry) -> list[Json]:
    definition = entry.definition
    try:
        render(definition, bind(definition, entry.example), empty_state(registry_of(definition)))
    except PenwrightError as error:
        where = {"section": error.details.get("path", ""), "token": error.details.get("token", "")}
        return [{"code": error.code, **where, "message": f"does not render: {error.message}"}]
    return []


def _section(place: PlacedSection) -> Json:
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


def _tool(tool: Tool) -> Json:
    asks = tool.effect == "external" if tool.approval is None else tool.approval
    return {
        "name": tool.name,
        "description": tool.description,
        "effect": tool.effect,
        "approval": asks,
        "params": tool.params.__name__,
        "result": tool.result.__name__ if tool.result else None,
    }


def _parameter_schemas(definition: AgentDefinition) -> Json:
    kinds = (place.section.params for place in definition.places)
    return {kind.__name__: kind.model_json_schema() for kind in kinds if kind is not None}


def _state(definition: AgentDefinition, paths: Sequence[str]) -> State:
    """A run's first state, with these sections open."""
    known = [place.path for place in definition.places]
    for path in paths:
        if path not in known:
            hint = f"its sections: {', '.join(known)}"
            raise NotFound(
                "unknown-section",
                f"{definition.name!r} has no section {path!r}{meant(path, known)}",
                hint=hint,
            )
    return apply(empty_state(registry_of(definition)), [SectionOpened(path=path) for path in paths])
