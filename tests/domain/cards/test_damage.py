"""Files that are damaged in one place: that place is mended or left out, and named; all else comes in."""

import base64
import json
from typing import Any

import pytest

from penwright.domain.cards.chats import read_chat, write_chat
from penwright.domain.cards.png import decoded, read_cards
from penwright.domain.cards.reading import opened, read_card
from penwright.domain.cards.writing import write_card
from penwright.errors import UsageMistake
from schemas.cards import FieldReport
from tests.support.cards.pictures import archive, chunk, dumped, picture, text_chunk
from tests.support.each import for_each

CARD: dict[str, Any] = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {"name": "Ann", "description": "Keeps the lamp. 🕯"},
}
JPEG = b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(300) + b"\xff\xd9"


def card_with(value: str) -> bytes:
    """A card whose note, which no field of ours is read from, is this JSON."""
    return dumped(CARD).replace(b'"name"', b'"note": ' + value.encode() + b', "name"')


def told(report: tuple[FieldReport, ...]) -> list[tuple[str, str]]:
    return [(each.at, each.field) for each in report if each.fate == "adapted"]


@for_each(
    "value, place, said",
    [
        ('{"a": 1, "a": 2}', "a", "twice"),
        ('"cut \\ud83d"', "data.note", "half of a character"),
        ('"\\udc00 cut"', "data.note", "half of a character"),
        ('["x", {"\\ud83d": 1}]', "data.note.1.\ufffd", "half of a character"),
        ('"ends\\u0000"', "data.note", "NUL"),
        ("NaN", "data.note", "NaN is no number"),
        ("[-Infinity]", "data.note.0", "no number"),
        ("1e999", "data.note", "no number"),
        ("9" * 5_000, "data.note", "no number"),
        ('"one\ntwo"', "", "line ends within a text"),
        ("[1, 2,]", "", "commas before a bracket"),
    ],
)
def test_what_cannot_be_stored_is_mended_and_its_field_is_named(value: str, place: str, said: str) -> None:
    content = card_with(value)

    read = read_card(content)

    assert (read.character.name, read.character.description) == ("Ann", "Keeps the lamp. 🕯")
    assert told(read.report) == [("", place)]
    assert said in read.report[0].why
    assert write_card(read.character, read.lorebook, "json", content) == content
    changed = read.character.model_copy(update={"description": "Sleeps."})
    assert read_card(write_card(changed, None, "json", content)).character.description == "Sleeps."


def test_a_field_of_ours_keeps_what_is_sound_of_it() -> None:
    content = dumped(CARD).replace("🕯".encode(), b"\\ud83d and \\u0000 smoke")

    assert read_card(content).character.description == "Keeps the lamp. \ufffd and  smoke"


@for_each("encoding", ["utf-16", "utf-8-sig", "utf-32"])
def test_a_mark_says_the_encoding(encoding: str) -> None:
    content = json.dumps(CARD, ensure_ascii=False).encode(encoding)

    assert read_card(content).character.description == "Keeps the lamp. 🕯"


@for_each("encoding, said", [("cp1252", "read as cp1252, a guess"), ("utf-8", "damaged UTF-8")])
def test_a_text_that_is_not_utf8_is_read_by_a_guess_that_is_said(encoding: str, said: str) -> None:
    text = json.dumps(CARD, ensure_ascii=False).replace("🕯", "A café, “déjà vu”.")
    content = text.encode(encoding) if encoding != "utf-8" else text.encode().replace(b"vu", b"v\xfc")
    chat = b'{"user_name": "M"}\n{"mes": "A caf\xe9."}\n'

    read = read_card(content)

    assert read.character.description.startswith("Keeps the lamp. A café, “déjà v")
    assert said in read.report[0].why
    assert read_chat(chat).chat.messages[0].text == "A café."
    assert "a guess" in read_chat(chat).report[0].why


def test_many_mended_places_are_told_by_number() -> None:
    report = read_card(card_with(json.dumps(["NaN"] * 50).replace('"', ""))).report

    assert len(told(report)) == 21
    assert report[20].why == "and 30 more like these"


@for_each(
    "lines, kept, told_of",
    [
        ((b'{"mes": "a"}', b'{"mes": "b'), ["a"], ["line 3"]),
        ((b'{"mes": "a"}', b'{"note": 1}', b'{"mes": "b"}'), ["a", "b"], ["line 3"]),
        ((b"", b'{"mes": "a"}', b"", b"junk", b'{"mes": "b"}'), ["a", "b"], ["line 5"]),
        ((b'{"mes": "a"}', b"[3]", b'{"mes": "c \\ud83d"}'), ["a", "c \ufffd"], ["line 3", "line 4"]),
        ((b'{"mes": "a"}', b'{"name": "b", "swipes": ["c"]}'), ["a", "c"], []),
    ],
)
def test_a_damaged_line_is_left_out_of_a_chat_and_named(
    lines: Any, kept: list[str], told_of: list[str]
) -> None:
    content = b"\n".join((b'{"user_name": "M"}', *lines))

    read = read_chat(content)

    assert [each.text for each in read.chat.messages] == kept
    assert [each.at for each in read.report if each.at.startswith("line")] == told_of
    assert write_chat(read.chat, content) == content


def test_a_chat_whose_first_line_is_damaged_has_its_messages() -> None:
    read = read_chat(b'{"user_na\n{"mes": "a", "name": "Ann"}')

    assert [each.text for each in read.chat.messages] == ["a"]


@for_each(
    "text",
    [
        dumped(CARD),
        b" " + dumped(CARD),
        base64.urlsafe_b64encode(dumped(CARD)).rstrip(b"="),
        base64.b64encode(dumped(CARD)) + b"\n",
    ],
)
def test_a_chunk_holds_json_as_it_is_or_in_either_base64(text: bytes) -> None:
    content = picture(chunk(b"tEXt", b"chara\0" + text))

    read = read_card(content)

    assert read.character.description == "Keeps the lamp. 🕯"
    assert write_card(read.character, None, "png", content) == content


def test_json_in_a_chunk_may_be_in_the_pictures_own_encoding() -> None:
    text = json.dumps({"name": "Zoë", "description": "x"}, ensure_ascii=False).encode("latin-1")

    assert read_card(picture(chunk(b"tEXt", b"chara\0" + text))).character.name == "Zoë"


@for_each("broken", [b"%%%", base64.b64encode(b'{"data": '), base64.b64encode(b"[1]")])
def test_of_two_versions_in_a_picture_the_sound_one_is_read(broken: bytes) -> None:
    read = read_card(picture(chunk(b"tEXt", b"ccv3\0" + broken), text_chunk("chara", CARD)))

    assert read.character.name == "Ann"
    assert told(read.report) == [("", "ccv3")]


@for_each("front", [JPEG, b"RIFF\x40\x01\0\0WEBP" + bytes(90), b"GIF89a" + bytes(40)])
def test_an_archive_behind_a_picture_is_read_and_the_picture_stays(front: bytes) -> None:
    content = front + archive(CARD, {"assets/a.png": picture()})
    read = read_card(content)

    changed = read.character.model_copy(update={"description": "Sleeps."})
    made = write_card(changed, read.lorebook, "charx", content)

    assert (read.form, read.character.name, read.assets) == ("charx", "Ann", ("assets/a.png",))
    assert write_card(read.character, read.lorebook, "charx", content) == content
    assert made.startswith(front)
    assert read_card(made).character.description == "Sleeps."
    assert opened(made).front == front


@for_each("content", [JPEG, JPEG + b"PK\x05\x06" + bytes(18), JPEG + b"PK\x03\x04" + bytes(60)])
def test_a_picture_without_an_archive_holds_no_card(content: bytes) -> None:
    with pytest.raises(UsageMistake) as caught:
        read_card(content)

    assert caught.value.code == "not-a-card"


def test_a_chunk_that_no_rule_reads_is_refused() -> None:
    (text,) = read_cards(picture(chunk(b"tEXt", b"chara\0!!"))).texts.values()

    with pytest.raises(UsageMistake):
        decoded(text)
