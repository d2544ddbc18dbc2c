"""The fields of a thing, each shown and changed by itself, as the command `edit --set` does."""

from collections.abc import Callable
from typing import Any

from gateway.desk.worlds import exact_changes
from gateway.desk.worlds.forms.filling import assigned
from gateway.desk.worlds.forms.yaml_writing import entry_lines
from gateway.desk.worlds.keeping import Subject
from gateway.desk.worlds.kinds import FormField, Kind
from gateway.ui.frame import Frame
from gateway.ui.parts.html import box, text
from gateway.ui.parts.shared.words import Take, words
from gateway.ui.visit import Visit

_SHOWN = 70
"""Characters of a value beside its name."""


# Any: kinds have no common type of their things.
def fields(
    visit: Visit, frame: Frame, read: Callable[[], Subject[Any]], shown: Subject[Any], place: str
) -> None:
    """Every field of the form, folded.

    Args:
        read: the thing as it is stored when a field is saved.
        shown: the thing as the page shows it; a change of any other version is refused.
        place: names the fields in the browser.
    """
    values = shown.kind.values(shown.thing)
    for each in shown.kind.fields:
        value = _text(each, values[each.name])
        with box("details", classes="variable"):
            with box("summary"):
                text("span", each.name.replace("_", " "))
                shown_as = "not set" if values[each.name] in (None, [], {}) else _shortened(value)
                text("span", f" {shown_as}", classes="soft")
            text("p", each.about.replace("null:", "empty:"), classes="soft")
            take = _saved(visit, read, shown.version, each.name)
            called = each.name.replace("_", " ").capitalize()
            words(frame, called, "Save", take, place=f"{place}/{each.name}/{shown.version}", text=value)


def _shortened(value: str) -> str:
    line = " ".join(value.split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN].rstrip()} …"


def _text(field: FormField, value: Any) -> str:
    """A value as `--set` takes it: text as it is, all else as it stands in the form; empty if not set."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list | dict):
        return "\n".join(line for line in _block(field, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _block(field: FormField, value: Any) -> list[str]:
    first, *rest = entry_lines(field.name, value, long=False)
    inline = first.partition(":")[2].strip()
    return [inline] if inline else [line.removeprefix("  ") for line in rest]


def unset(kind: Kind[Any], name: str, said: str) -> str:
    """What was said, as `--set` takes it: an empty field of what may be unset, unsets it."""
    known = kind.type.model_fields.get(name)
    return "null" if known is not None and known.default is None and not said.strip() else said


def _saved(visit: Visit, read: Callable[[], Subject[Any]], version: int, name: str) -> Take:
    async def take(said: str) -> str:
        visit.require("write", "worlds")

        def store(_: object) -> int:
            subject = read()
            given = assigned(subject.kind, (f"{name}={unset(subject.kind, name, said)}",))
            return exact_changes.change(subject, version, given.values)[1]

        await visit.ask(store)
        return f"{name.replace('_', ' ')} is stored"

    return take
