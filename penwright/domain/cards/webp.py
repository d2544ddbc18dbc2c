"""WebP pictures: the card in their EXIF or XMP. The picture itself is never decoded."""

import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal

from penwright.domain.cards.png import KEYWORDS
from penwright.domain.cards.refusals import refused

_NOTES: Final = (0x9286, 0x010E, 0x9C9C)
"""EXIF's UserComment, ImageDescription and XPComment; the first that holds a card counts."""
_INNER: Final = 0x8769
_LONG: Final = 4
_SIZES: Final = {1: 1, 2: 1, 3: 2, _LONG: 4, 7: 1}
"""Bytes of a value by its type, of the types that texts and places have."""
_CODED: Final[Mapping[bytes, str]] = {
    b"ASCII\0\0\0": "utf-8",
    b"UNICODE\0": "utf-16",
    b"\0\0\0\0\0\0\0\0": "utf-8",
}
"""First 8 bytes of a UserComment, and how the rest is written."""
_BYTES = re.compile(rb"\s*\d{1,3}(?:\s*,\s*\d{1,3})+\s*")
_XMP = re.compile(rb"\b(?:\w+:)?(ccv3|chara)\s*(?:=\s*\"([^\"<>]+)\"|>([^<>]+)<)")
_MOST_CHUNKS: Final = 10_000
_MOST_FIELDS: Final = 1_000
Order = Literal["little", "big"]


def is_webp(content: bytes) -> bool:
    """Whether the file is a WebP picture."""
    return content[:4] == b"RIFF" and content[8:12] == b"WEBP"


def read_cards(content: bytes) -> Mapping[str, bytes]:
    """Return the texts in a picture that may be cards, by keyword, in the order in which they count.

    Raises:
        UsageMistake: ``broken-picture``.
    """
    found: dict[str, bytes] = {}
    for kind, chunk in _chunks(content):
        if kind == b"EXIF":
            text = next(_exif(chunk.removeprefix(b"Exif\0\0")), b"")
            found |= {"chara": text} if text else {}
        elif kind == b"XMP ":
            found |= {name.decode(): one or other for name, one, other in _XMP.findall(chunk)}
    return {keyword: _as_text(found[keyword]) for keyword in KEYWORDS if keyword in found}


def _chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    place = 12
    for _ in range(_MOST_CHUNKS):
        if place + 8 > len(content):
            return
        size = int.from_bytes(content[place + 4 : place + 8], "little")
        chunk = content[place + 8 : place + 8 + size]
        if len(chunk) < size:
            raise refused("broken-picture", f"the picture is broken: it ends after {len(content):,} bytes")
        yield content[place : place + 4], chunk
        place += 8 + size + size % 2


def _exif(tiff: bytes) -> Iterator[bytes]:
    """Yield the notes in EXIF, those that hold a card most often first."""
    order: Order = "big" if tiff[:2] == b"MM" else "little"
    fields = _fields(tiff, int.from_bytes(tiff[4:8], order), order)
    if inner := fields.get(_INNER):
        fields = fields | _fields(tiff, int.from_bytes(inner[:4], order), order)
    for tag in _NOTES:
        text = _note(fields.get(tag, b""), order)
        if b"{" in text or _BYTES.fullmatch(text) or len(text) > 40:
            yield text


def _fields(tiff: bytes, place: int, order: Order) -> dict[int, bytes]:
    """Return the values of one table by tag; a table that is none is empty."""

    def number(at: int, size: int) -> int:
        return int.from_bytes(tiff[at : at + size], order)

    found: dict[int, bytes] = {}
    for at in range(place + 2, place + 2 + 12 * min(number(place, 2), _MOST_FIELDS), 12):
        size = _SIZES.get(number(at + 2, 2), 0) * number(at + 4, 4)
        start = at + 8 if size <= _LONG else number(at + 8, 4)
        found[number(at, 2)] = tiff[start : start + size]
    return found


def _note(value: bytes, order: Order) -> bytes:
    """Return a note in UTF-8."""
    way = _CODED.get(value[:8])
    text = value[8:] if way else value
    if way == "utf-16" or (way is None and text[1:2] == b"\0"):
        marked = text[:2] in (b"\xff\xfe", b"\xfe\xff")
        kind = "utf-16" if marked else f"utf-16-{'be' if order == 'big' and way else 'le'}"
        text = text.decode(kind, "replace").encode("utf-8", "replace")
    return text.rstrip(b"\0")


def _as_text(text: bytes) -> bytes:
    """Return the text, which some write as the numbers of its bytes: ``123,34,…``."""
    if not _BYTES.fullmatch(text):
        return text
    numbers = [int(each) for each in text.split(b",")]
    return bytes(each for each in numbers if each < 256)
