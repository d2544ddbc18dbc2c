"""Made lorebooks in three dialects, with the values that real files have, and some that they should not."""

from random import Random
from typing import Any

from tests.support.cards.texts import KEYS, SENTENCES

DECORATED = (
    "@@depth 2\n@@role user\n",
    "@@activate_only_after 3\n\n",
    "@@later_program_only 4\n@@@depth 1\n",
    "@@additional_keys lamp,pier\n@@keep_activate_after_match\n",
    "@@exclude_keys fire\n@@scan_depth 7\n\n",
    "@@dont_activate\n",
    "@@position before_desc\n@@dont_activate_after_match\n",
    "@@is_greeting 1\n@@activate\n",
)


def _keys(chance: Random) -> list[str]:
    return chance.sample(KEYS, chance.randint(0, 4))


def world_info_entry(chance: Random, uid: int) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "uid": uid,
        "key": _keys(chance),
        "keysecondary": _keys(chance),
        "comment": chance.choice(SENTENCES)[:30],
        "content": chance.choice(SENTENCES),
        "constant": chance.random() < 0.2,
        "selective": chance.random() < 0.5,
        "selectiveLogic": chance.randint(0, 3),
        "addMemo": True,
        "order": chance.choice([100, 0, 5, -3, 250]),
        "position": chance.choice([0, 1, 2, 3, 4, 5, 6, 7]),
        "disable": chance.random() < 0.2,
        "excludeRecursion": chance.random() < 0.2,
        "preventRecursion": chance.random() < 0.2,
        "delayUntilRecursion": chance.choice([False, True, 0, 2]),
        "probability": chance.choice([100, 40, 0]),
        "useProbability": chance.random() < 0.8,
        "depth": chance.choice([4, 0, 12]),
        "group": chance.choice(["", "weather", "weather,night", "one , two"]),
        "groupOverride": chance.random() < 0.2,
        "groupWeight": chance.choice([100, 7]),
        "scanDepth": chance.choice([None, 3]),
        "caseSensitive": chance.choice([None, True, False]),
        "matchWholeWords": chance.choice([None, True, False]),
        "useGroupScoring": None,
        "automationId": chance.choice(["", "a-1"]),
        "role": chance.choice([None, 0, 1, 2]),
        "sticky": chance.choice([None, 0, 3]),
        "cooldown": chance.choice([None, 2]),
        "delay": chance.choice([None, 9]),
        "displayIndex": uid,
        "vectorized": chance.random() < 0.1,
    }
    odd: dict[str, Any] = {
        "ignoreBudget": True,
        "characterFilter": {"isExclude": chance.random() < 0.3, "names": ["Oda Brandt"], "tags": []},
        "triggers": ["normal"],
        "order": "70",
        "key": "harbour, lamp",
        "somethingNew": {"deep": [1, 2.5, None, {"x": "y"}]},
        "probability": 33.5,
    }
    chosen = chance.sample(sorted(odd), chance.randint(0, 3))
    return entry | {name: odd[name] for name in chosen}


def world_info(chance: Random, entries: int) -> dict[str, Any]:
    uids = chance.sample(range(entries * 3), entries)
    book: dict[str, Any] = {"entries": {str(uid): world_info_entry(chance, uid) for uid in uids}}
    if chance.random() < 0.4:
        book |= {"name": "Harbour lore", "extensions": {"other": 1}}
    if chance.random() < 0.3:
        book["originalData"] = {"entries": [], "name": "Old"}
    return book


def card_entry(chance: Random, number: int, version: int) -> dict[str, Any]:
    decorated = chance.choice(DECORATED) if version == 3 and chance.random() < 0.5 else ""
    entry: dict[str, Any] = {
        "keys": _keys(chance),
        "content": decorated + chance.choice(SENTENCES),
        "extensions": {},
        "enabled": chance.random() < 0.8,
        "insertion_order": chance.choice([100, 0, 10, -1]),
    }
    if version == 3:
        entry["use_regex"] = chance.random() < 0.4
    optional: dict[str, Any] = {
        "case_sensitive": chance.choice([True, False, None]),
        "name": "Entry",
        "priority": chance.choice([10, 0, -5]),
        "id": chance.choice([number, number, 1, str(number)]),
        "comment": chance.choice(["", "note"]),
        "selective": True,
        "secondary_keys": _keys(chance),
        "constant": chance.random() < 0.5,
        "position": chance.choice(["before_char", "after_char", ""]),
        "unknown_to_all": ["kept"],
    }
    entry |= {name: optional[name] for name in chance.sample(sorted(optional), chance.randint(2, 9))}
    if chance.random() < 0.5:
        entry["extensions"] = saved_extensions(chance, number)
    return entry


def saved_extensions(chance: Random, number: int) -> dict[str, Any]:
    """What SillyTavern keeps among the extensions of an entry."""
    return {
        "position": chance.choice([0, 1, 4, 7]),
        "exclude_recursion": chance.random() < 0.3,
        "display_index": number,
        "probability": 100,
        "useProbability": chance.random() < 0.5,
        "depth": 4,
        "selectiveLogic": chance.randint(0, 3),
        "group": "",
        "group_override": False,
        "group_weight": 100,
        "prevent_recursion": False,
        "delay_until_recursion": False,
        "scan_depth": None,
        "match_whole_words": None,
        "case_sensitive": chance.choice([None, True]),
        "automation_id": "",
        "role": chance.choice([0, 1, 2]),
        "vectorized": False,
        "sticky": chance.choice([0, 4]),
        "cooldown": 0,
        "delay": 0,
    }


def card_book(chance: Random, entries: int, version: int) -> dict[str, Any]:
    book: dict[str, Any] = {"entries": [card_entry(chance, number, version) for number in range(entries)]}
    optional: dict[str, Any] = {
        "name": "Book of " + chance.choice(KEYS),
        "description": chance.choice(SENTENCES),
        "scan_depth": chance.choice([2, 50]),
        "token_budget": chance.choice([0, 500]),
        "recursive_scanning": chance.random() < 0.5,
        "extensions": {"tool": {"version": "9.1"}},
        "made_with": "something else",
    }
    return book | {name: optional[name] for name in chance.sample(sorted(optional), chance.randint(1, 7))}
