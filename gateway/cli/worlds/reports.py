"""Lists, and things with what is around them, as people read them and as JSON."""

from collections.abc import Sequence
from typing import Any

from gateway.cli.tables import block, table
from gateway.desk.worlds.forms.writing import written
from gateway.desk.worlds.kinds import ENTRY, EntityKind
from gateway.desk.worlds.removing import Removal
from gateway.desk.worlds.views import EntityLine, Sight
from penwright.domain.text.escaping import printable
from schemas.lore import Lorebook, LoreEntry

_HEADS = {
    "world": ("ID", "NAME", "CAMPAIGNS", "DESCRIPTION"),
    "campaign": ("ID", "NAME", "WORLD", "ARCS", "DESCRIPTION"),
    "arc": ("ID", "NAME", "CAMPAIGN", "PLACE", "SCENES"),
    "character": ("ID", "NAME", "TAGS", "DESCRIPTION"),
    "persona": ("ID", "NAME", "DESCRIPTION"),
    "lorebook": ("ID", "NAME", "ATTACHED", "DESCRIPTION"),
}


def namesakes_line(ids: Sequence[str]) -> str:
    """Return what is said of a new thing whose name others have."""
    return f"  others of that name: {', '.join(ids)}"


def list_lines(kind: EntityKind[Any], lines: Sequence[EntityLine]) -> list[str]:
    """Return the table of a list."""
    return table([_HEADS[kind.word], *(_cells(kind, line) for line in lines)])


def list_data(kind: EntityKind[Any], lines: Sequence[EntityLine]) -> dict[str, Any]:  # Any: JSON
    """Return a list as JSON."""
    extra = {"world": "campaigns", "campaign": "arcs", "arc": "scenes", "lorebook": "attached"}.get(kind.word)
    rows = [
        {**line.thing.model_dump(mode="json"), **({extra: line.below} if extra else {})} for line in lines
    ]
    return {"status": "listed", kind.plural: rows}


def _cells(kind: EntityKind[Any], line: EntityLine) -> tuple[str, ...]:
    thing = line.thing
    about = getattr(thing, "description", "") or (thing.notes.description if hasattr(thing, "notes") else "")
    match kind.word:
        case "world" | "lorebook":
            return thing.id, thing.name, str(line.below), about
        case "campaign":
            return thing.id, thing.name, thing.world, str(line.below), about
        case "arc":
            return thing.id, thing.name, thing.campaign, str(thing.position), str(line.below)
        case "character":
            return thing.id, thing.name, ", ".join(thing.tags), about
        case _:
            return thing.id, thing.name, about


def sight_lines(seen: Sight) -> list[str]:
    """Return one thing: its fields that say something, and what is around it."""
    kind, thing = seen.kind, seen.thing
    lines = [f"{thing.id}: {printable(kind.name_of(thing))}, version {thing.version}"]
    lines += field_lines(kind, thing)
    inner = [
        f"{each.id}: {printable(each.name if hasattr(each, 'name') else each.title)}" for each in seen.below
    ]
    around = {
        _BELOW.get(kind.word, ""): inner,
        "lore": seen.books,
        "overridden in": seen.overrides,
        "played in" if kind.word == "persona" else "present in": seen.scenes,
        "attached to": [f"{each.level} {each.at}" for each in seen.attached],
    }
    for title, names in around.items():
        lines += ["", title, *(f"  {name}" for name in names)] if names else []
    if isinstance(thing, Lorebook):
        lines += ["", *entry_lines(thing)]
    return lines


_BELOW = {"world": "campaigns", "campaign": "arcs", "arc": "scenes"}


def sight_data(seen: Sight) -> dict[str, Any]:  # Any: JSON
    """Return one thing as JSON."""
    data: dict[str, Any] = {"status": "shown", seen.kind.word: seen.thing.model_dump(mode="json")}
    if below := _BELOW.get(seen.kind.word):
        data[below] = [each.model_dump(mode="json") for each in seen.below]
    if seen.kind.word == "lorebook":
        return {**data, "attached": [each.model_dump(mode="json") for each in seen.attached]}
    if seen.kind.word in ("character", "persona"):
        data |= {"scenes": seen.scenes, "overrides": seen.overrides}
    return {**data, "lore": seen.books}


def field_lines(kind: EntityKind[Any], thing: Any) -> list[str]:
    """Return the fields that say something else than their default does."""
    values = kind.values(thing)
    lines: list[str] = []
    for field in kind.fields:
        value = values[field.name]
        if field.name == kind.label or value in ("", [], None) or value == _default(kind, field.name):
            continue
        items = value if isinstance(value, list) else [value]
        lines += ["", field.name.replace("_", " ")]
        lines += [line for each in items for line in block(_told(each))]
    return lines


def _told(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return "\n".join(f"{name}: {each}" for name, each in value.items())
    return str(value)


def _default(kind: EntityKind[Any], name: str) -> Any:
    field = kind.type.model_fields.get(name)
    if field is None or field.is_required():
        return None
    default = field.get_default(call_default_factory=True)
    return default.model_dump(mode="json") if hasattr(default, "model_dump") else default


def entry_lines(book: Lorebook) -> list[str]:
    """Return the table of a book's entries."""
    if not book.entries:
        return [f"It has no entries; `penwright lore add {book.id} --key WORD --content TEXT` adds one."]
    return table([("UID", "TITLE", "KEYS", ""), *map(_entry_cells, book.entries)])


def _entry_cells(entry: LoreEntry) -> tuple[str, ...]:
    marks = ("" if entry.enabled else "off", "always" if entry.constant else "")
    return entry.uid, entry.title, ", ".join(entry.keys), " ".join(mark for mark in marks if mark)


def shown_entry_lines(book: Lorebook, entry: LoreEntry) -> list[str]:
    """Return one entry of a book."""
    title = f": {printable(entry.title)}" if entry.title else ""
    return [f"entry {entry.uid} of {book.id}{title}", *field_lines(ENTRY, entry)]


def form_of(kind: EntityKind[Any], thing: Any, version: int) -> str:
    """Return the form for ``--from``."""
    head = f"{kind.word} {getattr(thing, 'id', '') or thing.uid}, version {version}"
    return written(kind, thing, head=head, version=version)


def removal_lines(wanted: Removal) -> list[str]:
    """Return what a removal takes along, one line each; the first names the thing itself."""
    kind, thing, goes = wanted.kind, wanted.thing, wanted.goes
    lines = [f"{kind.word} {thing.id}: {printable(kind.name_of(thing))}"]
    lines += [_goes(word, ids) for word, ids in (("campaign", goes.campaigns), ("arc", goes.arcs)) if ids]
    if goes.scenes:
        played = f", with {goes.rounds} round{'s' * (goes.rounds != 1)} played" if goes.rounds else ""
        lines.append(_goes("scene", goes.scenes) + played)
    lines += [f"  {goes.entries} entr{'y' if goes.entries == 1 else 'ies'}"] if goes.entries else []
    lines += [_goes("override", goes.overrides)] if goes.overrides else []
    lines += [_goes("attachment", goes.attachments) + " (the books stay)"] if goes.attachments else []
    if goes.present_in:
        stay = "which stays" if len(goes.present_in) == 1 else "which stay"
        lines.append(f"  its part in {_named('scene', goes.present_in)} ({stay})")
    return lines


def _goes(word: str, ids: Sequence[str]) -> str:
    return f"  {_named(word, ids)}"


def _named(word: str, ids: Sequence[str]) -> str:
    shown = ", ".join(ids[:_LISTED]) + (", …" if len(ids) > _LISTED else "")
    return f"{len(ids)} {word}{'s' * (len(ids) != 1)}: {shown}"


_LISTED = 5
"""Ids that a line names."""
