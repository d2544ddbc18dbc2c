"""Giving a book back without a close."""

import re
from dataclasses import dataclass
from datetime import datetime

from penwright.domain.book_layout import LOCK, rescued_path
from penwright.domain.session_lock import read_lock
from schemas.workspace import Create, Delete, Operation, Snapshot


@dataclass(frozen=True, slots=True)
class Releasing:
    """No operations when the session holds no lock and left no prose."""

    operations: tuple[Operation, ...]
    message: str


def release_book(
    snapshot: Snapshot, *, session: str, reason: str, now: datetime, prose: str | None = None
) -> Releasing:
    """Remove the lock of this session; somebody else's stays.

    Args:
        snapshot: of the lock file.
        prose: what was written and could not be closed; it stays in the book as a file of its own.
    """
    message = f"Release the book: {' '.join(reason.split())}"
    return Releasing((*_unlocked(snapshot, session), *_rescued(prose, session, now)), message)


def _unlocked(snapshot: Snapshot, session: str) -> tuple[Operation, ...]:
    file = snapshot.files.get(LOCK)
    lock = read_lock(file.text) if file else None
    if file is None or lock is None or lock.session != session:
        return ()
    return (Delete(path=LOCK, base=file.blob),)


def _rescued(prose: str | None, session: str, now: datetime) -> tuple[Operation, ...]:
    """NUL characters cannot stand in a text file, and often are why the prose could not be closed."""
    if not prose or not prose.strip():
        return ()
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", session).strip("-.")
    content = prose.replace("\r\n", "\n").replace("\x00", "").rstrip() + "\n"
    return (Create(path=rescued_path(now, name), content=content),)
