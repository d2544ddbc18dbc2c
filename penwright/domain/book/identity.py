"""Book ids; they name a book's workflow, schedule and database rows.

The id is stored in ``.ink-state.yml`` at the branch tip, so all clones of a book share it. A repository
without one gets an id from its root commit, which all clones share too. A folder with the id of another one
is the same book in two places if both have the same remote; else it is a copy, and a book of its own.
"""

import hashlib
import re
import unicodedata
from dataclasses import dataclass

from penwright.domain.book.profile import BOOK_PROFILE
from penwright.errors import UsageMistake
from schemas.base import BookId, CommitSha

_SLUG_LENGTH = 40
_COPY_LENGTH = 57
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


@dataclass(frozen=True, slots=True)
class Place:
    """Location of a book."""

    queue: str
    """Task queue of the host whose disk holds the folder."""
    path: str
    """Absolute path of the folder."""
    remote: str = ""
    """Address of its remote; empty without one."""

    @property
    def name(self) -> str:
        """The place in requests, as ``queue:/folder``."""
        return f"{self.queue}:{self.path}"


def id_of_place(recorded: BookId, here: Place, holder: Place | None) -> BookId:
    """Return the id of the book at ``here``, where the id ``recorded`` was found.

    Args:
        holder: another folder with that id, the one that is registered under it; None if there is none.
    """
    if holder is None or is_one_remote(here, holder):
        return recorded
    digest = hashlib.sha256(f"{recorded}\n{here.name}".encode()).hexdigest()
    return BookId(f"{recorded[:_COPY_LENGTH].rstrip('-')}-{digest[:6]}")


def is_one_remote(here: Place, there: Place) -> bool:
    """Whether both places have a remote, and it is the same one."""
    return bool(here.remote and there.remote) and _address(here) == _address(there)


def _address(place: Place) -> str:
    """The remote's address, however it is written: host and path, or the folder."""
    url = place.remote.strip()
    remote = re.fullmatch(r"(?:\w[\w+.-]*://)?(?:[^@/]*@)?([^/:]+)(?::\d+(?=/)|:)?/*(.*)", url)
    is_folder = url.startswith(("/", ".", "~", "file://")) or not re.search(r"://|^[^/]+:", url)
    if is_folder or remote is None:
        return _without_git(_folder(place.path, url.removeprefix("file://")))
    return f"{remote[1].lower()}/{_without_git(remote[2])}"


def _folder(top: str, path: str) -> str:
    """``path``, seen from the folder ``top``, without dots."""
    parts: list[str] = []
    for part in (path if path.startswith("/") else f"{top}/{path}").split("/"):
        if part == "..":
            del parts[-1:]
        elif part not in ("", "."):
            parts.append(part)
    return "/" + "/".join(parts)


def _without_git(path: str) -> str:
    return path.rstrip("/").removesuffix(".git").rstrip("/")


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


def _slug(title: str) -> str:
    plain = unicodedata.normalize("NFKD", title.casefold()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")
