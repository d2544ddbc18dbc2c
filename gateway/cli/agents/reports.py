"""Definitions of agents in words: lists, how one is made, what is wrong with it."""

import json
from collections.abc import Iterator, Sequence

from gateway.cli.output import columns
from gateway.desk.agents.definitions import Json
from penwright.agents.prompt.rendering import Rendered
from penwright.domain.text.counted import counted
from schemas.agent import SkippedOverride
from schemas.overrides import ResolvedOverrides

_SHORT = 12
"""Characters of a digest that people are shown."""


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


def shown_lines(made: Json) -> list[str]:
    """The same for people."""
    lines = [f"{made['name']}, version {made['version']}: {made['title']}", ""]
    for section in made["sections"]:
        lines += _section_lines(section)
    lines += ["", f"answers: {made['output']}, repaired at most {counted(made['repairs'], 'time')}"]
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


def offer_lines(prompt: Rendered) -> Iterator[str]:
    """The tools as they are described to a model."""
    for offer in prompt.offers:
        yield ""
        yield f"tool {offer.name}: {offer.description}"
        yield json.dumps(offer.parameters, ensure_ascii=False, indent=2)


def rendered_note(prompt: Rendered, resolved: ResolvedOverrides) -> str:
    """Lines on a rendered prompt beside its text."""
    lines = ["", f"sections: {', '.join(prompt.paths)}", f"tools: {', '.join(prompt.tools) or 'none'}"]
    lines += [_skipped(each) for each in resolved.skipped]
    return "\n".join([*lines, f"digest: {prompt.digest}"])


def _skipped(override: SkippedOverride) -> str:
    if override.why:
        return f"skipped: {override.why}"
    found = override.found[:_SHORT] or "gone"
    written = override.expected[:_SHORT]
    return f"skipped: {override.field} at {override.path}, written against {written}; now it is {found}"


def linted_lines(found: Sequence[Json]) -> list[str]:
    """The same for people, agent after agent."""
    lines: list[str] = []
    for each in found:
        lines.append(f"{each['name']}: {_count(each['findings'])}")
        lines += [f"  {one['code']}: {one['message']}" for one in each["findings"]]
    return lines or ["no agents"]


def _count(found: Sequence[object]) -> str:
    return f"{len(found)} finding{'s' if len(found) > 1 else ''}" if found else "in order"


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


def _field_names(schema: Json) -> list[str]:
    wanted = schema.get("required", [])
    return [name if name in wanted else f"[{name}]" for name in schema.get("properties", {})]
