"""A thing as a form: commented YAML, and what two forms differ in."""

import difflib
from typing import Any

from gateway.desk.worlds.forms.filling import filled
from gateway.desk.worlds.forms.yaml_reading import Read, read_yaml
from gateway.desk.worlds.forms.yaml_writing import entry_lines
from gateway.desk.worlds.kinds import EntityKind, Thing

VERSION = "version"
"""The key of a form that says which version it was made from."""


def written(kind: EntityKind[Thing], thing: Thing, *, head: str = "", version: int | None = None) -> str:
    """Return the form of a thing.

    Args:
        head: the comment at its beginning.
        version: that a change of it is based on; None leaves it out.
    """
    lines = [f"# {line}" for line in head.splitlines()]
    if version is not None:
        lines += [f"{VERSION}: {version}", ""]
    values = kind.values(thing)
    for field in kind.fields:
        lines += [f"# {field.about}", *entry_lines(field.name, values[field.name], long=field.long), ""]
    return "\n".join(lines)


def plain_form(kind: EntityKind[Thing], thing: Thing) -> list[str]:
    """Return the lines of the form without comments, for comparisons."""
    values = kind.values(thing)
    return [
        line
        for field in kind.fields
        for line in entry_lines(field.name, values[field.name], long=field.long and bool(values[field.name]))
    ]


def difference(kind: EntityKind[Thing], old: Thing, new: Thing) -> list[str]:
    """Return the unified diff of two versions of a thing, without its headline; empty if equal."""
    lines = difflib.unified_diff(plain_form(kind, old), plain_form(kind, new), lineterm="", n=2)
    return list(lines)[2:]


def read_form(kind: EntityKind[Thing], thing: Thing, text: str) -> tuple[Thing, int | None]:
    """Return the thing as a form has it, and the version that the form was made from, if it says so.

    Raises:
        UsageMistake: as ``read_yaml`` and ``filled``.
    """
    read = read_yaml(text)
    based_on: Any = read.values.get(VERSION)
    values = {name: value for name, value in read.values.items() if name != VERSION}
    made = filled(kind, thing, Read(values, read.lines))
    return made, based_on if isinstance(based_on, int) and not isinstance(based_on, bool) else None
