"""Giving a book back without a close. It works on a book whose other files are broken."""

import re
from dataclasses import dataclass
from datetime import datetime

from penwright.domain.book.layout import LOCK, recovered_path
from penwright.domain.book.session_lessons import written_down
from penwright.domain.book.session_lock import read_lock
from schemas.lessons import Lesson
from schemas.workspace import Create, Delete, Operation, Snapshot


@dataclass(frozen=True, slots=True)
class Releasing:
    """No operations when the session holds no lock and leaves no prose."""

    operations: tuple[Operation, ...]
    message: str


def release_book(
    snapshot: Snapshot,
    *,
    session: str,
    reason: str,
    now: datetime,
    prose: str | None = None,
    lesson: Lesson | None = None,
) -> Releasing:
    """Remove the lock of this session, somebody else's stays; keep prose that could not be closed.

    Args:
        snapshot: of the lock's text and the lessons; no other file is looked at.
        lesson: what is to be learnt from the session's failure.
    """
    message = f"Release the book: {' '.join(reason.split())}"
    kept = recovered(prose, session, now)
    return Releasing((*_unlocked(snapshot, session), *kept, *written_down(snapshot, lesson)), message)


def _unlocked(snapshot: Snapshot, session: str) -> tuple[Operation, ...]:
    file = snapshot.files.get(LOCK)
    lock = read_lock(file.text) if file is not None else None
    if file is None or lock is None or lock.session != session:
        return ()
    return (Delete(path=LOCK, base=file.blob),)


def recovered(prose: str | None, session: str, now: datetime) -> tuple[Create, ...]:
    """Prose that could not be closed, as a file of its own; nothing when there is none.

    NUL characters cannot stand in a text file, and may be why it could not be closed.
    """
    if prose is None or not prose.strip():
        return ()
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", session).strip("-.")
    content = prose.replace("\r\n", "\n").replace("\x00", "").rstrip()
    return (Create(path=recovered_path(now, name), content=f"{content}\n"),)
