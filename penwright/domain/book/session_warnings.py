"""Warnings of a session that more than one place must recognise."""

REMOTE_SILENT = "the remote did not answer"
LOCK_UNCLAIMED = "the remote did not take this session's lock"
LEFT_ALONE = "left alone, not part of the book"
FIRST_INTENT = "this book had no intents"
CONFIG_KEPT = "Global Material/Config.yml was deleted"

_FOR_INFORMATION = (REMOTE_SILENT, LOCK_UNCLAIMED, LEFT_ALONE, FIRST_INTENT, CONFIG_KEPT)


def needs_person(warning: str) -> bool:
    """Whether a person must act; a push that waits and a missing file are told in other ways."""
    return not warning.startswith(_FOR_INFORMATION)
