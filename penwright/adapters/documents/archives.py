"""Zip archives of DOCX and EPUB documents, checked and packed anew before a converter sees them."""

import io
import re
import zipfile
from collections.abc import Callable, Iterator

from penwright.domain.archives import MOST_FILES, NOT_WHOLE, USUAL_PACKING, most_files
from penwright.errors import PermanentError, UsageMistake

MOST_BYTES = 64 * 1024 * 1024
"""Of a document, and of all texts in it."""
_TEXTS = (".xml", ".rels", ".xhtml", ".html", ".htm", ".opf", ".ncx", ".css")
_ENTITY = re.compile(rb"<!ENTITY", re.IGNORECASE)
_PIECE = 1024 * 1024
_ENCRYPTED = 1


def checked_archive(content: bytes) -> bytes:
    """Return the texts of an archive as a new, uncompressed archive; pictures and fonts are left out.

    Nothing in the result can be larger than it is here: sizes are counted, not believed.

    Raises:
        UsageMistake: ``document-broken``, ``document-encrypted``, or ``document-unsafe`` for a text that
            declares entities.
        PermanentError: ``document-too-large``.
    """
    if (files := most_files(content)) > MOST_FILES:
        raise _too_large(f"it has {files} files inside")
    packed = io.BytesIO()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as given, zipfile.ZipFile(packed, "w") as made:
            for name, text in _texts(given):
                made.writestr(zipfile.ZipInfo(name), text)
    except NOT_WHOLE as error:
        raise UsageMistake(
            "document-broken",
            f"the document is no whole zip archive: {error}",
            hint="open it in its own program, save it again, and try with the new file",
        ) from None
    return packed.getvalue()


def with_changes(content: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    """Return an archive of our own with what ``change`` makes of the name and content of each file."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as given, zipfile.ZipFile(made, "w") as packed:
        for entry in given.infolist():
            packed.writestr(entry, change(entry.filename, given.read(entry)))
    return made.getvalue()


def _texts(archive: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of every text, once per name."""
    entries = {entry.filename: entry for entry in archive.infolist()}
    left = MOST_BYTES
    for name, entry in entries.items():
        if name == "mimetype" or name.lower().endswith(_TEXTS):
            text = _read(archive, entry, left)
            left -= len(text)
            if _ENTITY.search(text) or _ENTITY.search(text.replace(b"\0", b"")):
                raise UsageMistake(
                    "document-unsafe",
                    f"{name!r} in the document declares entities, which may name other files",
                    hint="open the document in its own program and save it again",
                )
            yield name, text


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, most: int) -> bytes:
    if entry.compress_type not in USUAL_PACKING:
        raise zipfile.BadZipFile(f"{entry.filename[:80]!r} is packed in a way that documents do not use")
    if entry.flag_bits & _ENCRYPTED:
        raise UsageMistake(
            "document-encrypted",
            f"{entry.filename[:80]!r} in the document is encrypted",
            hint="open it in its own program, and save it without a password",
        )
    pieces: list[bytes] = []
    size = 0
    with archive.open(entry) as file:
        while piece := file.read(_PIECE):
            size += len(piece)
            if size > most:
                raise _too_large(f"the texts in it have more than {MOST_BYTES // 1024 // 1024} MB")
            pieces.append(piece)
    return b"".join(pieces)


def _too_large(why: str) -> PermanentError:
    return PermanentError(
        "document-too-large", f"the document is too large: {why}", hint="divide it, or name a smaller one"
    )
