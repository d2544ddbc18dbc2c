"""Lorebooks of NovelAI, Agnai, Risu and others, in the names that the books of cards use.

An entry is known by the names of its fields, whatever holds it: a list, an object, or a file of its own.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from penwright.domain.cards.fields.places import Raw, inner, put

_HOLDERS: Final = ("entries", "data", "worldinfo", "world_info", "loreItems", "lorebook", "character_book")
"""Keys under which programs put the entries; the later ones may hold a whole book."""
_FOLDER: Final = "folder"


@dataclass(frozen=True, slots=True)
class Program:
    """A program whose entries have names of their own."""

    name: str
    tells: Sequence[str]
    """Names that an entry must have all of, to be one of its."""
    names: Mapping[str, str]
    """Those of cards by its own; a dot leads into an object."""


_PROGRAMS: Final = (
    Program(
        "NovelAI",
        ("text", "keys"),
        {
            **{"text": "content", "displayName": "name", "forceActivation": "constant"},
            "contextConfig.budgetPriority": "insertion_order",
        },
    ),
    Program(
        "Agnai", ("entry", "keywords"), {"entry": "content", "keywords": "keys", "weight": "insertion_order"}
    ),
    Program(
        "Risu",
        ("alwaysActive", "content"),
        {
            **{"key": "keys", "secondkey": "secondary_keys", "alwaysActive": "constant"},
            **{"insertorder": "insertion_order", "useRegex": "use_regex"},
            **{"activationPercent": "extensions.probability"},
        },
    ),
    Program("AI Dungeon", ("keys", "value"), {"value": "content", "title": "name"}),
    Program("AI Dungeon", ("keys", "entry"), {"entry": "content", "title": "name"}),
    Program("Backyard", ("key", "value"), {"value": "content", "key": "keys", "order": "insertion_order"}),
    Program(
        "KoboldAI Lite",
        ("key", "content", "wigroup"),
        {
            "key": "keys",
            "keysecondary": "secondary_keys",
            "widisabled": "disable",
            "wigroup": "extensions.group",
        },
    ),
)


# Any: JSON of other programs.
def holder_in(document: Any) -> Any:
    """Return the object whose ``entries`` they are, found by the names that programs give it; else itself."""
    if isinstance(document, list) and document:
        return {"entries": document}
    if not isinstance(document, dict):
        return document
    for name in _HOLDERS:
        held = document.get(name)
        if isinstance(held, list) or (name == _HOLDERS[0] and isinstance(held, dict)):
            rest = {key: value for key, value in document.items() if key != name}
            return document if name == _HOLDERS[0] else rest | {"entries": held}
        if isinstance(held, dict) and isinstance(held.get("entries"), list | dict):
            return held
    return document


def program_of(entries: Any) -> Program | None:
    """Return the program that the entries are of; None: one of the usual names, or none that is known."""
    within = entries.values() if isinstance(entries, dict) else entries
    return next((found for each in within if isinstance(each, dict) and (found := _teller(each))), None)


def as_card_book(raw: Raw, program: Program) -> Raw:
    """Return a book whose entries have the names of cards; what has no such name stays as it is."""
    entries = raw["entries"]
    closed = _closed(raw)
    within = entries.values() if isinstance(entries, dict) else entries
    return raw | {
        "entries": [_as_card_entry(each, program, closed) for each in within if not _is_folder(each)]
    }


def _teller(entry: Raw) -> Program | None:
    """Return the program of an entry by its names; one that calls the text otherwise has none by ours."""
    for each in _PROGRAMS:
        renames = "content" in each.names.values()
        if entry.keys() >= {*each.tells} and (entry.get("content") is None or not renames):
            return each
    return None


def _is_folder(entry: Any) -> bool:
    return isinstance(entry, dict) and entry.get("mode") == _FOLDER


def _closed(raw: Raw) -> frozenset[str]:
    """Return the ids of categories that are switched off, and their entries with them."""
    listed = raw.get("categories")
    groups = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
    return frozenset(str(each.get("id")) for each in groups if each.get("enabled") is False)


def _as_card_entry(entry: Any, program: Program, closed: frozenset[str]) -> Any:
    if not isinstance(entry, dict):
        return entry
    moved = {theirs.partition(".")[0] for theirs in program.names if "." not in theirs}
    made: Raw = {name: value for name, value in entry.items() if name not in moved}
    for theirs, ours in program.names.items():
        if (value := inner(entry, theirs.split("."))) is not None:
            put(made, ours.split("."), value)
    for name in ("keys", "secondary_keys"):
        made[name] = _keys(made.get(name), bool(made.get("use_regex")))
    if str(entry.get("category")) in closed:
        made["enabled"] = False
    return {"enabled": True} | made


def _keys(value: Any, is_pattern: bool) -> list[str]:
    """Return keys that stand in one text, divided by commas, and in a list; NovelAI joins two by ``&``."""
    if isinstance(value, str):
        value = [value] if is_pattern else value.split(",")
    texts = [each.strip() for each in value if isinstance(each, str)] if isinstance(value, list) else []
    return [_together(each) for each in texts if each]


def _together(key: str) -> str:
    parts = [re.escape(part.strip()).replace("/", r"\/") for part in key.split("&")]
    if key.startswith("/") or len(parts) < 2 or not all(parts):
        return key
    return f"/{''.join(f'(?=[^]*{part})' for part in parts)}/i"
