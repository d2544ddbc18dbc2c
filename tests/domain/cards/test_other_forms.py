"""Cards in WebP and YAML: read as the same card in JSON is, and exported in a form that all read."""

import base64
from typing import Any

from penwright.domain.cards.reading import read_card
from penwright.domain.cards.writing import write_card
from tests.support.cards.pictures import dumped, exif, webp
from tests.support.each import for_each

CARD: dict[str, Any] = {
    "spec": "chara_card_v2",
    "spec_version": "2.0",
    "data": {"name": "Ann", "description": "“Tall”, and wary.", "first_mes": "Hm.", "unknown": {"a": 1}},
}
TEXT = dumped(CARD)
NUMBERS = ",".join(str(each) for each in TEXT).encode()
XMP = b'<x:xmpmeta><rdf:Description st:chara="' + base64.b64encode(TEXT) + b'"/></x:xmpmeta>'
YAML_CARD = """# A card.
spec: chara_card_v2
data:
  name: Ann
  description: “Tall”, and wary.
  first_mes: >-
    Hm.
  unknown: {a: 1}
"""
OF_A_WEBUI = "name: Ann\ncontext: |-\n  “Tall”, and wary.\n\n  {{char}} waits.\ngreeting: Hm.\n"


@for_each(
    "chunk",
    [
        (b"EXIF", exif(TEXT)),
        (b"EXIF", b"Exif\0\0" + exif(TEXT, ">")),
        (b"EXIF", exif(NUMBERS)),
        (b"EXIF", exif(base64.b64encode(TEXT))),
        (b"EXIF", exif(TEXT.decode().encode("utf-16-le"), code=b"UNICODE\0")),
        (b"EXIF", exif(TEXT.decode().encode("utf-16-be"), ">", b"UNICODE\0")),
        (b"XMP ", XMP),
    ],
)
def test_a_card_in_a_webp_picture_is_the_same_card(chunk: tuple[bytes, bytes]) -> None:
    read, plain = read_card(webp(chunk)), read_card(TEXT)

    assert (read.form, read.spec, read.character) == ("webp", "v2", plain.character)
    assert read.report == plain.report


def test_a_card_in_yaml_is_the_same_card() -> None:
    read, plain = read_card(YAML_CARD.encode()), read_card(TEXT)

    assert (read.form, read.character) == ("yaml", plain.character)
    assert read.report == plain.report


def test_a_character_of_a_web_ui_is_a_first_card() -> None:
    read = read_card(OF_A_WEBUI.encode(), "ann")

    assert (read.form, read.spec, read.character.name) == ("yaml", "v1", "Ann")
    assert read.character.description == "“Tall”, and wary.\n\n{{char}} waits."
    assert read.character.first_message == "Hm."


@for_each("content", [webp((b"EXIF", exif(TEXT))), YAML_CARD.encode()])
def test_what_comes_from_another_form_goes_out_with_all_it_had(content: bytes) -> None:
    read = read_card(content)

    for form in ("png", "json", "charx"):
        again = read_card(write_card(read.character, None, form, content))
        assert (again.form, again.character) == (form, read.character)
        assert again.report == read.report or form == "charx"
