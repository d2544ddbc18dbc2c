"""The fields of a thing, each shown and changed by itself, as the command `edit --set` does.

They follow what is changed elsewhere; what a person has typed into one stays.
"""

from collections.abc import Callable
from hashlib import sha256
from typing import Any, TypeVar

from gateway.desk.worlds import exact_changes
from gateway.desk.worlds.forms.filling import assigned
from gateway.desk.worlds.forms.yaml_writing import entry_lines
from gateway.desk.worlds.kinds import EntityKind, FormField
from gateway.desk.worlds.storing import Subject
from gateway.ui.elements.html import box, text
from gateway.ui.frame import Frame
from gateway.ui.live import Live
from gateway.ui.parts.shared.words import Take, words
from gateway.ui.visit import Visit

_SHOWN = 70
"""Characters of a value beside its name."""

T = TypeVar("T")


# Any: kinds have no common type of their things.
def fields(
    visit: Visit,
    frame: Frame,
    known: Live[T],
    of: Callable[[T], Subject[Any]],
    read: Callable[[], Subject[Any]],
    place: str,
) -> None:
    """Every field of the form, folded.

    Args:
        of: the thing as the page shows it; a change of any other version is refused.
        read: the thing as it is stored when a field is saved.
        place: names the fields in the browser.
    """
    for each in of(known.value).kind.fields:
        _field(visit, frame, known, of, read, each, f"{place}/{each.name}")


def _field(
    visit: Visit,
    frame: Frame,
    known: Live[T],
    of: Callable[[T], Subject[Any]],
    read: Callable[[], Subject[Any]],
    each: FormField,
    place: str,
) -> None:
    def value_of(now: T) -> Any:
        return of(now).kind.values(of(now).thing)[each.name]

    called, value = each.name.replace("_", " "), value_of(known.value)
    with box("details", classes="variable"):
        with box("summary"):
            text("span", called)
            brief = text("span", _brief(each, value), classes="soft")
        text("p", each.about.replace("null:", "empty:"), classes="soft")
        take = _saved(visit, read, lambda: of(known.value).version, each.name)
        written = _text(each, value)
        field = words(frame, called.capitalize(), "Save", take, place=_place(place, written), text=written)

    def show(value: Any) -> None:
        brief.set_text(_brief(each, value))
        field.show(_text(each, value), place=_place(place, _text(each, value)))

    known.on_change(value_of, show)


def _place(place: str, value: str) -> str:
    """Names a field by what it was filled with: words over another value are not shown over this one."""
    return f"{place}/{sha256(value.encode()).hexdigest()[:12]}"


def _brief(field: FormField, value: Any) -> str:
    line = "not set" if value in (None, [], {}) else " ".join(_text(field, value).split())
    return f" {line if len(line) <= _SHOWN else f'{line[:_SHOWN].rstrip()} …'}"


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


def unset(kind: EntityKind[Any], name: str, said: str) -> str:
    """Return what was said, as `--set` takes it: an empty field of what may be unset, unsets it."""
    known = kind.type.model_fields.get(name)
    return "null" if known is not None and known.default is None and not said.strip() else said


def _saved(visit: Visit, read: Callable[[], Subject[Any]], shown: Callable[[], int], name: str) -> Take:
    async def take(said: str) -> str:
        visit.require("write", "worlds")
        version = shown()

        def store(_: object) -> int:
            subject = read()
            given = assigned(subject.kind, (f"{name}={unset(subject.kind, name, said)}",))
            return exact_changes.change(subject, version, given.values)[1]

        await visit.ask(store)
        return f"{name.replace('_', ' ')} is stored"

    return take
