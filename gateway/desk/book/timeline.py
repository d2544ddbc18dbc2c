"""The history of a book as one time line: sessions, saves and restores, and what each changed."""

import re
from dataclasses import dataclass
from datetime import datetime

from gateway.desk.services import Services
from gateway.desk.works.books import Book
from penwright.domain.book.files.layout import CONTENT_FOLDERS
from penwright.domain.trailers import SESSION, STEP
from penwright.errors import UsageMistake
from penwright.ports.history import ChangedFile, Commit, History

_SHA = re.compile(r"[0-9a-f]{40}")
_LONGEST = 60_000
"""Characters of a comparison that are shown."""
_READ = 20
"""Files of a comparison that are read; others are only named."""
_READ_BYTES = 4_000_000
"""Of a version of a file; a longer one is only named."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One commit."""

    commit: str
    at: datetime
    author: str
    subject: str
    step: str
    """Step of a session, such as ``close``; empty for a save of a person's."""
    session: str
    tags: tuple[str, ...]
    """Restore points: where a session began."""


@dataclass(frozen=True, slots=True)
class ChangedText:
    """One file that two commits have differently."""

    path: str
    before: str
    """Empty: there was none."""
    after: str
    read: bool = True
    """Whether it was read; too long ones are only named."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Difference between two commits, in the book's own files."""

    before: str
    after: str
    files: tuple[str, ...]
    lines: str
    """As ``git diff`` shows it."""
    shortened: bool


def moments(services: Services, book: Book, limit: int = 100) -> tuple[Moment, ...]:
    """The newest commits of a book, newest first."""
    return tuple(_moment(each) for each in services.history().log(book.workspace, limit))


def compare(services: Services, book: Book, before: str, after: str) -> Comparison:
    """Compare the texts of a book at two commits.

    Raises:
        UsageMistake: ``bad-commit``: one of them is no whole commit id of this book.
    """
    history = _history_of(services, book, before, after)
    lines = history.lines_between(book.workspace, before, after, CONTENT_FOLDERS)
    changed = history.between(book.workspace, before, after, CONTENT_FOLDERS)
    files = tuple(each.path for each in changed)
    return Comparison(before, after, files, lines[:_LONGEST], len(lines) > _LONGEST)


def changed_texts(services: Services, book: Book, before: str, after: str) -> tuple[ChangedText, ...]:
    """The texts that two commits of a book have differently, before and after; raises as ``compare``."""
    history = _history_of(services, book, before, after)
    changed = history.between(book.workspace, before, after, CONTENT_FOLDERS)
    blobs = [blob for each in changed[:_READ] for blob in (each.before, each.after)]
    read = iter(history.at(book.workspace, blobs, _READ_BYTES))
    found = [_changed_text(*each) for each in zip(changed, read, read, strict=False)]
    return (*found, *(ChangedText(each.path, "", "", read=False) for each in changed[_READ:]))


def _history_of(services: Services, book: Book, *commits: str) -> History:
    """The commits of a book, if these are among them."""
    history = services.history()
    for each in commits:
        if not _SHA.fullmatch(each) or not history.holds(book.workspace, each):
            raise UsageMistake(
                "bad-commit", f"{each!r} is no commit of this book", hint="choose one of the list"
            )
    return history


def _changed_text(changed: ChangedFile, before: str | None, after: str | None) -> ChangedText:
    read = [text if blob else "" for blob, text in ((changed.before, before), (changed.after, after))]
    known = [text for text in read if text is not None and "\0" not in text]
    if len(known) < 2:
        return ChangedText(changed.path, "", "", read=False)
    return ChangedText(changed.path, known[0], known[1])


def _moment(commit: Commit) -> Moment:
    return Moment(
        commit=commit.sha,
        at=commit.at,
        author=commit.author,
        subject=commit.subject,
        step=commit.trailers.get(STEP, ""),
        session=commit.trailers.get(SESSION, ""),
        tags=commit.tags,
    )
