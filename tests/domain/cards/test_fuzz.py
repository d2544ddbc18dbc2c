"""Any change of a good file gives a value or an error with a name, soon."""

import json
import time
from collections.abc import Callable
from random import Random
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.cards.chats import read_chat
from penwright.domain.cards.lorebooks import read_lorebook, write_lorebook
from penwright.domain.cards.reading import read_card
from penwright.domain.cards.scene_files import read_scene
from penwright.domain.cards.writing import write_card
from penwright.errors import UsageMistake
from schemas.cards import CardForm
from tests.support.cards.corpus import MAKERS, chat, corpus
from tests.support.cards.people import third_card
from tests.support.cards.pictures import archive, picture, text_chunk
from tests.support.each import for_each

FILES = [each.content for each in corpus(28)] + [chat(Random(1), 5)]
_SAID = {
    **{"id": "quay/1", "number": 1, "round": 1, "speaker": "character", "speaker_id": "ann", "name": "Ann"},
    "alternatives": [
        {
            **{"index": 0, "text": "Evening.", "at": "2026-01-01T00:00:00Z", "op_id": "op/1"},
            "author": {"kind": "model", "name": "quill-1"},
        }
    ],
}
OURS = json.dumps(
    {"penwright": "scene", "located": {"scene": {"title": "Quay"}}, "messages": [_SAID]}
).encode()
LONGEST_S = 5
"""For a file of some kilobytes, on a machine that does other work too; one takes milliseconds."""


def read_and_write(content: bytes) -> None:
    """Do with a file all that an import and an export do."""
    read = read_card(content)
    assert write_card(read.character, read.lorebook, cast(CardForm, read.form), content)
    for form in ("png", "charx", "json"):
        again = read_card(write_card(read.character, read.lorebook, form))
        assert again.character == read.character


def read_a_book(content: bytes) -> None:
    read = read_lorebook(content, "Book")
    assert read_lorebook(write_lorebook(read.book, "card-v3")).book.name == read.book.name


def named_or_read(act: Callable[[bytes], object], content: bytes) -> None:
    """Do it; the only thing that may be raised is an error with a code and a hint."""
    begun = time.monotonic()
    refusal = refusal_of(act, content)
    assert refusal is None or (refusal.code and refusal.details["hint"])
    assert time.monotonic() - begun < LONGEST_S


def refusal_of(act: Callable[[bytes], object], content: bytes) -> UsageMistake | None:
    try:
        act(content)
    except UsageMistake as error:
        return error
    return None


PIECES = st.binary(max_size=12) | st.sampled_from([b'"', b"[", b"\xff" * 4, b"{}", b"null", b"@@depth 1\\n"])


@st.composite
def mutated(draw: st.DrawFn, files: list[bytes]) -> bytes:
    content = bytearray(draw(st.sampled_from(files)))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, max(0, len(content) - 1)))
        end = place + draw(st.integers(0, 40))
        how = draw(st.sampled_from(["set", "cut", "end", "put", "double", "zero"]))
        if how == "set":
            content[place : place + 1] = bytes([draw(st.integers(0, 255))])
        elif how == "cut":
            del content[place:end]
        elif how == "end":
            del content[place:]
        elif how == "put":
            content[place:place] = draw(PIECES)
        elif how == "double":
            content[place:place] = content[place:end]
        else:
            content[place:end] = bytes(len(content[place:end]))
    return bytes(content)


@given(mutated(FILES))
def test_a_changed_file_is_read_as_a_card_or_refused_by_name(content: bytes) -> None:
    named_or_read(read_and_write, content)


@given(mutated(FILES))
def test_a_changed_file_is_read_as_a_lorebook_or_refused_by_name(content: bytes) -> None:
    named_or_read(read_a_book, content)


@given(mutated([chat(Random(seed), 4) for seed in range(4)]))
def test_a_changed_file_is_read_as_a_chat_or_refused_by_name(content: bytes) -> None:
    named_or_read(read_chat, content)


@given(mutated([OURS]))
def test_a_changed_scene_of_ours_is_read_or_refused_by_name(content: bytes) -> None:
    named_or_read(read_scene, content)


@given(mutated([json.dumps(third_card(Random(seed))).encode() for seed in range(4)]), st.booleans())
def test_a_changed_card_in_a_whole_picture_is_read_or_refused_by_name(card: bytes, packed: bool) -> None:
    named_or_read(read_and_write, picture(text_chunk("ccv3", card, "zTXt" if packed else "tEXt")))


@given(mutated([archive(third_card(Random(3)), {"assets/a.png": picture(), "module.bin": b"\1" * 500})]))
def test_a_changed_archive_is_read_or_refused_by_name(content: bytes) -> None:
    named_or_read(read_and_write, content)


@given(st.binary(max_size=200))
def test_bytes_of_any_kind_are_read_or_refused_by_name(content: bytes) -> None:
    for head in (b"", b"\x89PNG\r\n\x1a\n", b"PK\x03\x04", b"{"):
        named_or_read(read_and_write, head + content)
        named_or_read(read_chat, head + content)


@for_each("kind", sorted(MAKERS))
def test_a_file_cut_at_any_place_is_read_or_refused_by_name(kind: str) -> None:
    content = MAKERS[kind](Random(5))
    for end in range(0, len(content), max(1, len(content) // 60)):
        named_or_read(read_and_write, content[:end])


def test_the_scene_of_ours_that_is_changed_is_a_good_one() -> None:
    read = read_scene(OURS)

    assert read is not None
    assert [each.text for each in read.chat.messages] == ["Evening."]
