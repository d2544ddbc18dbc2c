"""Made characters as JSON: versions 1, 2 and 3."""

from random import Random
from typing import Any

from tests.support.cards.books import card_book
from tests.support.cards.texts import NAMES, SENTENCES

_TEXTS = ("description", "personality", "scenario", "first_mes", "mes_example")


def first_card(chance: Random) -> dict[str, Any]:
    """Version 1: everything at the top."""
    card = {"name": chance.choice(NAMES)} | {name: chance.choice(SENTENCES) for name in _TEXTS}
    extra: dict[str, Any] = {
        "metadata": {"version": 1, "created": 1_680_000_000_000, "tool": {"name": "old editor"}},
        "talkativeness": "0.3",
        "avatar": "none",
    }
    return card | {name: extra[name] for name in chance.sample(sorted(extra), chance.randint(0, 3))}


def oldest_card(chance: Random) -> dict[str, Any]:
    """What came before version 1, with other names."""
    names = ("char_persona", "char_greeting", "world_scenario", "example_dialogue")
    return {"char_name": chance.choice(NAMES)} | {name: chance.choice(SENTENCES) for name in names}


def second_card(chance: Random) -> dict[str, Any]:
    data: dict[str, Any] = {"name": chance.choice(NAMES)}
    data |= {name: chance.choice(SENTENCES) for name in _TEXTS}
    data |= {
        "creator_notes": chance.choice(SENTENCES),
        "system_prompt": chance.choice(["", "{{original}} Be brief."]),
        "post_history_instructions": chance.choice(SENTENCES),
        "alternate_greetings": chance.sample(SENTENCES, chance.randint(0, 3)),
        "tags": chance.sample(["sea", "город", "夜", "OC"], chance.randint(0, 4)),
        "creator": "made",
        "character_version": "1.2",
        "extensions": _extensions(chance),
    }
    if chance.random() < 0.6:
        data["character_book"] = card_book(chance, chance.randint(0, 6), 2)
    card: dict[str, Any] = {"spec": "chara_card_v2", "spec_version": "2.0", "data": data}
    return _as_saved(card, chance) if chance.random() < 0.5 else card


def third_card(chance: Random) -> dict[str, Any]:
    card = second_card(chance) | {"spec": "chara_card_v3", "spec_version": "3.0"}
    card["data"] = card["data"] | {"group_only_greetings": [], "nickname": chance.choice(["", "Zo"])}
    optional: dict[str, Any] = {
        "assets": [{"type": "icon", "uri": "ccdefault:", "name": "main", "ext": "png"}],
        "creator_notes_multilingual": {"de": "Nur bei Regen."},
        "source": ["https://cards.invalid/1"],
        "creation_date": 1_700_000_000,
        "modification_date": 0,
        "character_book": card_book(chance, chance.randint(0, 6), 3),
        "x_future": {"on": True},
    }
    card["data"] |= {name: optional[name] for name in chance.sample(sorted(optional), chance.randint(1, 7))}
    return card


def _extensions(chance: Random) -> dict[str, Any]:
    known: dict[str, Any] = {
        "talkativeness": chance.choice(["0.5", 0.25, "1", 0.333]),
        "fav": False,
        "world": "Harbour",
        "depth_prompt": {"prompt": "Stay calm.", "depth": 4, "role": "system"},
        "regex_scripts": [{"findRegex": "/x/g", "replaceString": "y"}],
        "agnai": {"voice": {"service": None}},
        "penwright": {"goals": "to leave", "secrets": "She cannot swim."},
    }
    return {name: known[name] for name in chance.sample(sorted(known), chance.randint(0, 7))}


def _as_saved(card: dict[str, Any], chance: Random) -> dict[str, Any]:
    """SillyTavern repeats fields at the top."""
    data = card["data"]
    repeated = {name: data[name] for name in ("name", *_TEXTS, "tags")}
    own = {"creatorcomment": data["creator_notes"], "avatar": "none", "chat": "Oda - 1", "fav": False}
    return repeated | own | {"create_date": "2024-1-1", "talkativeness": "0.5"} | card
