"""PNG pictures: the text chunks that hold a card. The picture itself is never decoded."""

import base64
import binascii
import struct
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from penwright.domain.cards.refusals import MOST_JSON_BYTES, card_too_large, refused
from penwright.errors import UsageMistake

SIGNATURE = b"\x89PNG\r\n\x1a\n"
KEYWORDS = ("ccv3", "chara")
"""Text chunks that hold a card; the first one counts."""
_MOST_CHUNKS = 100_000
_MOST_BASE64 = MOST_JSON_BYTES * 4 // 3 + 4096
_OF_ADDRESSES = bytes.maketrans(b"-_", b"+/")
_FRAME = 12
"""Bytes of a chunk beside its content: length, type, check sum."""


@dataclass(frozen=True, slots=True)
class Chunk:
    kind: bytes
    content: bytes
    whole: bytes
    """With length, type and check sum, as in the file."""

    @property
    def sound(self) -> bool:
        """Whether the check sum is right."""
        return zlib.crc32(self.kind + self.content) == int.from_bytes(self.whole[-4:], "big")


@dataclass(frozen=True, slots=True)
class PictureCards:
    """The cards of a picture."""

    texts: Mapping[str, bytes]
    """The text of each keyword, in the order of ``KEYWORDS``; ``decoded`` gives its JSON."""
    unsound: bool = False
    """Whether a check sum of these chunks is wrong."""


def read_cards(content: bytes) -> PictureCards:
    """Return the cards in a picture; none if it has none.

    A wrong check sum of a text chunk is no reason to refuse it: base64 and JSON show damage themselves.

    Raises:
        UsageMistake: ``broken-picture`` (cut off, lengths that lie).
    """
    found: dict[str, Chunk] = {}
    for chunk in _chunks(content):
        if keyword := _keyword(chunk):
            found.setdefault(keyword, chunk)
    texts = {keyword: _text(found[keyword]) for keyword in KEYWORDS if keyword in found}
    return PictureCards(texts, any(not chunk.sound for chunk in found.values()))


def with_cards(content: bytes, cards: Mapping[str, bytes]) -> bytes:
    """Return the picture with other cards, given as JSON by keyword; its own go. All else stays as it is.

    Raises:
        UsageMistake: as ``read_cards``.
    """
    pieces = [SIGNATURE]
    left = dict(cards)
    for chunk in _chunks(content):
        keyword = _keyword(chunk)
        if chunk.kind == b"IEND":
            pieces += [_card_chunk(name, text) for name, text in left.items()]
            left = {}
        if not keyword:
            pieces.append(chunk.whole)
        elif keyword in left:
            pieces.append(_card_chunk(keyword, left.pop(keyword)))
    return b"".join(pieces) + _after_end(content)


def blank_picture() -> bytes:
    """Return a plain grey picture of 400 by 600 points, for a card without one."""
    header = struct.pack(">IIBBBBB", 400, 600, 8, 0, 0, 0, 0)
    rows = zlib.compress((b"\0" + b"\x77" * 400) * 600, 9)
    return SIGNATURE + _framed(b"IHDR", header) + _framed(b"IDAT", rows) + _framed(b"IEND", b"")


def _chunks(content: bytes) -> Iterator[Chunk]:
    """Yield the chunks up to the end chunk; content is cut from the file, so no length can make it larger."""
    place = len(SIGNATURE)
    for _ in range(_MOST_CHUNKS):
        size = int.from_bytes(content[place : place + 4], "big")
        whole = content[place : place + size + _FRAME]
        if len(whole) < size + _FRAME:
            raise _broken(f"it ends in the middle, after {len(content):,} bytes")
        chunk = Chunk(whole[4:8], whole[8:-4], whole)
        yield chunk
        if chunk.kind == b"IEND":
            return
        place += len(whole)
    raise _broken(f"it is made of more than {_MOST_CHUNKS:,} pieces")


def _after_end(content: bytes) -> bytes:
    return content[len(SIGNATURE) + sum(len(chunk.whole) for chunk in _chunks(content)) :]


def _keyword(chunk: Chunk) -> str:
    """Return the keyword of a chunk that holds a card, else an empty text."""
    if chunk.kind not in (b"tEXt", b"iTXt", b"zTXt"):
        return ""
    name = chunk.content[:80].partition(b"\0")[0].decode("latin-1").lower()
    return name if name in KEYWORDS else ""


def _text(chunk: Chunk) -> bytes:
    """Return what stands after the keyword, inflated."""
    rest = chunk.content.partition(b"\0")[2]
    if chunk.kind == b"tEXt":
        return rest
    if chunk.kind == b"zTXt":
        return _inflated(rest[1:])
    packed = rest[:1] == b"\1"
    text = rest[2:].partition(b"\0")[2].partition(b"\0")[2]
    return _inflated(text) if packed else text


def _inflated(packed: bytes) -> bytes:
    machine = zlib.decompressobj()
    try:
        text = machine.decompress(packed, _MOST_BASE64 + 1)
    except zlib.error:
        raise _broken("the card in it is damaged and cannot be unpacked") from None
    if not machine.eof and len(text) <= _MOST_BASE64:
        raise _broken("the card in it ends in the middle")
    return text


def decoded(text: bytes) -> bytes:
    """Return the JSON of a chunk: it stands there in base64, in that of addresses, or as it is.

    Raises:
        UsageMistake: ``broken-base64``, ``json-too-large``.
    """
    if len(text) > _MOST_BASE64:
        raise card_too_large()
    if text.lstrip().startswith(b"{"):
        return _plain(text)
    dense = b"".join(text.split()).rstrip(b"=").translate(_OF_ADDRESSES)
    try:
        return base64.b64decode(dense + b"=" * (-len(dense) % 4), validate=True)
    except binascii.Error:
        raise refused("broken-base64", "the card in the picture is damaged: it cannot be decoded") from None


def _plain(text: bytes) -> bytes:
    """JSON as it is; the pictures' own encoding is Latin-1."""
    try:
        text.decode()
    except UnicodeDecodeError:
        return text.decode("latin-1").encode()
    return text


def _card_chunk(keyword: str, text: bytes) -> bytes:
    return _framed(b"tEXt", keyword.encode() + b"\0" + base64.b64encode(text))


def _framed(kind: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def _broken(why: str) -> UsageMistake:
    return refused("broken-picture", f"the picture is broken: {why}")
