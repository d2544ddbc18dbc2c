"""Positions of a lorebook's fields beside its entries, and the keys that a new entry must have."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from penwright.domain.cards.fields.entry_fields import CARD_BOOK, SILLY_TAVERN
from penwright.domain.cards.fields.kinds import COUNT, FLAG, NAME, TEXT
from penwright.domain.cards.fields.places import Field, Key
from schemas.cards import LoreDialect

EXTENSIONS: Final = ("extensions",)
_OWN: Final[Sequence[Field]] = (
    Field("priority", (), 0),
    Field("case_sensitive", (), False),
    Field("whole_words", (), False),
)
"""Fields of a book that only Penwright knows, by default as SillyTavern's own settings are at first."""

BOOK: Final[Sequence[Field]] = (
    Field("name", (Key(("name",), NAME),), "", lent=True),
    Field("description", (Key(("description",), TEXT),), ""),
    Field("scan_depth", (Key(("scan_depth",), COUNT),), None, of=int),
    Field("token_budget", (Key(("token_budget",), COUNT),), None, of=int),
    Field("recursive", (Key(("recursive_scanning",), FLAG),), True),
    *_OWN,
)
TAVERN_BOOK: Final[Sequence[Field]] = (
    Field("name", (Key(("name",), NAME, home=False),), "", lent=True),
    *(each for each in BOOK if each.name != "name"),
)
"""SillyTavern takes the name of a book from its file."""

ENTRIES: Final[Mapping[LoreDialect, Sequence[Field]]] = {
    "silly-tavern": SILLY_TAVERN,
    "card-v2": CARD_BOOK,
    "card-v3": CARD_BOOK,
}
BOOKS: Final[Mapping[LoreDialect, Sequence[Field]]] = {
    "silly-tavern": TAVERN_BOOK,
    "card-v2": BOOK,
    "card-v3": BOOK,
}

# Any: JSON values.
NEW_ENTRY: Final[Mapping[LoreDialect, Mapping[str, Any]]] = {
    "silly-tavern": {
        "key": [],
        "keysecondary": [],
        "comment": "",
        "content": "",
        "constant": False,
        "selective": False,
        "selectiveLogic": 0,
        "order": 100,
        "position": 0,
        "disable": False,
        "probability": 100,
        "useProbability": True,
        "depth": 4,
    },
    "card-v2": {
        "keys": [],
        "content": "",
        "extensions": {},
        "enabled": True,
        "insertion_order": 100,
    },
    "card-v3": {
        "keys": [],
        "content": "",
        "extensions": {},
        "enabled": True,
        "insertion_order": 100,
        "use_regex": False,
    },
}
"""Keys that a reader of the dialect expects in every entry."""
