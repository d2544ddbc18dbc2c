"""PNG pictures with cards in them, whole and broken, and CHARX archives."""

import base64
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

from penwright.domain.cards.png import SIGNATURE


def dumped(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def chunk(kind: bytes, content: bytes, *, size: int | None = None, sound: bool = True) -> bytes:
    length = struct.pack(">I", len(content) if size is None else size)
    return length + kind + content + struct.pack(">I", zlib.crc32(kind + content) ^ (0 if sound else 1))


def text_chunk(keyword: str, document: Any, way: str = "tEXt") -> bytes:
    """``way``: tEXt, zTXt, iTXt, or iTXt+ for a packed one."""
    text = base64.b64encode(document if isinstance(document, bytes) else dumped(document))
    name = keyword.encode() + b"\0"
    if way == "zTXt":
        return chunk(b"zTXt", name + b"\0" + zlib.compress(text))
    if way == "iTXt":
        return chunk(b"iTXt", name + b"\0\0en\0\0" + text)
    if way == "iTXt+":
        return chunk(b"iTXt", name + b"\1\0\0\0" + zlib.compress(text))
    return chunk(b"tEXt", name + text)


def picture(*chunks: bytes, end: bool = True, after: bytes = b"") -> bytes:
    """A grey picture of 8 by 8 points with these chunks before its image."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 0, 0, 0, 0))
    image = chunk(b"IDAT", zlib.compress((b"\0" + b"\x80" * 8) * 8))
    tail = chunk(b"IEND", b"") if end else b""
    return SIGNATURE + header + b"".join(chunks) + image + tail + after


def webp(*chunks: tuple[bytes, bytes]) -> bytes:
    """A WebP picture of these chunks; nothing here decodes it."""
    body = b"WEBP" + b"".join(
        kind + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)
        for kind, content in ((b"VP8 ", bytes(10)), *chunks)
    )
    return b"RIFF" + struct.pack("<I", len(body)) + body


def exif(comment: bytes, order: str = "<", code: bytes = b"ASCII\0\0\0") -> bytes:
    """EXIF with a UserComment, in the table of its own that cameras make."""
    mark, value = {"<": b"II*\0", ">": b"MM\0*"}[order], code + comment
    first = struct.pack(f"{order}HHHIII", 1, 0x8769, 4, 1, 26, 0)
    inner = struct.pack(f"{order}HHHIII", 1, 0x9286, 7, len(value), 44, 0)
    return mark + struct.pack(f"{order}I", 8) + first + inner + value


def archive(card: Any, files: Mapping[str, bytes] = {}, *, packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", packing) as made:
        if card is not None:
            made.writestr(zipfile.ZipInfo("card.json", (2025, 5, 4, 3, 2, 0)), dumped(card))
        for name, content in files.items():
            made.writestr(name, content)
    return packed.getvalue()
