"""Zip archives from elsewhere: what of one is known without unpacking it."""

import io
import struct
import zipfile
import zlib
from typing import Final

NOT_WHOLE: Final = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    OverflowError,
    LookupError,
    OSError,
)
"""Errors that ``zipfile`` raises for files that are no whole archive."""
USUAL_PACKING: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""Only these are unpacked piece by piece: ``zipfile`` unpacks a whole bomb of the others at once."""
MOST_FILES: Final = 10_000
"""Of a document; listing them takes memory for each."""
_DIRECTORY_ENTRY = b"PK\x01\x02"


def most_files(content: bytes) -> int:
    """Return how many files an archive can have at most."""
    return content.count(_DIRECTORY_ENTRY)


def names_of(content: bytes) -> frozenset[str]:
    """Return the names of a document's files; none if it is no whole archive, or has too many."""
    if most_files(content) > MOST_FILES:
        return frozenset()
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return frozenset(archive.namelist())
    except NOT_WHOLE:
        return frozenset()
