"""One entry of a lorebook, from the JSON of a dialect and back."""

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from penwright.domain.cards.fields.book_fields import ENTRIES, EXTENSIONS, NEW_ENTRY
from penwright.domain.cards.fields.decorators import head, with_decorators, without_meaning
from penwright.domain.cards.fields.entry_filters import KNOWN_FLAGS
from penwright.domain.cards.fields.places import (
    OURS,
    Field,
    FieldReading,
    Key,
    Raw,
    inner,
    read_fields,
    write_fields,
)
from penwright.domain.cards.reports import of_entry, of_rest
from penwright.domain.text.whole_numbers import whole_number
from schemas.cards import FieldReport, LoreDialect
from schemas.lore import LoreEntry

_LONG: Final = {"content": "content", "comment": "title"} | {
    "key": "keys",
    "keys": "keys",
    "keysecondary": "secondary",
    "secondary_keys": "secondary",
}
"""Keys that ``LoreEntry.extra`` does not hold a second time, with our names."""
_BESIDE: Final = frozenset(
    {
        *("useProbability", "probability", "extensions.useProbability", "extensions.probability"),
        *("position", "case_sensitive", "comment", "use_regex"),
        *("uid", "id", "displayIndex", "display_index", "addMemo", "lastUpdatedAt"),
        *("extensions.display_index", "extensions.displayIndex", "extensions.addMemo"),
        *KNOWN_FLAGS,
    }
)
"""Keys that another place of the same field repeats, and those that only arrange lists."""
_HARMLESS: Final[Mapping[str, Any]] = {"characterFilter": {"isExclude": False, "names": [], "tags": []}}


def read_entry(raw: Raw, uid: str, dialect: LoreDialect) -> tuple[LoreEntry, tuple[FieldReport, ...]]:
    """Return an entry and what became of its fields."""
    found = read_fields(with_decorators(raw), ENTRIES[dialect], EXTENSIONS)
    at = f"entry {uid}"
    fields = ENTRIES[dialect]
    entry = _made(uid, found, _rest(raw, found, fields))
    return entry, of_entry(at, found, _rest_lines(entry, raw, found, fields))


def written_entry(entry: LoreEntry, dialect: LoreDialect, target: LoreDialect) -> Raw:
    """Return the JSON of an entry.

    Args:
        dialect: that of its ``extra``.
        target: the one to write; where they differ, what the other program had of its own goes to the
            extensions.
    """
    raw = copy.deepcopy(entry.extra) if dialect == target else None
    if not raw:
        raw = copy.deepcopy(dict(NEW_ENTRY[target]))
        raw["uid" if target == "silly-tavern" else "id"] = _number(entry.uid)
        if carried := _carried(entry.extra, dialect):
            raw["extensions"] = carried
    values = {field.name: getattr(entry, field.name) for field in ENTRIES[target]}
    write_fields(raw, ENTRIES[target], EXTENSIONS, values)
    return raw


def _made(uid: str, found: Mapping[str, FieldReading], extra: Raw) -> LoreEntry:
    values = {name: reading.value for name, reading in found.items()}
    return LoreEntry.model_validate(values | {"uid": uid, "extra": extra})


def _rest(raw: Raw, found: Mapping[str, FieldReading], fields: Sequence[Field]) -> Raw:
    """Return what comes back on export: all but long texts that the entry itself holds word for word."""
    if inner(raw, (*EXTENSIONS, OURS)) is not None:
        return raw
    if decorated := head(raw.get("content")):
        return raw | {"content": decorated}
    once = {field.name for field in fields if len(_standing(raw, field)) <= 1}
    twice = [
        key
        for key, name in _LONG.items()
        if raw.get(key) and found[name].label == key and found[name].exact and name in once
    ]
    return {key: value for key, value in raw.items() if key not in twice} or raw


def _standing(raw: Raw, field: Field) -> list[Key]:
    return [place for place in field.places if isinstance(place, Key) and place.stands(raw)]


def _repeated(raw: Raw, found: Mapping[str, FieldReading], fields: Sequence[Field]) -> Iterator[str]:
    """Yield the names that say once more what was read by another name."""
    for field in fields:
        for place in _standing(raw, field):
            reading = place.read(raw)
            if reading and reading.value == found[field.name].value:
                yield place.label


def _rest_lines(
    entry: LoreEntry, raw: Raw, found: Mapping[str, FieldReading], fields: Sequence[Field]
) -> list[FieldReport]:
    at = f"entry {entry.uid}"
    known = {reading.label for reading in found.values()} | _BESIDE | {*_repeated(raw, found, fields)}
    why = "this decorator has no effect here; it is kept for export"
    lines = list(of_rest(at, raw, known, _HARMLESS, (EXTENSIONS,)))
    lines += [
        FieldReport(at=at, field=each[:80], fate="unsupported", why=why) for each in without_meaning(raw)
    ]
    if not entry.content.strip():
        why = "it has no text, so nothing is told when it fires"
        lines.append(FieldReport(at=at, field="content", fate="unsupported", why=why))
    return lines


def _carried(extra: Raw, dialect: LoreDialect) -> Raw:
    """Return what only the other program knows, for the extensions of another dialect."""
    known = {place.label for field in ENTRIES[dialect] for place in field.places} | _BESIDE
    own = inner(extra, EXTENSIONS)
    extensions = own if isinstance(own, dict) else {}
    kept = {name: value for name, value in extensions.items() if f"extensions.{name}" not in known}
    others = {name: value for name, value in extra.items() if name not in known and name != "extensions"}
    return {name: copy.deepcopy(value) for name, value in (others | kept).items() if name != OURS}


def _number(uid: str) -> int | str:
    number = whole_number(uid)
    return uid if number is None else number
