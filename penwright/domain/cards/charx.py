"""CHARX archives: a zip with ``card.json`` and the files that belong to the card."""

import io
import re
import stat
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass

from penwright.domain.archives import NOT_WHOLE, USUAL_PACKING, most_files
from penwright.domain.cards.refusals import MOST_JSON_BYTES, card_too_large, refused
from penwright.errors import UsageMistake

SIGNATURE = b"PK\x03\x04"
CARD = "card.json"
_PICTURES = (b"\xff\xd8\xff", b"RIFF", b"GIF8")
"""Pictures that Risu hides an archive behind begin so."""
_DIRECTORY_END = b"PK\x05\x06"
_END_REACH = 65_557
"""Bytes from the end within which the end of an archive's directory stands."""
_MOST_FILES = 5_000
_MOST_BYTES = 64 * 1024 * 1024
"""Of all files together, unpacked."""
_BOMB_BYTES = 1024 * 1024
_BOMB_RATIO = 200
"""A file larger than ``_BOMB_BYTES`` that shrinks more than this is no picture, sound or text of a card."""
_WAYWARD = re.compile(r"^[/\\]|^[A-Za-z]:|(^|[/\\])\.\.([/\\]|$)|[\0-\x1f\x7f]|\\")


@dataclass(frozen=True, slots=True)
class Member:
    """A file of an archive, unpacked."""

    info: zipfile.ZipInfo
    content: bytes


def read_archive(content: bytes) -> tuple[Member, ...]:
    """Return the files of an archive in their order.

    All are unpacked, so that their sizes are counted and not believed.

    Raises:
        UsageMistake: ``broken-archive``, ``unsafe-archive`` (a path that leads out, a link, two files of one
            name, a bomb), ``no-card-in-archive``.
    """
    if most_files(content) > _MOST_FILES:
        raise _unsafe(f"it has more than {_MOST_FILES:,} files")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            infos = archive.infolist()
            _check(infos)
            return tuple(Member(info, _unpacked(archive, info)) for info in infos)
    except NOT_WHOLE as error:
        why = str(error)[:200] or type(error).__name__
        raise refused("broken-archive", f"it is no whole zip archive: {why}") from None


def front_of(content: bytes) -> bytes | None:
    """Return what stands before an archive, such as the picture that hides it; None if it is none."""
    if content.startswith(SIGNATURE):
        return b""
    if not content.startswith(_PICTURES) or _DIRECTORY_END not in content[-_END_REACH:]:
        return None
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return content[: min((info.header_offset for info in archive.infolist()), default=0)] or None
    except NOT_WHOLE:
        return None


def card_of(members: Sequence[Member]) -> bytes:
    """Return the JSON of the card. Raises ``UsageMistake`` (``no-card-in-archive``, ``json-too-large``)."""
    found = next((each.content for each in members if each.info.filename == CARD), None)
    if found is None:
        raise refused("no-card-in-archive", f"the archive has no {CARD} at its top; it is no CHARX file")
    return found


def with_card(members: Sequence[Member], card: bytes, front: bytes = b"") -> bytes:
    """Return an archive of these files with another card; a card that is missing comes first.

    Args:
        front: what stands before the archive.
    """
    if all(each.info.filename != CARD for each in members):
        members = (Member(new_info(CARD), card), *members)
    packed = io.BytesIO()
    packed.write(front)
    with zipfile.ZipFile(packed, "w") as archive:
        for each in members:
            archive.writestr(_copied(each.info), card if each.info.filename == CARD else each.content)
    return packed.getvalue()


def new_info(name: str) -> zipfile.ZipInfo:
    """Return the head of a new file, with the earliest date that a zip archive can have."""
    info = zipfile.ZipInfo(name)
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def _copied(info: zipfile.ZipInfo) -> zipfile.ZipInfo:
    made = zipfile.ZipInfo(info.filename, info.date_time)
    made.compress_type, made.external_attr = info.compress_type, info.external_attr
    made.comment, made.create_system = info.comment, info.create_system
    return made


def _check(infos: Sequence[zipfile.ZipInfo]) -> None:
    """Refuse what is unsafe by what the archive says of itself."""
    names = [info.filename for info in infos]
    if len(set(names)) < len(names):
        raise _unsafe("two files in it have one name")
    if sum(info.file_size for info in infos) > _MOST_BYTES:
        raise _unsafe(f"its files have more than {_MOST_BYTES // 1024 // 1024} MB")
    for info in infos:
        _check_one(info)


def _check_one(info: zipfile.ZipInfo) -> None:
    shown = repr(info.filename[:80])
    if _WAYWARD.search(info.filename) or not info.filename:
        raise _unsafe(f"the path {shown} in it leads out of it")
    if stat.S_ISLNK(info.external_attr >> 16):
        raise _unsafe(f"{shown} in it is a link")
    if info.flag_bits & 1:
        raise _unsafe(f"{shown} in it is encrypted")
    if info.compress_type not in USUAL_PACKING:
        raise _unsafe(f"{shown} in it is packed in a way that cards do not use")
    if info.file_size > max(_BOMB_BYTES, _BOMB_RATIO * info.compress_size):
        raise _unsafe(f"{shown} in it is a bomb: {info.file_size:,} bytes from {info.compress_size:,}")
    if info.filename == CARD and info.file_size > MOST_JSON_BYTES:
        raise card_too_large()


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Read a file, never more than it says it has; its check sum is compared."""
    content = archive.read(info)
    if len(content) != info.file_size:
        raise zipfile.BadZipFile(f"{info.filename[:80]!r} has {len(content)} bytes and says {info.file_size}")
    return content


def _unsafe(why: str) -> UsageMistake:
    return refused("unsafe-archive", f"the archive is not opened: {why}")
