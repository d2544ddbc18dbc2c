"""Positions of a character's fields in cards."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from penwright.domain.cards.fields.kinds import NAME, SHARE, TEXT, TEXTS, ValueKind
from penwright.domain.cards.fields.places import Field, Key
from schemas.cards import CardSpec

_NAMES: Final[Sequence[tuple[str, str, ValueKind]]] = (
    ("name", "name", NAME),
    ("nickname", "nickname", TEXT),
    ("description", "description", TEXT),
    ("personality", "personality", TEXT),
    ("scenario", "scenario", TEXT),
    ("first_message", "first_mes", TEXT),
    ("example_messages", "mes_example", TEXT),
    ("alternate_greetings", "alternate_greetings", TEXTS),
    ("system_prompt", "system_prompt", TEXT),
    ("post_history", "post_history_instructions", TEXT),
    ("tags", "tags", TEXTS),
    ("creator", "creator", TEXT),
    ("creator_notes", "creator_notes", TEXT),
)
"""Ours, theirs."""
_OTHER_NAMES: Final[Mapping[str, str]] = {
    "name": "char_name",
    "description": "char_persona",
    "scenario": "world_scenario",
    "first_message": "char_greeting",
    "example_messages": "example_dialogue",
}
"""As some of the first programs called them."""
_AT_TOP: Final[Mapping[str, str]] = {"creator_notes": "creatorcomment"}
"""Fields of ``data`` that SillyTavern repeats at the top of a file under another name."""
_FIRST: Final = ("name", "description", "personality", "scenario", "first_message", "example_messages")
"""The fields that a card without ``data`` must have."""
_OWN: Final[Sequence[Field]] = (
    Field("appearance", (), ""),
    Field("goals", (), ""),
    Field("secrets", (), ""),
)
"""Fields of a character that only Penwright knows."""


def _default(kind: ValueKind) -> Any:
    return () if kind is TEXTS else ""


def _of_data(ours: str, theirs: str, kind: ValueKind) -> Field:
    top = Key((_AT_TOP.get(ours, theirs),), kind, home=False)
    return Field(ours, (Key(("data", theirs), kind), top), _default(kind), lent=kind is NAME)


def _of_flat(ours: str, theirs: str, kind: ValueKind) -> Field:
    others = [name for name in (_OTHER_NAMES.get(ours), _AT_TOP.get(ours)) if name]
    places = [Key((theirs,), kind), *(Key((name,), kind, home=False) for name in others)]
    return Field(ours, tuple(places), _default(kind), lent=kind is NAME)


_DATA: Final[Sequence[Field]] = (
    *(_of_data(*each) for each in _NAMES),
    Field(
        "talkative",
        (Key(("data", "extensions", "talkativeness"), SHARE), Key(("talkativeness",), SHARE, home=False)),
        50,
    ),
    Field("depth_note", (Key(("data", "extensions", "depth_prompt", "prompt"), TEXT),), ""),
    Field("group_greetings", (Key(("data", "group_only_greetings"), TEXTS),), ()),
    *_OWN,
)
_FLAT: Final[Sequence[Field]] = (
    *(_of_flat(*each) for each in _NAMES),
    Field("talkative", (Key(("talkativeness",), SHARE),), 50),
    Field("depth_note", (Key(("extensions", "depth_prompt", "prompt"), TEXT),), ""),
    Field("group_greetings", (Key(("group_only_greetings",), TEXTS),), ()),
    *_OWN,
)
FIELDS: Final[Mapping[CardSpec, Sequence[Field]]] = {"v1": _FLAT, "v2": _DATA, "v3": _DATA}
EXTENSIONS: Final[Mapping[CardSpec, tuple[str, ...]]] = {
    "v1": ("extensions",),
    "v2": ("data", "extensions"),
    "v3": ("data", "extensions"),
}
BOOK_AT: Final[Mapping[CardSpec, tuple[str, ...]]] = {
    "v1": ("character_book",),
    "v2": ("data", "character_book"),
    "v3": ("data", "character_book"),
}
FLAT_NAMES: Final = frozenset(
    {theirs for ours, theirs, _ in _NAMES if ours in _FIRST[1:]} | set(_OTHER_NAMES.values()) - {"char_name"}
)
"""An object with a name and one of these may be a card without ``data``."""
SPECS: Final[Mapping[str, CardSpec]] = {"chara_card_v2": "v2", "chara_card_v3": "v3"}


# Any: JSON values.
def new_card(spec: CardSpec) -> dict[str, Any]:
    """Return an empty card with the keys that its readers expect."""
    if spec == "v1":
        return {theirs: "" for ours, theirs, _ in _NAMES if ours in _FIRST}
    shared = {theirs: [] if kind is TEXTS else "" for _, theirs, kind in _NAMES if theirs != "nickname"}
    data = {**shared, "character_version": "", "extensions": {}}
    if spec == "v3":
        data["group_only_greetings"] = []
    return {"spec": f"chara_card_{spec}", "spec_version": f"{spec[1:]}.0", "data": data}
