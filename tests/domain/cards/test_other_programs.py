"""Lorebooks as several programs write them: known by the names of their fields, whatever holds them."""

import json
from typing import Any

import pytest

from penwright.domain.cards.lorebooks import read_lorebook, write_lorebook
from penwright.domain.cards.reading import read_card
from penwright.errors import UsageMistake
from schemas.cards import ReadLorebook
from tests.support.cards.pictures import dumped
from tests.support.each import for_each

OF_CARDS: dict[str, Any] = {
    "keys": ["lamp"],
    "secondary_keys": ["oil"],
    "content": "It is lit.",
    "enabled": False,
}
OF_CARDS |= {"insertion_order": 7, "selective": True, "case_sensitive": True, "position": "after_char"}
OWN: dict[str, Any] = {"key": ["lamp"], "keysecondary": ["oil"], "content": "It is lit.", "disable": True}
OWN |= {"order": 7, "selective": True, "caseSensitive": True, "position": 1}
NOVEL_AI: dict[str, Any] = {
    "text": "It is lit.",
    "displayName": "Lamp",
    "keys": ["lamp", "oil & wick"],
    "enabled": False,
}
NOVEL_AI |= {
    "forceActivation": False,
    "contextConfig": {"budgetPriority": 7, "suffix": "\n"},
    "category": "c",
}
AGNAI: dict[str, Any] = {
    "name": "Lamp",
    "entry": "It is lit.",
    "keywords": ["lamp"],
    "priority": 3,
    "weight": 7,
}
RISU: dict[str, Any] = {
    "key": "lamp, wick",
    "secondkey": "oil",
    "comment": "Lamp",
    "content": "It is lit.",
    "mode": "normal",
}
RISU |= {"insertorder": 7, "alwaysActive": False, "selective": True, "activationPercent": 40}


def read(document: Any) -> ReadLorebook:
    return read_lorebook(dumped(document), "Lamps")


def said(document: Any) -> dict[str, Any]:
    """What the first entry of a book says."""
    return read(document).book.entries[0].model_dump(exclude={"extra", "uid"}, exclude_defaults=True)


@for_each(
    "entry",
    [
        OF_CARDS,
        OWN,
        OWN | OF_CARDS,
        OWN | {"key": [], "keys": ["lamp"]},
        OF_CARDS | {"keys": [], "key": ["lamp"]},
    ],
)
@for_each("held", [lambda each: [each], lambda each: {"0": each}])
@for_each(
    "whole",
    [lambda held: {"entries": held}, lambda held: held if isinstance(held, list) else {"entries": held}],
)
def test_an_entry_means_the_same_by_either_familys_names_in_any_container(
    entry: Any, held: Any, whole: Any
) -> None:
    meant = {"keys": ("lamp",), "secondary": ("oil",), "selective": True, "content": "It is lit."}
    meant |= {"enabled": False, "order": 7, "priority": 7, "case_sensitive": True, "position": "after"}

    found = said(whole(held(entry)))

    assert {"position": "after"} | found == meant
    assert [line for line in read(whole(held(entry))).report if line.fate == "unsupported"] == []


@for_each("held", [lambda entries: entries, lambda entries: dict(enumerate(entries))])
def test_a_card_has_a_book_by_either_familys_names(held: Any) -> None:
    book = {"name": "B", "entries": held([OF_CARDS])}
    card = {"spec": "chara_card_v2", "data": {"name": "Ann", "description": "x", "character_book": book}}

    lore = read_card(dumped(card)).lorebook

    assert lore is not None
    assert (lore.entries[0].keys, lore.entries[0].enabled) == (("lamp",), False)


def test_a_name_that_contradicts_the_one_that_counts_is_reported() -> None:
    lines = read({"entries": {"0": OWN | {"enabled": True, "keys": ["lamp"]}}}).report

    other = [(each.field, each.fate) for each in lines if each.fate != "kept" and each.at != "book"]
    assert other == [("enabled", "unsupported")]


@for_each(
    "document, program, meant",
    [
        (
            {"lorebookVersion": 5, "entries": [NOVEL_AI | {"enabled": True}], "categories": []},
            "NovelAI",
            {"keys": ("lamp", "/(?=[^]*oil)(?=[^]*wick)/i"), "title": "Lamp", "order": 7},
        ),
        (
            {"kind": "memory", "name": "Lamps", "entries": [AGNAI]},
            "Agnai",
            {"keys": ("lamp",), "title": "Lamp", "order": 7, "priority": 3},
        ),
        (
            {
                "type": "risu",
                "ver": 1,
                "data": [{"mode": "folder", "alwaysActive": False, "content": ""}, RISU],
            },
            "Risu",
            {
                **{"keys": ("lamp", "wick"), "secondary": ("oil",), "selective": True, "title": "Lamp"},
                **{"order": 7, "probability": 40},
            },
        ),
        (
            [{"keys": "lamp, wick", "value": "It is lit.", "type": "thing", "title": "Lamp"}],
            "AI Dungeon",
            {"keys": ("lamp", "wick"), "title": "Lamp"},
        ),
        (
            {"worldinfo": [{"key": "lamp", "keysecondary": "", "content": "It is lit.", "wigroup": "Dusk"}]},
            "KoboldAI Lite",
            {"keys": ("lamp",), "groups": ("Dusk",)},
        ),
    ],
)
def test_a_book_of_another_program_is_read_and_its_name_is_said(
    document: Any, program: str, meant: Any
) -> None:
    whole = {"content": "It is lit."} | meant
    whole |= {"priority": whole["order"]} if "order" in whole and "priority" not in whole else {}

    assert said(document) == whole
    assert f"a lorebook of {program}" in read(document).report[0].why


def test_entries_of_a_category_of_novelai_that_is_switched_off_are_off() -> None:
    document = {"entries": [NOVEL_AI | {"enabled": True}], "categories": [{"id": "c", "enabled": False}]}

    assert said(document)["enabled"] is False


def test_what_another_program_wrote_is_exported_as_a_book_of_a_card() -> None:
    source = dumped({"entries": [NOVEL_AI]})
    book = read_lorebook(source).book

    made = json.loads(write_lorebook(book, "card-v3", source))

    assert made["spec"] == "lorebook_v3"
    assert made["data"]["entries"][0]["content"] == "It is lit."
    assert made["data"]["entries"][0]["contextConfig"] == NOVEL_AI["contextConfig"]


@for_each("entries", [[{"keys": ["a"], "body": "x"}], {"0": {"key": ["a"], "lines": []}}, [{}]])
def test_a_book_whose_text_has_no_known_name_is_refused(entries: Any) -> None:
    with pytest.raises(UsageMistake, match="no entry has a text by a name that is known here"):
        read({"entries": entries})


def test_an_entry_without_a_text_beside_others_is_named() -> None:
    lines = read({"entries": [OF_CARDS, {"keys": ["a"], "content": " "}]}).report

    assert [(each.at, each.field) for each in lines if "no text" in each.why] == [("entry 1", "content")]
