"""The texts of a book for reading, at the tip or at a commit, and the notes in them."""

from dataclasses import dataclass
from typing import Literal

from gateway.desk.services import Services
from gateway.desk.works.books import Book
from gateway.desk.works.works import commit_id, no_such_text
from penwright.domain.book.editing import as_lf, refused_path
from penwright.domain.book.files.layout import CHANGELOG_FOLDER, EDITABLE
from penwright.domain.text.globs import matches, only
from penwright.domain.text.ink_comments import parse_comments
from penwright.errors import Refused

_READABLE = (*EDITABLE, f"{CHANGELOG_FOLDER}/*.md")


@dataclass(frozen=True, slots=True)
class TextFile:
    """A text of a book."""

    path: str
    revision: str
    """Git blob id."""
    editable: bool
    """Whether a person may write it from a page or by the API."""


@dataclass(frozen=True, slots=True)
class ReadText:
    """A text of a book."""

    path: str
    text: str
    """Whole, with LF."""
    revision: str
    commit: str
    """The commit that it was read at."""


def listed(services: Services, book: Book) -> tuple[TextFile, ...]:
    """The texts at the tip, by path."""
    snapshot = services.workspaces().snapshot(book.workspace, (), names=_READABLE)
    return tuple(
        TextFile(path, revision, refused_path(path) is None)
        for path, revision in sorted(snapshot.names.items())
        if _is_readable(path)
    )


def read(services: Services, book: Book, path: str, *, at: str = "") -> ReadText:
    """A text at the tip, or at the commit or tag ``at``.

    Raises:
        NotFound: ``no-such-text``, ``no-such-commit``.
        Refused: ``not-text``.
    """
    commit = commit_id(services, book.workspace, at) if at else None
    if not _is_readable(path):
        raise no_such_text(path)
    snapshot = services.workspaces().snapshot(book.workspace, (only(path),), at=commit)
    if path in snapshot.unreadable:
        raise Refused("not-text", f"{path!r} is not UTF-8 text", hint="save it as UTF-8, then try again")
    file = snapshot.files.get(path)
    if file is None:
        raise no_such_text(path)
    return ReadText(path, as_lf(file.text), file.blob, snapshot.tip)


def _is_readable(path: str) -> bool:
    return any(matches(pattern, path) for pattern in _READABLE)


@dataclass(frozen=True, slots=True)
class NoteInText:
    """A note, and where it stands."""

    path: str
    line: int
    """From 1."""
    kind: Literal["instruction", "conflict", "malformed"]
    """``malformed``: a note that no session reads as one; its text says how to mend it."""
    text: str


def notes(services: Services, book: Book) -> tuple[NoteInText, ...]:
    """Every note at the tip, by path and line; what is no text has none."""
    found: list[NoteInText] = []
    for each in listed(services, book):
        if not (each.editable and each.path.endswith(".md")):
            continue
        try:
            text = read(services, book, each.path).text
        except Refused:
            continue
        for comment in parse_comments(text):
            if comment.kind != "marker":
                found.append(NoteInText(each.path, comment.line, comment.kind, comment.text))
    return tuple(found)
