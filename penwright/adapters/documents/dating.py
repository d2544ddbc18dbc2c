"""The date in EPUB and DOCX: pandoc, in its sandbox, knows no time and writes the beginning of 1970."""

from datetime import UTC, datetime

_PLACES = {"EPUB/content.opf", "docProps/core.xml", "word/comments.xml"}
_UNKNOWN = b"1970-01-01T00:00:00Z"
_UNKNOWN_DAY = b"1970-01-01"


def dated(name: str, content: bytes, written_at: int) -> bytes:
    """Return a file of the document with the time in the place of the unknown one.

    Args:
        name: of the file, in its archive.
        written_at: seconds since 1970, of the commit.
    """
    if name not in _PLACES:
        return content
    at = datetime.fromtimestamp(written_at, UTC)
    timed = content.replace(_UNKNOWN, at.strftime("%Y-%m-%dT%H:%M:%SZ").encode())
    return timed.replace(_UNKNOWN_DAY, at.strftime("%Y-%m-%d").encode())
