"""An export after an edit: what was edited, and nothing else."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any, cast

import pytest

from penwright.domain.cards.lorebooks import read_lorebook, write_lorebook
from penwright.domain.cards.png import SIGNATURE, with_cards
from penwright.domain.cards.reading import opened, read_card
from penwright.domain.cards.writing import write_card
from schemas.cards import CardForm
from schemas.lore import Lorebook, LoreEntry
from schemas.worlds import Character
from tests.support.cards.books import world_info
from tests.support.cards.corpus import Sample, corpus
from tests.support.cards.people import second_card, third_card
from tests.support.cards.pictures import archive, dumped, picture, text_chunk
from tests.support.each import for_each

CARDS = [pytest.param(each, id=each.name) for each in corpus() if each.holds == "card"]
FORMS: tuple[CardForm, ...] = ("png", "json", "charx")
DESCRIPTIONS = {"description", "char_persona"}


def changes(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """The paths of all that differs."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name in before.keys() | after.keys():
            yield from changes(before.get(name), after.get(name), f"{path}.{name}".lstrip("."))
    elif before != after:
        yield path


def edited(content: bytes, **fields: Any) -> tuple[Any, Any]:
    """The JSON of a card, and of its export after a change of the character."""
    read = read_card(content)
    character = read.character.model_copy(update=fields)
    written = write_card(character, read.lorebook, cast(CardForm, read.form), content)
    return opened(content).document, opened(written).document


@for_each("sample", CARDS)
def test_a_new_description_changes_the_description_alone(sample: Sample) -> None:
    before, after = edited(sample.content, description="Keeps the lamps.")

    assert {path.rpartition(".")[2] for path in changes(before, after)} <= DESCRIPTIONS
    assert read_card(write_card_of(sample.content, description="Keeps the lamps.")).character.description == (
        "Keeps the lamps."
    )


def write_card_of(content: bytes, **fields: Any) -> bytes:
    read = read_card(content)
    return write_card(
        read.character.model_copy(update=fields), read.lorebook, cast(CardForm, read.form), content
    )


def test_repeated_fields_are_changed_in_every_place() -> None:
    card = {"name": "Ann", "description": "old", "spec": "chara_card_v2", "data": {"name": "Ann"}}
    card["data"] = {"name": "Ann", "description": "old", "extensions": {}}

    _, after = edited(dumped(card), description="new")

    assert after["description"] == after["data"]["description"] == "new"


def test_what_no_card_has_a_field_for_stands_in_our_part_of_the_extensions() -> None:
    before, after = edited(dumped(third_card(Random(4))), secrets="She is the heir.", talkative=70)

    assert after["data"]["extensions"]["penwright"]["secrets"] == "She is the heir."
    assert {path.rpartition(".")[0] or path for path in changes(before, after)} <= {
        *("data.extensions", "data.extensions.penwright", "talkativeness")
    }


def test_an_edit_of_a_picture_leaves_its_other_bytes_alone() -> None:
    card, other = third_card(Random(2)), text_chunk("Software", {"kept": 1})
    content = picture(other, text_chunk("ccv3", card), after=b"tail")

    written = write_card_of(content, description="new")

    card["data"]["description"] = "new"
    card |= {"description": "new"} if "description" in card else {}
    head, tail = written.index(b"tEXtccv3"), written.index(b"IDAT")
    assert written[: head - 4] == content[: content.index(b"tEXtccv3") - 4]
    assert written[tail:] == content[content.index(b"IDAT") :]
    assert opened(written).document == card


def test_both_cards_of_a_picture_are_changed_and_keep_what_differs_between_them() -> None:
    card = third_card(Random(2))
    older = json.loads(json.dumps(card)) | {"spec": "chara_card_v2", "spec_version": "2.0"}
    older["data"]["creator_notes"] = "made for another version"
    content = picture(text_chunk("chara", older), text_chunk("ccv3", card))

    documents = opened(write_card_of(content, description="new")).documents

    assert {keyword: each["data"]["description"] for keyword, each in documents.items()} == {
        "ccv3": "new",
        "chara": "new",
    }
    assert documents["chara"]["data"]["creator_notes"] == "made for another version"
    assert documents["chara"]["spec"] == "chara_card_v2"


def test_an_edit_of_an_archive_leaves_its_other_files_alone() -> None:
    files = {"assets/other/other/a.bin": bytes(range(256)), "module.risum": b"\0\1"}
    content = archive(third_card(Random(2)), files)

    members = opened(write_card_of(content, description="new")).members

    assert {each.info.filename: each.content for each in members if each.info.filename in files} == files


def test_an_edited_entry_changes_that_entry_alone() -> None:
    content = dumped(world_info(Random(8), 9))
    book = read_lorebook(content).book
    entry = book.entries[4].model_copy(update={"content": "New content.", "order": 4711, "logic": "not-all"})
    entries = (*book.entries[:4], entry, *book.entries[5:])

    after = json.loads(write_lorebook(book.model_copy(update={"entries": entries}), "silly-tavern", content))

    found = set(changes(json.loads(content), after))
    assert {path.split(".")[1] for path in found} == {entry.uid}
    assert {path.partition(f"entries.{entry.uid}.")[2].split(".")[0] for path in found} <= {
        *("content", "order", "selectiveLogic", "extensions")
    }


def test_entries_are_taken_out_and_put_in() -> None:
    content = dumped(world_info(Random(8), 3))
    book = read_lorebook(content).book
    new = LoreEntry(uid="new", content="It rains.", constant=True)

    changed = book.model_copy(update={"entries": (book.entries[0], new)})
    after = read_lorebook(write_lorebook(changed, "silly-tavern", content)).book

    assert [each.uid for each in after.entries] == [book.entries[0].uid, "new"]
    assert after.entries[1].content == "It rains."
    assert after.entries[1].constant


def test_a_lorebook_is_put_into_a_card_and_taken_out() -> None:
    card = second_card(Random(1))
    card["data"].pop("character_book", None)
    read = read_card(dumped(card))
    book = Lorebook(id="x", name="Lamps", entries=(LoreEntry(uid="1", content="Bright.", keys=("lamp",)),))

    with_book = write_card(read.character, book, "json", dumped(card))
    without = write_card(read.character, None, "json", with_book)

    entry = json.loads(with_book)["data"]["character_book"]["entries"][0]
    assert entry == {"keys": ["lamp"], "content": "Bright.", "id": 1} | entry
    assert json.loads(without) == card


@pytest.mark.parametrize("form", FORMS)
def test_a_character_that_was_made_here_is_a_card_of_version_3(form: CardForm) -> None:
    made = Character(id="ann", name="Ann", description="d", goals="g", tags=("a",), talkative=20)

    read = read_card(write_card(made, None, form))

    assert read.spec == "v3"
    assert read.character == made.model_copy(update={"id": ""})


def test_a_picture_alone_becomes_the_picture_of_the_card() -> None:
    written = write_card(Character(id="a", name="Ann"), None, "png", picture())

    assert written.startswith(SIGNATURE)
    assert with_cards(written, {}) == picture()
    assert set(opened(written).documents) == {"ccv3", "chara"}
    assert opened(written).documents["chara"]["spec"] == "chara_card_v2"


def test_the_picture_of_a_card_becomes_the_icon_of_an_archive_and_back() -> None:
    card = third_card(Random(3))
    content = picture(text_chunk("ccv3", card))
    read = read_card(content)

    packed = write_card(read.character, read.lorebook, "charx", content)
    drawn = write_card(read.character, read.lorebook, "png", packed)

    assert read_card(packed).assets == ("assets/icon/images/main.png",)
    assert opened(packed).members[1].content == picture()
    assert with_cards(drawn, {}) == picture()
    assert read_card(drawn).character == read.character


@pytest.mark.parametrize("target", ["v2", "v3"])
def test_a_card_is_written_as_another_version(target: Any) -> None:
    content = dumped({"name": "Ann", "description": "d", "first_mes": "Hi"})
    read = read_card(content)

    again = read_card(write_card(read.character, None, "json", content, target))

    assert again.spec == target
    assert again.character == read.character
