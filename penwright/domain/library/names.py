"""Names of the files in ``sources/``, and what they say of the format."""

import re
import unicodedata
from collections.abc import Collection
from typing import Final, Literal

from penwright.errors import UsageMistake
from schemas.documents import SourceFormat

SOURCES: Final = "sources"
SHELF: Final = f"{SOURCES}/sources.bib"
"""Says which work each file is."""
LARGEST_MB: Final = 20
LARGEST: Final = LARGEST_MB * 1024 * 1024
"""Bytes of one file."""
PAGES: Final = b"%PDF-"
"""Begins every PDF."""

LibraryFormat = SourceFormat | Literal["pdf", "text"]
_FORMATS: Final[dict[str, LibraryFormat]] = {
    "pdf": "pdf",
    "docx": "docx",
    "epub": "epub",
    **dict.fromkeys(("html", "htm", "xhtml"), "html"),
    **dict.fromkeys(("tex", "latex"), "latex"),
    **dict.fromkeys(("md", "markdown", "mdown", "mkd", "txt", "text"), "text"),
}
_OTHER_SIGN = re.compile(r"[^\w.+]+")
_LONGEST = 80
ACCEPTED: Final = "PDF, DOCX, EPUB, HTML, Markdown or plain text"


def form_of(name: str) -> LibraryFormat:
    """Return the format that a file's name says; raises ``UsageMistake`` ``unknown-format``."""
    form = _FORMATS.get(name.rpartition(".")[2].lower()) if "." in name else None
    if form is None:
        raise UsageMistake(
            "unknown-format",
            f"{name!r} is of a kind that cannot be read",
            hint=f"save it as {ACCEPTED} in its own program, and add that file",
        )
    return form


def is_source(path: str) -> bool:
    """Whether a path of the repository is that of a source."""
    folder, _, name = path.rpartition("/")
    return folder == SOURCES and name.rpartition(".")[2].lower() in _FORMATS and not name.startswith(".")


def name_for(given: str, taken: Collection[str]) -> str:
    """Return the name of a new file in ``sources/``, in signs that every file system takes.

    ``taken``: names of the sources that are there; a number is added where one would be the same.
    """
    stem, _, ending = unicodedata.normalize("NFC", given).rpartition(".")
    plain = _OTHER_SIGN.sub("-", stem).strip("-. ")[:_LONGEST] or "source"
    there = {each.casefold() for each in taken}
    number, name = 1, f"{plain}.{ending.lower()}"
    while name.casefold() in there:
        number += 1
        name = f"{plain}-{number}.{ending.lower()}"
    return name
