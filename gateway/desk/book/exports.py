"""Books as documents: read at the last commit, converted, written in one step; and what shops refuse."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from gateway.desk.book import word
from gateway.desk.book.lost_config import naming_restore
from gateway.desk.services import Services
from gateway.desk.works.books import Book
from gateway.desk.written_files import check_place, write_file
from penwright.domain.book.exporting.forms import as_markdown, as_plain_text
from penwright.domain.book.exporting.reading_text import (
    contents_depth,
    headings,
    listed,
    reading_text,
    top_level,
    with_verse,
)
from penwright.domain.book.files.cover import Cover, read_cover
from penwright.domain.book.files.layout import CONFIG, FULL_BOOK, README, REVIEW
from penwright.domain.book.review.waiting_prose import read_waiting
from penwright.domain.text.languages import language_tag
from penwright.domain.text.words import count_words
from penwright.errors import PermanentError, Refused, UsageMistake
from schemas.documents import BookDocument, WrittenDocument
from schemas.workspace import Snapshot

ExportFormat = Literal["markdown", "text", "html", "epub", "docx", "pdf"]

SUFFIXES: dict[ExportFormat, str] = {
    "markdown": ".md",
    "text": ".txt",
    "html": ".html",
    "epub": ".epub",
    "docx": ".docx",
    "pdf": ".pdf",
}
MORE_SUFFIXES: dict[str, ExportFormat] = {".markdown": "markdown", ".text": "text", ".htm": "html"}


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """Format, place and options of an export."""

    format: ExportFormat
    place: Path
    force: bool = False
    """Replace a file that exists."""
    with_waiting: bool = True
    """The prose in Review/current.md too."""
    comments: bool = True
    """Open notes as comments, of a DOCX."""
    since: str = ""
    """A commit since which changes are tracked changes, of a DOCX."""
    contents: bool | None = None
    """A list of contents; None leaves it to Config.yml."""


@dataclass(frozen=True, slots=True)
class Exported:
    """A document that was written."""

    path: str
    format: ExportFormat
    title: str
    author: str
    language: str
    """The tag in the document; empty if the language is not known."""
    headings: int
    """As many as a list of contents has, whether it is shown or not."""
    words: int
    waiting_words: int
    """Words of it that still wait for review."""
    size: int
    """Bytes."""
    commit: str
    warnings: tuple[str, ...]
    comments: int = 0
    """Open notes that are comments of a DOCX."""
    changes: int = 0
    """Passages with tracked changes."""


Copier = Callable[[Cover, str, Callable[[str], bytes]], bytes]
"""Makes another document of a book, with its evidence: of its cover, text, and a converter of Markdown."""


def default_place(book: Book, format: ExportFormat) -> Path:
    """Return a file in the current folder, named after the book's title."""
    name = "-".join(re.findall(r"\w+", book.title.lower()))[:80] or str(book.book_id)
    return Path(f"{name}{SUFFIXES[format]}")


def export(services: Services, book: Book, wish: ExportOptions, copier: Copier | None = None) -> Exported:
    """Write the book to a file; on any error nothing is written.

    Args:
        copier: makes it, if it is a reader's copy.

    Raises:
        Refused: ``would-overwrite`` or ``nothing-to-export``.
        UsageMistake: ``changes-need-docx``; NotFound: ``no-such-commit``, of ``since``.
        PermanentError: the converter is missing or failed, or the file cannot be written.
    """
    check_place(wish.place, force=wish.force, suffix=SUFFIXES[wish.format])
    word.check(wish)
    top = Path(book.workspace.path)
    paths = (CONFIG, README, FULL_BOOK, REVIEW)
    snapshot = services.workspaces().snapshot(book.workspace, paths)
    cover = _cover(snapshot, book, wish)
    text = _text(snapshot, with_waiting=wish.with_waiting)
    if not text:
        raise Refused(
            "nothing-to-export",
            "the book has no text yet; nothing was written",
            hint=f"write a session first: `penwright book session {book.words}`",
        )
    language = language_tag(cover.language)
    written_at = _written_at(services, book, snapshot)
    shown = word.marked(services, book, snapshot, wish, text, written_at)

    def converted(text: str) -> WrittenDocument:
        return _made(services, book, text, cover, language, wish.format, written_at)

    made = (
        WrittenDocument(content=copier(cover, text, lambda marked: converted(marked).content))
        if copier
        else converted(shown.text)
    )
    write_file(wish.place, made.content, force=wish.force)
    waiting = reading_text("", _file(snapshot, REVIEW)) if wish.with_waiting else ""
    found = headings(text)
    return Exported(
        path=str(wish.place),
        format=wish.format,
        title=cover.title,
        author=cover.author,
        language=language,
        headings=len(listed(found, contents_depth(text))),
        words=count_words(text),
        waiting_words=count_words(waiting),
        size=len(made.content),
        commit=snapshot.tip,
        warnings=(
            *_warnings(top, snapshot, cover, language),
            *shown.warnings,
            *(warnings(cover, made.faults) if wish.format == "epub" else ()),
        ),
        comments=shown.comments,
        changes=shown.changes,
    )


def _made(
    services: Services,
    book: Book,
    text: str,
    cover: Cover,
    language: str,
    to: ExportFormat,
    written_at: int,
) -> WrittenDocument:
    if to == "markdown":
        return WrittenDocument(content=as_markdown(text, cover, language).encode())
    if to == "text":
        return WrittenDocument(content=as_plain_text(text, cover).encode())
    told = cover.metadata
    picture, shown = cover_picture(Path(book.workspace.path), cover) if to == "epub" else ("", b"")
    document = BookDocument(
        markdown=with_verse(text),
        title=cover.title,
        author=cover.author,
        language=language,
        contents=cover.contents,
        contents_depth=contents_depth(text),
        top_level=top_level(headings(text)),
        identifier=f"urn:isbn:{told.isbn}" if told.has_isbn else f"urn:penwright:{book.book_id}",
        written_at=written_at,
        description=told.description,
        rights=told.rights,
        publisher=told.publisher,
        cover=shown,
        cover_name=picture or "cover.png",
    )
    return services.documents().write(document, to)


def _cover(snapshot: Snapshot, book: Book, wish: ExportOptions) -> Cover:
    with naming_restore(book):
        read = read_cover(_file(snapshot, CONFIG), _file(snapshot, README), untitled=book.title)
    contents = read.contents if wish.contents is None else wish.contents
    return replace(read, contents=contents)


def _text(snapshot: Snapshot, *, with_waiting: bool) -> str:
    return reading_text(_file(snapshot, FULL_BOOK), _file(snapshot, REVIEW) if with_waiting else "")


def _file(snapshot: Snapshot, path: str) -> str:
    if path in snapshot.unreadable:
        raise PermanentError(
            "book-not-text", f"{path!r} is not UTF-8 text", hint="save it as UTF-8, then export again"
        )
    return snapshot.files[path].text if path in snapshot.files else ""


def _warnings(top: Path, snapshot: Snapshot, cover: Cover, language: str) -> list[str]:
    found = []
    for path in (FULL_BOOK, REVIEW, CONFIG):
        if _unsaved(top / path, snapshot.files[path].text if path in snapshot.files else None):
            found.append(
                f"{path!r} was changed since the last commit; the document has the committed text. "
                "`git commit` or the next session saves the change."
            )
    if not language:
        found.append(
            f"the language {cover.language!r} is not known; write a tag such as en-GB into {CONFIG!r}"
        )
    for path in (FULL_BOOK, REVIEW):
        text = snapshot.files[path].text if path in snapshot.files else ""
        malformed = [note for note in read_waiting(text).notes if note.kind == "malformed"]
        found += [f"{path!r} line {note.line}: {note.text}" for note in malformed]
    return found


def _unsaved(file: Path, committed: str | None) -> bool:
    try:
        return committed is not None and file.read_bytes() != committed.encode()
    except OSError:
        return False


def _written_at(services: Services, book: Book, snapshot: Snapshot) -> int:
    """Return when the last commit was made: the same book gives the same document."""
    found = services.history().log(book.workspace, 1, tip=snapshot.tip)
    return int(found[0].at.timestamp()) if found else 0


_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".svg")
_LARGEST_COVER = 20 * 1024 * 1024


def cover_picture(top: Path, cover: Cover) -> tuple[str, bytes]:
    """A file name for the cover's picture, and its content; empty without a cover.

    Raises:
        UsageMistake: ``no-cover``: it is no picture of the book's folder.
    """
    if not (named := cover.metadata.cover):
        return "", b""
    place = (top / named).resolve()
    inside = place.is_relative_to(top.resolve()) and place.is_file() and place.suffix.lower() in _PICTURES
    if not inside or place.stat().st_size > _LARGEST_COVER:
        raise UsageMistake(
            "no-cover",
            f"`cover` in {CONFIG!r} names {named!r}, which is no picture in the book's folder",
            hint=f"name a file of up to 20 MB that ends in {', '.join(_PICTURES)}, or delete the line",
        )
    return f"cover{place.suffix.lower()}", place.read_bytes()


def warnings(cover: Cover, faults: Sequence[str]) -> Iterator[str]:
    """Warnings of faults that shops refuse: data that is missing, a wrong ISBN, broken rules of EPUB."""
    if missing := [*cover.metadata.missing(cover.author)]:
        yield f"shops refuse an EPUB without {' and '.join(missing)}; set {', '.join(missing)} in {CONFIG!r}"
    if cover.metadata.isbn and not cover.metadata.has_isbn:
        yield f"{cover.metadata.isbn!r} is no ISBN, so the EPUB has none; correct `isbn` in {CONFIG!r}"
    yield from (f"a reader or shop may refuse the EPUB: {fault}" for fault in faults)
