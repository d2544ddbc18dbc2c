"""The history of a book as one time line: sessions, saves and restores, and what each changed."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from gateway.desk.book.books import Book
from penwright.adapters.scaffold.repository_folder import git
from penwright.domain.book.files.layout import CONTENT_FOLDERS
from penwright.domain.trailers import SESSION, STEP
from penwright.errors import UsageMistake

_FORMAT = "%x1e%H%x1f%cI%x1f%an%x1f%s%x1f%D%x1f" + "%x1f".join(
    f"%(trailers:key={name},valueonly,separator=%x2C)" for name in (STEP, SESSION)
)
_SHA = re.compile(r"[0-9a-f]{40}")
_TAG = re.compile(r"tag: ([^,]+)")
_LONGEST = 60_000
"""Characters of a comparison that are shown."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One commit of a book."""

    commit: str
    at: datetime
    author: str
    subject: str
    step: str
    """What of a session it is, such as ``close``; empty for a save of a person's."""
    session: str
    tags: tuple[str, ...]
    """Restore points: where a session began."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What lies between two commits, in the book's own files."""

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
    """What changed in the texts of a book between two commits.

    Raises:
        UsageMistake: ``bad-commit``: one of them is no whole commit id of this book.
    """
    top = Path(book.workspace.path)
    for each in (before, after):
        if not _SHA.fullmatch(each) or not _is_ours(top, book, each):
            raise UsageMistake(
                "bad-commit", f"{each!r} is no commit of this book", hint="choose one of the list"
            )
    wanted = [f":(top){folder}" for folder in CONTENT_FOLDERS]
    names = git(top, "diff", "--name-only", "-z", "--no-renames", before, after, "--", *wanted)
    lines = git(top, "diff", "--no-color", "--no-ext-diff", "--no-textconv", before, after, "--", *wanted)
    files = tuple(name for name in names.split("\0") if name)
    return Comparison(before, after, files, lines[:_LONGEST], len(lines) > _LONGEST)


def _is_ours(top: Path, book: Book, commit: str) -> bool:
    """Whether the branch reaches it."""
    branch = f"refs/heads/{book.workspace.branch}"
    found = git(top, "rev-list", "--max-count=1", "--no-walk", commit, "--", check=False)
    return bool(found) and commit in git(top, "rev-list", branch, "--").split()


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
