"""Warnings of a session, and which of them need a person."""

from penwright.domain.book.files.layout import CONFIG
from penwright.domain.text.conflicts import conflict_warning
from schemas.workspace import Synced

REMOTE_SILENT = "the remote did not answer"
LOCK_UNCLAIMED = "the remote did not take this session's lock"
LEFT_ALONE = "left alone, not part of the book"
FIRST_INTENT = "this book had no intents"
CONFIG_KEPT = "Global Material/Config.yml was deleted"

_LEFT_ALONE = 10
"""How many files that are not the book's are named."""
TO_SEAL = (
    "the book is long enough, and its last prose has had its round of review: `complete` seals it; to have "
    "it written on, put an INK note into Review/current.md"
)
_FOR_INFORMATION = (REMOTE_SILENT, LOCK_UNCLAIMED, LEFT_ALONE, FIRST_INTENT, CONFIG_KEPT)


def needs_person(warning: str) -> bool:
    """Whether a person must act; a push that waits and a missing file are told in other ways."""
    return not warning.startswith(_FOR_INFORMATION)


def sync_warnings(synced: Synced) -> tuple[str, ...]:
    """What the author should know about the sync; nothing here stops a session."""
    warnings = [
        f"your edit of {path} is not saved: it is not UTF-8; save the file as UTF-8, or its old text stays"
        for path in synced.not_utf8
    ]
    ignored = [path for path in synced.ignored if path not in synced.not_utf8]
    warnings += [f"{LEFT_ALONE}: {path}" for path in ignored[:_LEFT_ALONE]]
    if len(ignored) > _LEFT_ALONE:
        more = len(ignored) - _LEFT_ALONE
        warnings.append(f"{LEFT_ALONE}: {more} more files")
    warnings += [
        f"{CONFIG_KEPT}; the last committed one is in force, `penwright book restore` brings it back"
        for path in synced.kept
        if path == CONFIG
    ]
    warnings += dict.fromkeys(conflict_warning(conflict.path) for conflict in synced.conflicts)
    if synced.remote == "unreachable":
        reason = f"{REMOTE_SILENT} ({synced.reason}); the push waits"
        warnings.append(f"{reason}, and another machine could open the book meanwhile")
    return tuple(warnings)


def unclaimed(reason: str) -> str:
    """Say that the remote did not take the lock."""
    return f"{LOCK_UNCLAIMED} ({reason}); another machine could open the book meanwhile"
