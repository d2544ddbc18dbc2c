"""Fields that say for whose prompts an entry is, and in which texts its keys are looked for."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from penwright.domain.cards.fields.kinds import FLAG, KEYS, Reading, ValueKind
from penwright.domain.cards.fields.places import Key, Raw, inner, put
from schemas.lore import GAME_MASTER, Source

_NUMBERED_TAG: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{6,}", re.IGNORECASE)
"""SillyTavern's own number of a tag, which means nothing outside of that installation."""


@dataclass(frozen=True, slots=True)
class _Filter:
    """A filter of characters; one that is not understood lets no character in."""

    names: tuple[str, ...] = (GAME_MASTER,)
    tags: tuple[str, ...] = ()
    excludes: bool = False
    exact: bool = False


class FilterPart(Key):
    """One part of a filter, which is understood as a whole or not at all."""

    @property
    def label(self) -> str:
        return ".".join(self.path[:-1])

    def stands(self, raw: Raw) -> bool:
        return inner(raw, self.path[:-1]) is not None

    def read(self, raw: Raw) -> Reading | None:
        return self.kind.read(inner(raw, self.path[:-1]))

    def write(self, raw: Raw, value: Any) -> None:
        put(raw, self.path, self.kind.write(value))
        for name, empty in (("isExclude", False), ("names", []), ("tags", [])):
            inner(raw, self.path[:-1]).setdefault(name, empty)


def _filter(raw: Any) -> _Filter:
    if not isinstance(raw, dict):
        return _Filter()
    names, tags = KEYS.read(raw.get("names") or []), KEYS.read(raw.get("tags") or [])
    excludes = FLAG.read(raw.get("isExclude") or False)
    if names is None or tags is None or excludes is None or any(map(_NUMBERED_TAG.fullmatch, tags.value)):
        return _Filter()
    return _Filter(names.value, tags.value, excludes.value, names.exact and tags.exact and excludes.exact)


def _names(raw: Any) -> Reading:
    found = _filter(raw)
    return Reading(found.names, found.exact)


NAMED: Final = ValueKind(_names, list)
TAGGED: Final = ValueKind(lambda raw: Reading(_filter(raw).tags), list)
EXCLUDES: Final = ValueKind(lambda raw: Reading(_filter(raw).excludes), lambda value: value)


@dataclass(frozen=True, slots=True)
class Sources:
    """Flags, one for each text in which the keys of an entry are looked for besides the messages."""

    flags: Mapping[str, Source]
    within: tuple[str, ...] = ()
    home: bool = True
    derived: bool = False

    @property
    def label(self) -> str:
        return ".".join((*self.within, next(iter(self.flags))))

    def stands(self, raw: Raw) -> bool:
        return any(inner(raw, (*self.within, flag)) is not None for flag in self.flags)

    def read(self, raw: Raw) -> Reading | None:
        said = {source: inner(raw, (*self.within, flag)) for flag, source in self.flags.items()}
        exact = all(value in (None, True, False) for value in said.values())
        return Reading(tuple(source for source, value in said.items() if value is True), exact)

    def write(self, raw: Raw, value: Any) -> None:
        for flag, source in self.flags.items():
            path = (*self.within, flag)
            if source in value or inner(raw, path) is not None:
                put(raw, path, source in value)


_FLAGS: Final[Mapping[str, Source]] = {
    "matchPersonaDescription": "persona",
    "matchCharacterDescription": "description",
    "matchCharacterPersonality": "personality",
    "matchCharacterDepthPrompt": "depth-note",
    "matchScenario": "scenario",
    "matchCreatorNotes": "creator-notes",
}
_SAVED_FLAGS: Final[Mapping[str, Source]] = {
    "match_persona_description": "persona",
    "match_character_description": "description",
    "match_character_personality": "personality",
    "match_character_depth_prompt": "depth-note",
    "match_scenario": "scenario",
    "match_creator_notes": "creator-notes",
}
_IN: Final = ("extensions",)
ALSO_IN: Final[Sequence[Sources]] = (
    Sources(_FLAGS),
    Sources(_SAVED_FLAGS, _IN, home=False),
    Sources(_FLAGS, _IN, home=False),
)
"""In SillyTavern's own files."""
ALSO_IN_SAVED: Final[Sequence[Sources]] = (
    Sources(_SAVED_FLAGS, _IN),
    Sources(_FLAGS, home=False),
    Sources(_FLAGS, _IN, home=False),
)
"""In the books of cards."""
KNOWN_FLAGS: Final = frozenset({*_FLAGS, *(f"extensions.{flag}" for flag in (*_FLAGS, *_SAVED_FLAGS))})
"""Labels of all of them."""
