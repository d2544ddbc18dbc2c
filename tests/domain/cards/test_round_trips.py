"""A hundred made files: what comes in goes out again, and an edit changes only what was edited."""

import json
from random import Random
from typing import Any, cast

import pytest

from penwright.domain.cards.chats import read_chat, write_chat
from penwright.domain.cards.fields.character_fields import FIELDS
from penwright.domain.cards.lorebooks import read_lorebook, write_lorebook
from penwright.domain.cards.reading import opened, read_card
from penwright.domain.cards.writing import write_card
from schemas.cards import CardForm, LoreDialect
from tests.support.cards.corpus import Sample, chat, corpus
from tests.support.each import for_each

CORPUS = corpus()
CARDS = [pytest.param(each, id=each.name) for each in CORPUS if each.holds == "card"]
BOOKS = [pytest.param(each, id=each.name) for each in CORPUS if each.holds == "lorebook"]
OLDER_NAMES = {
    "char_name",
    "char_persona",
    "char_greeting",
    "world_scenario",
    "example_dialogue",
    "talkativeness",
}
"""What version 3 calls otherwise."""
FORMS: tuple[CardForm, ...] = ("png", "json", "charx")
DIALECTS: tuple[LoreDialect, ...] = ("silly-tavern", "card-v2", "card-v3")


def test_the_corpus_has_a_hundred_files() -> None:
    assert len(CORPUS) == 100
    assert len({each.content for each in CORPUS}) == 100


@for_each("sample", CARDS)
def test_an_unchanged_card_is_exported_byte_for_byte(sample: Sample) -> None:
    read = read_card(sample.content)

    assert (
        write_card(read.character, read.lorebook, cast(CardForm, read.form), sample.content) == sample.content
    )


@for_each("sample", CARDS)
def test_an_unchanged_card_says_the_same_in_every_form(sample: Sample) -> None:
    before = opened(sample.content).document
    read = read_card(sample.content)

    as_json = write_card(read.character, read.lorebook, "json", sample.content)
    as_png = write_card(read.character, read.lorebook, "png", sample.content)

    assert json.loads(as_json.removeprefix(b"\xef\xbb\xbf")) == before
    assert opened(as_png).document == before


@for_each("sample", CARDS)
@for_each("form", FORMS)
def test_a_card_without_its_file_keeps_character_and_lorebook(sample: Sample, form: CardForm) -> None:
    read = read_card(sample.content)

    again = read_card(write_card(read.character, read.lorebook, form))

    assert again.character == read.character
    assert meaning(again.lorebook) == meaning(read.lorebook)


@for_each("sample", CARDS)
def test_without_its_file_a_card_loses_only_what_no_field_holds(sample: Sample) -> None:
    card = opened(sample.content)
    read = read_card(sample.content)
    before = card.document.get("data", card.document)

    after = json.loads(write_card(read.character, read.lorebook, "json"))["data"]

    known = {place.label.rpartition(".")[2] for field in FIELDS[card.spec] for place in field.places}
    lost = {name for name in before if name not in after and before[name]}
    assert lost & (known | {"extensions", "character_book"}) <= OLDER_NAMES
    assert {name for name in known & before.keys() & after.keys() if before[name] != after[name]} == set()
    assert plain(after["extensions"]) == plain(before.get("extensions") or {})


def test_a_card_without_a_name_differs_in_its_name() -> None:
    content = json.dumps({"name": "", "description": "d", "other": 1}).encode()
    read = read_card(content, "oda")

    after = json.loads(write_card(read.character, None, "json", content))

    before = json.loads(content)
    assert {name for name in before if before[name] != after[name]} == {"name"}


@for_each("sample", BOOKS)
def test_an_unchanged_lorebook_is_the_same_json_even_without_its_file(sample: Sample) -> None:
    read = read_lorebook(sample.content)

    assert write_lorebook(read.book, read.dialect, sample.content) == sample.content
    assert json.loads(write_lorebook(read.book, read.dialect)) == json.loads(sample.content)


@for_each("sample", BOOKS)
@for_each("dialect", DIALECTS)
def test_a_lorebook_means_the_same_in_every_dialect(sample: Sample, dialect: LoreDialect) -> None:
    read = read_lorebook(sample.content, "Harbour")

    again = read_lorebook(write_lorebook(read.book, dialect), "Harbour")

    assert meaning(again.book) == meaning(read.book)


@for_each("seed", range(10))
def test_an_unchanged_chat_is_the_same_json_even_without_its_file(seed: int) -> None:
    content = chat(Random(seed), 12)
    read = read_chat(content)

    assert write_chat(read.chat, content) == content
    assert json_lines(write_chat(read.chat)) == json_lines(content)


def plain(extensions: dict[str, Any]) -> dict[str, Any]:
    """Extensions without what is a field of ours."""
    return {name: value for name, value in extensions.items() if name not in ("penwright", "talkativeness")}


def meaning(book: Any) -> Any:
    """What a lorebook says, without what it keeps for other programs."""
    if book is None:
        return None
    values = book.model_dump(exclude={"extra", "dialect"})
    return values | {"entries": [each.model_dump(exclude={"extra"}) for each in book.entries]}


def json_lines(content: bytes) -> list[Any]:
    return [json.loads(line) for line in content.split(b"\n")]
