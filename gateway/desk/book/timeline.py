"""The history of a book as one time line: sessions, saves and restores, and what each changed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from gateway.desk.works.books import Book
from penwright.adapters.scaffold.repository_folder import git, texts
from penwright.domain.book.files.layout import CONTENT_FOLDERS
from penwright.domain.trailers import SESSION, STEP
from penwright.errors import UsageMistake

_FORMAT = "%x1e%H%x1f%cI%x1f%an%x1f%s%x1f%D%x1f" + "%x1f".join(
    f"%(trailers:key={name},valueonly,separator=%x2C)" for name in (STEP, SESSION)
)
_SHA = re.compile(r"[0-9a-f]{40}")
_TAG = re.compile(r"tag: ([^,]+)")
_WANTED = tuple(f":(top){folder}" for folder in CONTENT_FOLDERS)
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


def moments(book: Book, limit: int = 100) -> tuple[Moment, ...]:
    """The newest commits of a book, newest first."""
    branch = f"refs/heads/{book.workspace.branch}"
    said = git(Path(book.workspace.path), "log", f"--max-count={limit}", f"--format={_FORMAT}", branch, "--")
    return tuple(_moment(record.strip("\n")) for record in said.split("\x1e")[1:])


def compare(book: Book, before: str, after: str) -> Comparison:
    """Compare the texts of a book at two commits.

    Raises:
        UsageMistake: ``bad-commit``: one of them is no whole commit id of this book.
    """
    top = _top_of(book, before, after)
    lines = git(top, "diff", "--no-color", "--no-ext-diff", "--no-textconv", before, after, "--", *_WANTED)
    files = tuple(path for path, *_ in _changed(top, before, after))
    return Comparison(before, after, files, lines[:_LONGEST], len(lines) > _LONGEST)


def changed_texts(book: Book, before: str, after: str) -> tuple[ChangedText, ...]:
    """The texts that two commits of a book have differently, before and after; raises as ``compare``."""
    top = _top_of(book, before, after)
    changed = list(_changed(top, before, after))
    blobs = [blob for _, *both in changed[:_READ] for blob in both]
    read = iter(texts(top, blobs, _READ_BYTES))
    found = [_changed_text(*each) for each in zip(changed, read, read, strict=False)]
    return (*found, *(ChangedText(path, "", "", read=False) for path, *_ in changed[_READ:]))


def _top_of(book: Book, *commits: str) -> Path:
    """The folder of a book, if it has these commits."""
    top = Path(book.workspace.path)
    for each in commits:
        if not _SHA.fullmatch(each) or not _is_ours(top, book, each):
            raise UsageMistake(
                "bad-commit", f"{each!r} is no commit of this book", hint="choose one of the list"
            )
    return top


def _changed(top: Path, before: str, after: str) -> Iterator[tuple[str, str, str]]:
    """Path, and blob id before and after, of each changed text; zeros where there is none."""
    said = git(top, "diff", "--raw", "-z", "--no-abbrev", "--no-renames", before, after, "--", *_WANTED)
    parts = iter(said.split("\0"))
    for about, path in zip(parts, parts, strict=False):
        _, _, was, now, _ = about.split()
        yield path, was, now


def _changed_text(changed: tuple[str, str, str], before: str | None, after: str | None) -> ChangedText:
    path, was, now = changed
    read = [text if blob.strip("0") else "" for blob, text in ((was, before), (now, after))]
    known = [text for text in read if text is not None and "\0" not in text]
    if len(known) < 2:
        return ChangedText(path, "", "", read=False)
    return ChangedText(path, known[0], known[1])


def _is_ours(top: Path, book: Book, commit: str) -> bool:
    """Whether the branch reaches it."""
    branch = f"refs/heads/{book.workspace.branch}"
    found = git(top, "rev-list", "--max-count=1", "--no-walk", commit, "--", check=False)
    return bool(found) and not git(top, "rev-list", "--max-count=1", commit, "--not", branch, "--")


def _moment(record: str) -> Moment:
    commit, at, author, subject, refs, step, session = record.split("\x1f")
    return Moment(
        commit=commit,
        at=datetime.fromisoformat(at).astimezone(UTC),
        author=author,
        subject=subject,
        step=step.strip(),
        session=session.strip(),
        tags=tuple(_TAG.findall(refs)),
    )
