"""Reset a book to nothing, so that it can be started again.

The files of ``KEPT`` and the agents' files stay; the README lists no chapters of the old book.
"""

from dataclasses import dataclass
from datetime import datetime

from penwright.domain.book.files.layout import COMPLETE, CONTENT_FOLDERS, GOVERNING, KILL, LOCK, README, STATE
from penwright.domain.book.files.readme import begin_readme
from penwright.domain.book.files.session_lock import judge_lock
from penwright.domain.book.view import blob_ids
from penwright.errors import Refused
from schemas.book import BookConfig
from schemas.workspace import Create, Delete, Modify, Operation, Snapshot

_KEEPERS = tuple(f"{folder}/.gitkeep" for folder in CONTENT_FOLDERS)
KEPT = frozenset({README, "AGENTS.md", *GOVERNING})
"""Files of a book's layout that a reset leaves as they are: the next layout keeps them, too."""
RESET_TEXTS = (LOCK, README)
"""Files whose text a reset reads."""
_SIGNS = frozenset({STATE, LOCK, KILL, COMPLETE})
_DEFAULT_TIMEOUT = int(BookConfig.model_fields["session_timeout_minutes"].default)


@dataclass(frozen=True, slots=True)
class Resetting:
    """Operations of one reset, for a single commit; empty if there is nothing to delete."""

    operations: tuple[Operation, ...]
    message: str = "Reset the book"


def reset_book(
    snapshot: Snapshot,
    *,
    now: datetime,
    timeout_minutes: int = _DEFAULT_TIMEOUT,
    owner: str = "",
    lock_committed: datetime | None = None,
) -> Resetting:
    """Delete every file of ``RESET_NAMES`` and keep the folders; works even if Config.yml is invalid.

    Args:
        snapshot: ``RESET_TEXTS``, and blob ids of ``RESET_NAMES``.
        owner: names the engine; its own lock does not protect the book, because this workflow holds the id.
        lock_committed: when the lock was committed; needed only if it has no valid time.

    Raises:
        Refused: ``session-active``.
    """
    lock = snapshot.files[LOCK].text if LOCK in snapshot.files else None
    found = judge_lock(
        lock, session="", owner=owner, now=now, timeout_minutes=timeout_minutes, committed=lock_committed
    )
    if found.kind == "active":
        raise Refused("session-active", "A session is writing the book; kill it, or wait, before you reset.")
    blobs = blob_ids(snapshot)
    wiped = sorted(path for path in blobs if _is_content(path) and path not in _KEEPERS)
    deletions = tuple(Delete(path=path, base=blobs[path]) for path in wiped)
    keepers = tuple(Create(path=path, content="") for path in _KEEPERS if path not in blobs)
    return Resetting((*deletions, *keepers, *_readme(snapshot)))


def _readme(snapshot: Snapshot) -> tuple[Operation, ...]:
    old = snapshot.files.get(README)
    fresh = begin_readme(old.text) if old else ""
    return (Modify(path=README, content=fresh, base=old.blob),) if old and fresh != old.text else ()


def _is_content(path: str) -> bool:
    return path in _SIGNS or path.startswith(tuple(f"{folder}/" for folder in CONTENT_FOLDERS))
