"""Source texts in files: text, Markdown, and documents of other programs."""

import os
from dataclasses import dataclass
from pathlib import Path

from gateway.desk.services import Services
from penwright.domain.archives import names_of
from penwright.domain.book.importing.own_export import read_own_export
from penwright.domain.book.importing.plain_lines import as_plain_lines
from penwright.domain.book.importing.reading import read_source
from penwright.domain.book.importing.values import SourceText
from penwright.domain.text.completeness import words_missing
from penwright.domain.text.encodings import Decoded, decoded
from penwright.domain.text.names import in_one_line
from penwright.domain.text.returned import NOTHING, Returned
from penwright.errors import NotFound, PenwrightError, UsageMistake
from schemas.documents import Changes, ReadDocument, SourceDocument, SourceFormat

_LARGEST = 64 * 1024 * 1024
_OLE = b"\xd0\xcf\x11\xe0"
"""Begins files of old Word, and documents with a password."""
_MARKDOWN = (".md", ".markdown", ".mdown", ".mkd")
_PAGES = (".html", ".htm", ".xhtml")
_OTHERS = (".doc", ".odt", ".rtf", ".pages", ".pdf", ".mobi", ".azw3", ".scriv", ".wpd")
_ACCEPTED = "plain text, Markdown, DOCX, EPUB or HTML"


@dataclass(frozen=True, slots=True)
class Reading:
    """A person's choices for reading a file."""

    encoding: str = ""
    """Of a text or Markdown; empty to find it."""
    chapters_at: str = ""
    """The level of headings, or the pattern, at which chapters begin; empty to find them."""
    changes: Changes = "accept"
    """Whether tracked changes of a DOCX are accepted, rejected or reviewed."""


USUAL = Reading()
"""Nothing is named."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A source text, and what its file says of itself."""

    source: SourceText
    format: str
    """``text``, ``docx``, ``epub`` or ``html``."""
    title: str = ""
    author: str = ""
    left_out: tuple[str, ...] = ()
    """Parts that the text cannot hold, for the author."""
    people: tuple[str, ...] = ()
    """Names of those whose tracked changes are in the text."""
    returned: Returned = NOTHING
    """Changes and comments to be reviewed."""
    whole: bool = True
    """Every word of the file's own text is in the source text, but for a head that ``left_out`` names."""


def read_file(services: Services, path: Path, reading: Reading = USUAL) -> SourceFile:
    """Read a source text; a document of another program is converted to Markdown.

    Raises:
        NotFound: ``no-such-file``.
        UsageMistake: it is no file, in no known encoding, holds no text, or is of a kind that cannot be read.
        PermanentError: the converter is missing, or one of its bounds is reached.
    """
    place = path.expanduser()
    check_file(place)
    content = place.read_bytes()
    form = format_of(place, content)
    if form is None:
        found = text_of(place, content, reading.encoding)
        own = read_own_export(found.text)
        source = own.source(reading.chapters_at)
        if not own.is_markdown and place.suffix.lower() not in _MARKDOWN:
            source = as_plain_lines(source)
        whole = not words_missing(own.text, "\n".join(source.lines))
        left_out = (*own.left_out, *found.notes)
        return SourceFile(source, "text", own.title, own.author, left_out, whole=whole)
    read = converted(services, place, SourceDocument(format=form, content=content, changes=reading.changes))
    refuse_nul(place, read.markdown)
    if not read.markdown.strip():
        raise UsageMistake("source-not-text", f"{str(path)!r} holds no text; name another file")
    source = read_source(read.markdown, reading.chapters_at)
    title, returned = in_one_line(read.title), Returned(read.edits, read.comments)
    whole = not read.words_missing
    return SourceFile(source, form, title, read.author, read.left_out, read.people, returned, whole)


_EXAMPLES = (
    "name the source text's file; `penwright book import --help` and "
    "`penwright manuscript import --help` show examples"
)


def check_file(place: Path, hint: str = _EXAMPLES) -> None:
    """Raise ``NotFound`` or ``UsageMistake`` unless ``place`` is a file that can be read here."""
    if not place.exists():
        folder = place.absolute().parent
        where = "" if folder.is_dir() else f": there is no folder {str(folder)!r} either"
        raise NotFound("no-such-file", f"there is no file {str(place)!r}{where}", hint=hint)
    if not place.is_file():
        raise UsageMistake("not-a-file", f"{str(place)!r} is not a file", hint=hint)
    if not os.access(place, os.R_OK):
        raise UsageMistake(
            "file-unreadable",
            f"{str(place)!r} cannot be read: permission denied",
            hint=f"allow it with `chmod u+r {place}`, or name a copy",
        )
    if place.stat().st_size > _LARGEST:
        raise UsageMistake(
            "document-too-large",
            f"{str(place)!r} has more than {_LARGEST // 1024 // 1024} MB",
            hint="divide it, or save it without pictures",
        )


def format_of(place: Path, content: bytes) -> SourceFormat | None:
    """Return the kind of document; None for text. The content decides where it can.

    Raises:
        UsageMistake: ``unknown-format`` or ``document-encrypted``.
    """
    suffix = place.suffix.lower()
    if suffix in (".docx", ".epub") and content.startswith(_OLE):
        raise UsageMistake(
            "document-encrypted",
            f"{str(place)!r} is encrypted, or a document of an old program",
            hint=f"open it in its own program, and save it as {suffix[1:].upper()} without a password",
        )
    if suffix in _OTHERS or content.startswith((b"%PDF-", _OLE, b"{\\rtf")):
        raise UsageMistake(
            "unknown-format",
            f"{str(place)!r} is of a kind that cannot be read",
            hint=f"save it as {_ACCEPTED} in its own program",
        )
    if content.startswith(b"PK"):
        return _packed(place, content)
    if suffix in (".docx", ".epub"):
        return "docx" if suffix == ".docx" else "epub"
    return "html" if suffix in _PAGES else None


def _packed(place: Path, content: bytes) -> SourceFormat:
    names = names_of(content)
    if "META-INF/container.xml" in names or place.suffix.lower() == ".epub":
        return "epub"
    if "word/document.xml" in names or place.suffix.lower() == ".docx":
        return "docx"
    raise UsageMistake(
        "unknown-format",
        f"{str(place)!r} is a zip archive, but neither DOCX nor EPUB",
        hint=f"unpack it and name the source text inside: {_ACCEPTED}",
    )


def converted(services: Services, place: Path, document: SourceDocument) -> ReadDocument:
    """Convert a document to Markdown; errors name its file."""
    try:
        return services.documents().read(document)
    except PenwrightError as error:
        details = dict(error.details)
        raise type(error)(error.code, f"{str(place)!r}: {error.message}", **details) from None


def text_of(place: Path, content: bytes, encoding: str = "") -> Decoded:
    """Decode a file as ``decoded`` does.

    Raises:
        UsageMistake: ``source-not-utf8``, ``source-not-text``, or what ``decoded`` names.
    """
    found = decoded(content, encoding)
    if found is None:
        raise UsageMistake(
            "source-not-utf8",
            f"{str(place)!r} is neither UTF-8 nor text in an encoding that can be guessed",
            hint="name its encoding with `--encoding`, such as `--encoding cp437`",
        )
    refuse_nul(place, found.text)
    if not found.text.strip():
        raise UsageMistake(
            "source-not-text", f"{str(place)!r} holds no text", hint=f"name a file of {_ACCEPTED}"
        )
    return found


def refuse_nul(place: Path, text: str) -> None:
    """A book with a NUL byte is not text: it could not be opened."""
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise UsageMistake(
            "source-not-text",
            f"{str(place)!r} holds a NUL byte in line {line} of its text",
            hint="delete it, for instance with `tr -d '\\000' < FILE > NEW`, and name the new file",
        )
