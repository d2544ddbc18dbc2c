"""What a DOCX has and its conversion to Markdown does not keep, counted."""

import io
import re
import zipfile
from typing import Final

_PARTS: Final = (
    ("word/comments.xml", rb"<w:comment[ >]", "reviewers' comments left out: {}"),
    ("word/document.xml", rb"<w:del[ >]", "tracked deletions left out: {}"),
    ("word/document.xml", rb"<w:moveFrom[ >]", "tracked moves taken in where they went: {}"),
    ("word/document.xml", rb"<w:ins[ >]", "tracked insertions taken in as text: {}"),
)
_PICTURE: Final = re.compile(rb"<(?:pic:pic|v:imagedata)[ />]")


def losses(archive: bytes) -> tuple[str, ...]:
    """A sentence for each kind of part that is lost; ``archive`` is one that ``checked_archive`` made."""
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        counted = ((said, len(re.findall(pattern, _read(packed, name)))) for name, pattern, said in _PARTS)
        return tuple(said.format(number) for said, number in counted if number)


def pictures(archive: bytes) -> int:
    """How many pictures its text shows; the files themselves are taken out before the conversion."""
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        return len(_PICTURE.findall(_read(packed, "word/document.xml")))


def _read(packed: zipfile.ZipFile, name: str) -> bytes:
    return packed.read(name) if name in packed.namelist() else b""
