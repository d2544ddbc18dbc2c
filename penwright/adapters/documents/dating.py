"""The date in EPUB and DOCX: pandoc, in its sandbox, knows no time and writes the beginning of 1970."""

import io
import zipfile
from datetime import UTC, datetime

_PLACES = {"EPUB/content.opf", "docProps/core.xml", "word/comments.xml"}
_UNKNOWN = b"1970-01-01T00:00:00Z"
_UNKNOWN_DAY = b"1970-01-01"


def dated(document: bytes, written_at: int) -> bytes:
    """Return the archive with the time in the place of the unknown one; else it stays byte for byte.

    Args:
        written_at: seconds since 1970, of the commit.
    """
    at = datetime.fromtimestamp(written_at, UTC)
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(document)) as old, zipfile.ZipFile(made, "w") as new:
        for member in old.infolist():
            content = old.read(member)
            if member.filename in _PLACES:
                content = content.replace(_UNKNOWN, at.strftime("%Y-%m-%dT%H:%M:%SZ").encode())
                content = content.replace(_UNKNOWN_DAY, at.strftime("%Y-%m-%d").encode())
            new.writestr(member, content, member.compress_type)
    return made.getvalue()
