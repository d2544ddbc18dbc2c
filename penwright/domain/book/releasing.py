"""Release a book without a close; works even if its other files are invalid."""

import re
from dataclasses import dataclass
from datetime import datetime

from penwright.domain.book.files.layout import LOCK, recovered_path
from penwright.domain.book.files.session_lock import read_lock
from penwright.domain.book.session_lessons import record_lesson
from schemas.lessons import Lesson
from schemas.workspace import Create, Delete, Operation, Snapshot

RELEASED = "Release the book: "
"""Start of a release's message; its reason follows."""


@dataclass(frozen=True, slots=True)
class Releasing:
    """Operations of one release; empty if the session has no lock, no prose and no lesson."""

    operations: tuple[Operation, ...]
    message: str
    recovered: str = ""
    """Path of the file for the prose; empty without prose."""


def release_book(
    snapshot: Snapshot,
    *,
    session: str,
    reason: str,
    now: datetime,
    prose: str | None = None,
    lesson: Lesson | None = None,
) -> Releasing:
    """Remove this session's lock, but not that of another; save prose that could not be closed.

    Args:
        snapshot: text of the lock and of the lesson files; no other file is needed.
        lesson: a lesson from the session's failure, to be recorded.
    """
    message = f"{RELEASED}{' '.join(reason.split())}"
    kept = recovered_prose(prose, session, now)
    operations = (*_unlocked(snapshot, session), *kept, *record_lesson(snapshot, lesson))
    return Releasing(operations, message, kept[0].path if kept else "")


def _unlocked(snapshot: Snapshot, session: str) -> tuple[Operation, ...]:
    file = snapshot.files.get(LOCK)
    lock = read_lock(file.text) if file is not None else None
    if file is None or lock is None or lock.session != session:
        return ()
    return (Delete(path=LOCK, base=file.blob),)


def recovered_prose(prose: str | None, session: str, now: datetime) -> tuple[Create, ...]:
    """Return the file for prose that could not be closed; none without prose.

    NUL characters are removed: text files cannot hold them, and they may be why the close failed.
    """
    if prose is None or not prose.strip():
        return ()
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", session).strip("-.")
    content = prose.replace("\r\n", "\n").replace("\x00", "").rstrip()
    return (Create(path=recovered_path(now, name), content=f"{content}\n"),)
