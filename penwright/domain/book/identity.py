"""Who a book is: the id that names its workflow, its schedule and its rows.

The id stands in ``.ink-state.yml`` at the branch tip, so every clone of a book agrees on it. A repository
that has none yet is named after its root commit, on which every clone agrees as well.
"""

import re
import unicodedata

from penwright.errors import UsageMistake
from schemas.base import BookId, CommitSha

_SLUG_LENGTH = 40
_VALID = re.compile(r"[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?")


def new_book_id(title: str, salt: str) -> BookId:
    """The id of a fresh book: its title as a slug, and four hex digits that part it from its namesakes.

    ``salt``: at least two random bytes as hex.
    """
    slug = _slug(title)[:_SLUG_LENGTH].strip("-") or "book"
    return BookId(f"{slug}-{salt[:4]}")


def adopted_book_id(root_commit: CommitSha) -> BookId:
    """The id of a book that existed before us."""
    return BookId(f"book-{root_commit[:12]}")


def book_id_of(recorded: str | None, root_commit: CommitSha) -> BookId:
    """The id recorded in the state file, or the one its root commit gives; raises ``UsageMistake``."""
    return checked_book_id(recorded) if recorded else adopted_book_id(root_commit)


def recorded_book_id(state_text: str) -> str | None:
    """The id that a state file records, readable even where the rest of the file is not."""
    line = re.search(r"^book_id:[ \t]*(['\"]?)([^'\"#\s]+)\1[ \t]*(?:#.*)?$", state_text, re.MULTILINE)
    return line[2] if line and line[2] not in ("null", "~") else None


def checked_book_id(text: str) -> BookId:
    """``text`` as a book id; raises ``UsageMistake`` when it cannot be one."""
    if not _VALID.fullmatch(text):
        raise UsageMistake(
            "bad-book-id",
            f"{text!r} is not a book id; put up to 64 of a-z, 0-9 and inner hyphens into .ink-state.yml",
        )
    return BookId(text)


def workflow_id(book_id: BookId) -> str:
    """The id of every workflow that may change this book: holding it is holding the lock."""
    return f"book/{book_id}"


def _slug(title: str) -> str:
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
