"""Loose objects on the disk: one file for each, in git's own format, whole or not there at all."""

import contextlib
import os
import secrets
import zlib
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from itertools import islice

STORED_ABOVE = 128 * 1024
"""Bytes from which an object is stored uncompressed: deflating 5 MB costs 100 ms, storing it 10 ms.
Maintenance packs it later, as a delta of a few kilobytes."""
_SHORT = 4000
"""Bytes up to which an object is stored uncompressed as well: it takes one block of the disk either way."""
_BLOCK = 65535
_VECTOR = 1024
"""Parts that every system writes in one call."""
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


def header_of(kind: str, content: bytes) -> bytes:
    """What stands in front of a content, in the file and in what is hashed."""
    return b"%s %d\0" % (kind.encode(), len(content))


def store(header: bytes, content: bytes, folder: str, path: str) -> None:
    """Put an object on the disk, unless it is there."""
    if not os.path.exists(path):
        _name(store_unnamed(folder, header, content), path)


def name_early(early: Future[str], folder: str, path: str) -> None:
    """Give a file of ``store_unnamed`` its name, once it is on the disk."""
    os.makedirs(folder, exist_ok=True)
    _name(early.result(), path)


def throw_away(early: Future[str]) -> None:
    """Remove a file of ``store_unnamed`` that nobody wants any more."""
    if early.exception() is None:
        _remove(early.result())


def store_unnamed(folder: str, header: bytes, content: bytes) -> str:
    """Put an object on the disk under a name for the time being, which is the answer."""
    # git's own clean-up knows this prefix, should we be killed in between.
    spare = f"{folder}/tmp_obj_{secrets.token_hex(8)}"
    try:
        descriptor = os.open(spare, _NEW, 0o444)
    except FileNotFoundError:
        os.makedirs(folder, exist_ok=True)
        descriptor = os.open(spare, _NEW, 0o444)
    try:
        _write_out(descriptor, tuple(_deflated(header, content)))
        os.fchmod(descriptor, 0o444)
        os.fsync(descriptor)
    except BaseException:
        _remove(spare)
        raise
    finally:
        os.close(descriptor)
    return spare


def _name(spare: str, path: str) -> None:
    try:
        os.rename(spare, path)
    except BaseException:
        _remove(spare)
        raise


def _remove(spare: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(spare)


def _write_out(descriptor: int, parts: Sequence[bytes | memoryview]) -> None:
    # Many parts in one call: between two, a thread waits until another lets go of the interpreter.
    rest = deque(memoryview(part) for part in parts)
    while rest:
        written = os.writev(descriptor, list(islice(rest, _VECTOR)))
        while rest and written >= len(rest[0]):
            written -= len(rest.popleft())
        if written:
            rest[0] = rest[0][written:]


def _deflated(header: bytes, content: bytes) -> Iterator[bytes | memoryview]:
    """The zlib stream of an object; a short one, a long one and a folder are stored in blocks as they are."""
    if len(content) <= _SHORT:
        checked = zlib.adler32(content, zlib.adler32(header)).to_bytes(4, "big")
        yield b"".join((b"\x78\x01", _stored(header, last=False), _stored(content, last=True), checked))
        return
    # The larger part of a folder are ids, which nothing makes shorter.
    if len(content) <= STORED_ABOVE and not header.startswith(b"tree "):
        deflate = zlib.compressobj(1)
        yield deflate.compress(header) + deflate.compress(content) + deflate.flush()
        return
    yield b"\x78\x01" + _stored(header, last=False)
    view = memoryview(content)
    for at in range(0, len(content), _BLOCK):
        part = view[at : at + _BLOCK]
        yield _block_head(len(part), last=at + _BLOCK >= len(content))
        yield part
    yield zlib.adler32(content, zlib.adler32(header)).to_bytes(4, "big")


def _stored(part: bytes, *, last: bool) -> bytes:
    return _block_head(len(part), last=last) + part


def _block_head(size: int, *, last: bool) -> bytes:
    return bytes([last]) + size.to_bytes(2, "little") + (size ^ 0xFFFF).to_bytes(2, "little")
