"""Files that are broken or meant to harm: each has an error with a name, and costs little."""

import io
import struct
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from penwright.domain.cards.chats import read_chat
from penwright.domain.cards.lorebooks import read_lorebook
from penwright.domain.cards.reading import read_card
from penwright.domain.cards.refusals import MOST_ENTRIES, MOST_FILE_BYTES, MOST_JSON_BYTES
from penwright.domain.cards.writing import write_card
from penwright.errors import UsageMistake
from tests.support.cards.pictures import archive, chunk, dumped, exif, picture, text_chunk, webp
from tests.support.each import for_each

CARD: dict[str, Any] = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {"name": "Ann", "description": "x"},
}
ENOUGH = 160 * 1024 * 1024
"""Bytes that reading the worst file may take beside the file."""


def code_of(content: bytes) -> str:
    with pytest.raises(UsageMistake) as caught:
        read_card(content)
    assert caught.value.details["hint"]
    return caught.value.code


def in_data(text: str) -> bytes:
    return b'{"spec":"chara_card_v2","data":{"name":"Ann","description":' + text.encode() + b"}}"


@for_each(
    "content, code",
    [
        pytest.param(b"", "broken-json", id="empty"),
        pytest.param(b"Dear diary", "broken-json", id="text"),
        pytest.param(b"[1, 2]", "not-a-card", id="a list"),
        pytest.param(b'{"title": "x"}', "not-a-card", id="another object"),
        pytest.param(b'{"entries": {}}', "not-a-card", id="a lorebook"),
        pytest.param(b"RIFF0000WAVE", "not-a-card", id="a sound"),
        pytest.param(webp(), "no-card-in-picture", id="a WebP picture without a card"),
        pytest.param(webp((b"EXIF", b"II*\0" + b"\xff" * 40)), "no-card-in-picture", id="EXIF that lies"),
        pytest.param(webp((b"EXIF", exif(b"x" * 50)))[:-9], "broken-picture", id="a WebP that is cut off"),
        pytest.param(b"name: &a Ann\ndescription: *a\n", "not-a-card", id="YAML with references"),
        pytest.param(b"name: [Ann\n", "not-a-card", id="broken YAML"),
        pytest.param(b"name: Ann\nname: Bob\n", "card-duplicate-key", id="a key given twice"),
        pytest.param(b"title: x\n", "not-a-card", id="other YAML"),
        pytest.param(b"name: " + b"x" * 1_100_000, "not-a-card", id="1 MB of YAML"),
        pytest.param(b'{"data": "x", "name": "n"}', "not-a-card", id="data is a text"),
        pytest.param(dumped(CARD)[:-2], "broken-json", id="cut off"),
        pytest.param(bytes(range(128, 256)) * 9, "not-utf8", id="no text"),
        pytest.param(in_data("[" * 100 + "]" * 100), "json-too-deep", id="100 lists"),
        pytest.param(in_data("[" * 100_000 + "]" * 100_000), "broken-json", id="100,000 lists"),
        pytest.param(in_data("[" + "{}," * 1_100_000 + "{}]"), "json-too-large", id="a million objects"),
        pytest.param(in_data('"' + "x" * MOST_JSON_BYTES + '"'), "json-too-large", id="9 MB of text"),
        pytest.param(b" " * (MOST_FILE_BYTES + 1), "file-too-large", id="33 MB"),
        pytest.param(picture(), "no-card-in-picture", id="picture without a card"),
        pytest.param(picture(text_chunk("comment", CARD)), "no-card-in-picture", id="another text"),
        pytest.param(picture(text_chunk("chara", CARD), end=False), "broken-picture", id="no end"),
        pytest.param(picture(text_chunk("chara", CARD))[:60], "broken-picture", id="picture cut off"),
        pytest.param(picture(chunk(b"tEXt", b"chara\0e30=", size=2**31)), "broken-picture", id="long length"),
        pytest.param(picture(chunk(b"tEXt", b"chara\0e30=", size=3)), "broken-picture", id="short length"),
        pytest.param(picture(chunk(b"tEXt", b"chara\0%%%")), "broken-base64", id="no base64"),
        pytest.param(picture(chunk(b"tEXt", b"chara\0e30=")), "not-a-card", id="empty object"),
        pytest.param(picture(chunk(b"zTXt", b"chara\0\0junk")), "broken-picture", id="no deflate"),
        pytest.param(picture(text_chunk("chara", b"\xff\xff")), "broken-json", id="picture without UTF-8"),
        pytest.param(picture(chunk(b"abCd", b"") * 110_000), "broken-picture", id="110,000 chunks"),
        pytest.param(b"PK\x03\x04" + b"x" * 100, "broken-archive", id="no archive"),
        pytest.param(archive(CARD)[:-30], "broken-archive", id="archive cut off"),
        pytest.param(archive(None, {"other.json": b"{}"}), "no-card-in-archive", id="archive without a card"),
        pytest.param(archive(CARD, {"../up.png": b"x"}), "unsafe-archive", id="path that leads up"),
        pytest.param(archive(CARD, {"/etc/passwd": b"x"}), "unsafe-archive", id="path from the root"),
        pytest.param(archive(CARD, {"a/../../b": b"x"}), "unsafe-archive", id="path within"),
        pytest.param(archive(CARD, {"C:x": b"x"}), "unsafe-archive", id="path with a drive"),
        pytest.param(archive(CARD, {"a\\..\\b": b"x"}), "unsafe-archive", id="backslashes"),
        pytest.param(archive(CARD, {"a.bin": b"x" * 200}, packing=14), "unsafe-archive", id="LZMA"),
        pytest.param(archive(CARD, {"a": bytes(3 << 20)}), "unsafe-archive", id="bomb by ratio"),
        pytest.param(archive(CARD, {str(n): b"" for n in range(5_100)}), "unsafe-archive", id="5,100 files"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_by_name(content: bytes, code: str) -> None:
    assert code_of(content) == code


def test_a_key_that_a_card_in_yaml_gives_twice_is_named_with_its_line() -> None:
    with pytest.raises(UsageMistake) as refused:
        read_card(b"name: Ann\ndescription: A keeper.\nname: Bob\n")

    assert refused.value.message == "line 3 of the card gives a key again: name"


def zipped(files: Iterator[tuple[zipfile.ZipInfo, bytes]]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_STORED) as made:
        made.writestr("card.json", dumped(CARD))
        for info, content in files:
            made.writestr(info, content)
    return packed.getvalue()


def test_a_link_in_an_archive_is_refused() -> None:
    link = zipfile.ZipInfo("assets/link")
    link.external_attr = 0o120777 << 16

    assert code_of(zipped(iter([(link, b"/etc/passwd")]))) == "unsafe-archive"


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_cards_in_an_archive_are_refused() -> None:
    assert code_of(zipped(iter([(zipfile.ZipInfo("card.json"), b"{}")]))) == "unsafe-archive"


def test_an_archive_that_lies_about_sizes_is_refused() -> None:
    """Its directory says ten bytes; packed are three million."""
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    content = packed.compress(bytes(3_000_000)) + packed.flush()
    name = b"card.json"
    sizes = struct.pack("<IIIHH", zlib.crc32(bytes(10)), len(content), 10, len(name), 0)
    local = b"PK\x03\x04" + struct.pack("<HHHHH", 20, 0, 8, 0, 33) + sizes + name
    entry = b"PK\x01\x02" + struct.pack("<HHHHHH", 20, 20, 0, 8, 0, 33) + sizes + bytes(12) + name
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(entry), len(local + content), 0)

    assert code_of(local + content + entry + end) in ("broken-archive", "broken-json")


def test_an_encrypted_archive_is_refused() -> None:
    content = archive(CARD).replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01")

    assert code_of(content) == "unsafe-archive"


def test_many_entries_are_refused_by_number() -> None:
    content = dumped({"entries": [{}] * (MOST_ENTRIES + 1)})

    with pytest.raises(UsageMistake) as caught:
        read_lorebook(content)

    assert caught.value.code == "too-many-entries"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b'{"entries": 3}', "not-a-lorebook"),
        (b'{"entries": [3]}', "not-a-lorebook"),
        (b'{"spec": "lorebook_v3"}', "not-a-lorebook"),
        (dumped(CARD), "not-a-lorebook"),
        (b"3", "not-a-lorebook"),
    ],
)
def test_what_is_no_lorebook_is_refused(content: bytes, code: str) -> None:
    with pytest.raises(UsageMistake) as caught:
        read_lorebook(content)

    assert caught.value.code == code


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "not-a-chat"),
        (b'{"x": 1}', "not-a-chat"),
        (b'{"user_name": "M"}\n{"name": "b"}', "not-a-chat"),
        (b'{"user_name": "M"}\n{"mes": ', "broken-json"),
        (b'{"mes": ""}\n' * 100_001, "too-many-messages"),
    ],
)
def test_what_is_no_chat_is_refused(content: bytes, code: str) -> None:
    with pytest.raises(UsageMistake) as caught:
        read_chat(content)

    assert caught.value.code == code


def test_a_wrong_check_sum_is_said_and_the_card_is_read() -> None:
    whole = text_chunk("chara", CARD)
    content = picture(whole[:-1] + bytes([whole[-1] ^ 1]))

    read = read_card(content)

    assert read.character.name == "Ann"
    assert "check sum" in read.report[0].why
    assert write_card(read.character, read.lorebook, "png", content) == content


@pytest.mark.parametrize(
    "made",
    [
        lambda: picture(chunk(b"zTXt", b"chara\0\0" + zlib.compress(b"A" * (200 << 20), 9))),
        lambda: in_data("[" + "[]," * 2_000_000 + "0]"),
        lambda: archive(CARD, {"assets/a": bytes(60 << 20)}),
    ],
    ids=["packed text of 200 MB", "two million lists", "bomb"],
)
def test_a_bomb_takes_little_memory(made: Callable[[], bytes]) -> None:
    content = made()
    tracemalloc.start()
    try:
        with pytest.raises(UsageMistake):
            read_card(content)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < ENOUGH
