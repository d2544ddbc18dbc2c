"""Positions of a lore entry's fields: in SillyTavern's own files, and in the books of cards."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, get_args

from penwright.domain.cards.fields import decorators
from penwright.domain.cards.fields.decorators import head
from penwright.domain.cards.fields.entry_filters import (
    ALSO_IN,
    ALSO_IN_SAVED,
    EXCLUDES,
    NAMED,
    TAGGED,
    FilterPart,
)
from penwright.domain.cards.fields.kinds import (
    COUNT,
    FLAG,
    KEYS,
    NAMES,
    NUMBER,
    PER_CENT,
    TEXT,
    Reading,
    ValueKind,
    choice,
    inverted,
)
from penwright.domain.cards.fields.places import Field, Key, Place, Raw, inner
from schemas.lore import Logic, LoreEntry, Position

_PATTERN = re.compile(r"/(?P<pattern>(?:\\.|[^/\\])+)/[dgimsuvy]*", re.DOTALL)
"""Form of a key that is a regular expression here."""
_SIGN = re.compile(r"\\.|/", re.DOTALL)
"""An escaped sign, or a slash that is not."""


@dataclass(frozen=True, slots=True)
class _Content:
    """The content of an entry without its decorators."""

    home: bool = True
    derived: bool = False
    label: str = "content"

    def stands(self, raw: Raw) -> bool:
        return raw.get("content") is not None

    def read(self, raw: Raw) -> Reading | None:
        content = raw["content"]
        found = TEXT.read(content)
        return found and Reading(found.value[len(head(content)) :], found.exact)

    def write(self, raw: Raw, value: Any) -> None:
        raw["content"] = head(raw.get("content")) + value


@dataclass(frozen=True, slots=True)
class _Patterns:
    """Keys of an entry with ``use_regex``: patterns without slashes around them.

    SillyTavern sets ``use_regex`` in every entry and writes keys in its own way; its extensions tell it.
    """

    home: bool = False
    derived: bool = False
    label: str = "keys"

    def stands(self, raw: Raw) -> bool:
        return raw.get("use_regex") is True and inner(raw, ("extensions", "selectiveLogic")) is None

    def read(self, raw: Raw) -> Reading | None:
        flags = "" if raw.get("case_sensitive") else "i"
        found = KEYS.read(raw.get("keys"))
        return found and Reading(tuple(_slashed(key, flags) for key in found.value), exact=False)

    def write(self, raw: Raw, value: Sequence[str]) -> None:
        found = KEYS.read(raw.get("keys"))
        flags = "" if raw.get("case_sensitive") else "i"
        before = {_slashed(key, flags): key for key in found.value} if found else {}
        raw["keys"] = [before.get(key) or _bare(key) for key in value]


def _slashed(key: str, flags: str) -> str:
    if _PATTERN.fullmatch(key):
        return key
    escaped = _SIGN.sub(lambda found: "\\/" if found[0] == "/" else found[0], key)
    return f"/{escaped}/{flags}"


def _bare(key: str) -> str:
    match = _PATTERN.fullmatch(key)
    return match["pattern"].replace("\\/", "/") if match else re.escape(key)


CONTENT: Final = _Content()
PATTERNS: Final = _Patterns()


_LOGIC: Final = choice({0: "and-any", 1: "not-all", 2: "not-any", 3: "and-all"})
"""SillyTavern's numbers; other programs number the four otherwise."""
_BY_NAME: Final[Mapping[Any, Position]] = {"before_char": "before", "after_char": "after"}
_NUMBERED: Final = choice(
    {
        **_BY_NAME,
        0: "before",
        1: "after",
        2: "note-top",
        3: "note-bottom",
        4: "depth",
        5: "examples-top",
        6: "examples-bottom",
        7: "outlet",
    }
)
_NAMED: Final = ValueKind(_NUMBERED.read, choice(_BY_NAME, otherwise="after_char").write)
_ROLE: Final = choice({0: "system", 1: "user", 2: "assistant"})


def _always(raw: Any) -> Reading | None:
    return Reading(100) if raw is False else None


_CHANCE: Final = ValueKind(_always, lambda value: True)
"""Whether the chance counts; if not, it is a hundred per cent."""


class _Switch(Key):
    """Whether another field counts. Switched on, it says nothing of its own."""

    def stands(self, raw: Raw) -> bool:
        return inner(raw, self.path) not in (None, True)


class _Keys(Key):
    """Keys; an empty list says nothing, so that those by another name count."""

    def stands(self, raw: Raw) -> bool:
        return inner(raw, self.path) not in (None, [], "")


def _level(raw: Any) -> Reading | None:
    """A flag, or the level of recursion from which on it may be found."""
    found = FLAG.read(raw) if isinstance(raw, bool) else COUNT.read(raw)
    return found and Reading(int(found.value), found.exact)


_LEVEL: Final = ValueKind(_level, lambda value: bool(value) if value < 2 else value)


def _saved(name: str, kind: ValueKind, *, home: bool = True) -> Key:
    """A place in the extensions of an entry, where SillyTavern keeps what a card has no field for."""
    return Key(("extensions", name), kind, home=home)


_CHOICES: Final[Mapping[str, Sequence[str]]] = {
    "logic": get_args(Logic),
    "position": get_args(Position),
    "role": ("system", "user", "assistant"),
}
_OPTIONAL: Final[Mapping[str, type]] = {"case_sensitive": bool, "whole_words": bool, "scan_depth": int}


def _field(name: str, *places: Place) -> Field:
    default = "" if name == "content" else LoreEntry.model_fields[name].default
    return Field(name, places, default, of=_OPTIONAL.get(name), choices=_CHOICES.get(name, ()))


_OWN_FILES: Final[Sequence[Field]] = (
    _field("content", CONTENT),
    _field("title", Key(("comment",), TEXT)),
    _field("keys", _Keys(("key",), KEYS)),
    _field("secondary", _Keys(("keysecondary",), KEYS), decorators.ADDED_KEYS, decorators.EXCLUDED_KEYS),
    _field("logic", decorators.EXCLUDED_LOGIC, Key(("selectiveLogic",), _LOGIC)),
    _field("selective", decorators.ADDED_SELECT, decorators.EXCLUDED_SELECT, Key(("selective",), FLAG)),
    _field("enabled", decorators.NOT_ACTIVE, Key(("disable",), inverted(FLAG))),
    _field("constant", decorators.ACTIVE, Key(("constant",), FLAG)),
    _field("case_sensitive", Key(("caseSensitive",), FLAG)),
    _field("whole_words", Key(("matchWholeWords",), FLAG)),
    _field("order", Key(("order",), NUMBER)),
    _field("priority", Key(("order",), NUMBER, derived=True)),
    _field("position", decorators.POSITION, decorators.AT_DEPTH, Key(("position",), _NUMBERED)),
    _field("outlet", Key(("outletName",), TEXT)),
    _field("depth", decorators.DEPTH, Key(("depth",), COUNT)),
    _field("role", decorators.ROLE, Key(("role",), _ROLE)),
    _field("probability", _Switch(("useProbability",), _CHANCE, home=False), Key(("probability",), PER_CENT)),
    _field("groups", Key(("group",), NAMES)),
    _field("group_weight", Key(("groupWeight",), COUNT)),
    _field("group_wins", Key(("groupOverride",), FLAG)),
    _field("group_scored", Key(("useGroupScoring",), FLAG)),
    _field("sticky", decorators.KEPT_AFTER_MATCH, Key(("sticky",), COUNT)),
    _field("cooldown", decorators.NEVER_AGAIN, Key(("cooldown",), COUNT)),
    _field("delay", decorators.ONLY_AFTER, Key(("delay",), COUNT)),
    _field("scan_depth", decorators.SCAN_DEPTH, Key(("scanDepth",), COUNT)),
    _field("not_recursed", Key(("excludeRecursion",), FLAG)),
    _field("stops_recursion", Key(("preventRecursion",), FLAG)),
    _field("only_recursed", Key(("delayUntilRecursion",), _LEVEL)),
    _field("ignores_budget", Key(("ignoreBudget",), FLAG)),
    _field("characters", FilterPart(("characterFilter", "names"), NAMED)),
    _field("character_tags", FilterPart(("characterFilter", "tags"), TAGGED)),
    _field("excludes", FilterPart(("characterFilter", "isExclude"), EXCLUDES)),
    _field("also_in", *ALSO_IN),
    _field("triggers", Key(("triggers",), KEYS)),
    _field("vectorised", Key(("vectorized",), FLAG)),
)
_CARDS: Final[Sequence[Field]] = (
    _field("content", CONTENT),
    _field("title", Key(("name",), TEXT, home=False), Key(("comment",), TEXT)),
    _field("keys", PATTERNS, _Keys(("keys",), KEYS)),
    _field("secondary", _Keys(("secondary_keys",), KEYS), decorators.ADDED_KEYS, decorators.EXCLUDED_KEYS),
    _field("logic", decorators.EXCLUDED_LOGIC, _saved("selectiveLogic", _LOGIC)),
    _field("selective", decorators.ADDED_SELECT, decorators.EXCLUDED_SELECT, Key(("selective",), FLAG)),
    _field("enabled", decorators.NOT_ACTIVE, Key(("enabled",), FLAG)),
    _field("constant", decorators.ACTIVE, Key(("constant",), FLAG)),
    _field("case_sensitive", _saved("case_sensitive", FLAG, home=False), Key(("case_sensitive",), FLAG)),
    _field("whole_words", _saved("match_whole_words", FLAG)),
    _field("order", Key(("insertion_order",), NUMBER)),
    _field("priority", Key(("priority",), NUMBER), Key(("insertion_order",), NUMBER, derived=True)),
    _field(
        "position",
        decorators.POSITION,
        decorators.AT_DEPTH,
        _saved("position", _NUMBERED),
        Key(("position",), _NAMED),
    ),
    _field("outlet", _saved("outlet_name", TEXT)),
    _field("depth", decorators.DEPTH, _saved("depth", COUNT)),
    _field("role", decorators.ROLE, _saved("role", _ROLE)),
    _field(
        "probability",
        _Switch(("extensions", "useProbability"), _CHANCE, home=False),
        _saved("probability", PER_CENT),
    ),
    _field("groups", _saved("group", NAMES)),
    _field("group_weight", _saved("group_weight", COUNT)),
    _field("group_wins", _saved("group_override", FLAG)),
    _field("group_scored", _saved("use_group_scoring", FLAG)),
    _field("sticky", decorators.KEPT_AFTER_MATCH, _saved("sticky", COUNT)),
    _field("cooldown", decorators.NEVER_AGAIN, _saved("cooldown", COUNT)),
    _field("delay", decorators.ONLY_AFTER, _saved("delay", COUNT)),
    _field("scan_depth", decorators.SCAN_DEPTH, _saved("scan_depth", COUNT)),
    _field("not_recursed", _saved("exclude_recursion", FLAG)),
    _field("stops_recursion", _saved("prevent_recursion", FLAG)),
    _field("only_recursed", _saved("delay_until_recursion", _LEVEL)),
    _field("ignores_budget", _saved("ignore_budget", FLAG)),
    _field("characters", FilterPart(("extensions", "character_filter", "names"), NAMED)),
    _field("character_tags", FilterPart(("extensions", "character_filter", "tags"), TAGGED)),
    _field("excludes", FilterPart(("extensions", "character_filter", "isExclude"), EXCLUDES)),
    _field("also_in", *ALSO_IN_SAVED),
    _field("triggers", _saved("triggers", KEYS)),
    _field("vectorised", _saved("vectorized", FLAG)),
)


def _with_all_names(own: Sequence[Field]) -> Sequence[Field]:
    """Fields that are read by either family's names: programs write both, into any container.

    Chub writes SillyTavern's own names into the extensions, too.
    """
    return [replace(field, places=_merged(field)) for field in own]


def _merged(field: Field) -> Sequence[Place]:
    """Return the places of a field in both families, its own ones first."""
    there = {place.label for place in field.places}
    others = [*_named(_OWN_FILES, field.name), *_named(_CARDS, field.name)]
    saved = [replace(key, path=("extensions", *key.path)) for key in _named(_OWN_FILES, field.name)]
    lent = {key.label: replace(key, home=False) for key in (*others, *saved) if key.label not in there}
    return (*field.places, *lent.values())


def _named(fields: Sequence[Field], name: str) -> Sequence[Key]:
    return [key for field in fields if field.name == name for key in field.places if isinstance(key, Key)]


SILLY_TAVERN: Final = _with_all_names(_OWN_FILES)
"""Entries of SillyTavern's own files."""
CARD_BOOK: Final = _with_all_names(_CARDS)
"""Entries of the books in cards, versions 2 and 3. Their extensions are as SillyTavern writes them."""
