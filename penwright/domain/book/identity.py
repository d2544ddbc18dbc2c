"""Book ids; they name a book's workflow, schedule and database rows.

The id is stored in ``.ink-state.yml`` at the branch tip, so all clones of a book share it. A repository
without one gets an id from its root commit, which all clones share too.
"""

import re
import unicodedata

from penwright.domain.book.profile import BOOK_PROFILE
from penwright.errors import UsageMistake
from schemas.base import BookId, CommitSha

_SLUG_LENGTH = 40
_VALID = re.compile(r"[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?")


def new_book_id(title: str, salt: str) -> BookId:
    """Return the id of a new book: its title as a slug, and four hex digits against equal titles.

    ``salt``: at least two random bytes as hex.
    """
    slug = _slug(title)[:_SLUG_LENGTH].strip("-") or "book"
    return BookId(f"{slug}-{salt[:4]}")


def adopted_book_id(root_commit: CommitSha) -> BookId:
    """Return the id of a book without a recorded one."""
    return BookId(f"book-{root_commit[:12]}")


def book_id_of(recorded: str | None, root_commit: CommitSha) -> BookId:
    """Return the recorded id, or else that of the root commit; raises ``UsageMistake`` if it is invalid."""
    return checked_book_id(recorded) if recorded else adopted_book_id(root_commit)


def recorded_book_id(state_text: str) -> str | None:
    """Read the id from a state file, even if the rest of the file is invalid; None if it has none."""
    line = re.search(r"^book_id:[ \t]*(['\"]?)([^'\"#\s]+)\1[ \t]*(?:#.*)?$", state_text, re.MULTILINE)
    return line[2] if line and line[2] not in ("null", "~") else None


def checked_book_id(text: str) -> BookId:
    """Validate a book id; raises ``UsageMistake``."""
    if not _VALID.fullmatch(text):
        raise UsageMistake(
            "bad-book-id",
            f"{text!r} is not a book id; put up to 64 of a-z, 0-9 and inner hyphens into .ink-state.yml",
        )
    return BookId(text)


def workflow_id(book_id: BookId) -> str:
    """Return the id of every workflow on this book. Temporal runs one at a time, so the id is the lock."""
    return f"{BOOK_PROFILE.prefix}/{book_id}"


def book_of(workflow: str) -> BookId:
    """Return the book of a workflow with an id by ``workflow_id``."""
    return BookId(workflow.removeprefix(f"{BOOK_PROFILE.prefix}/"))


def _slug(title: str) -> str:
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
