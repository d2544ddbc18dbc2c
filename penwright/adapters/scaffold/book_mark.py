"""The note, in a repository's private folder, of which book it holds and where it lay then.

It is no part of the book, and no clone has it. A copied or moved folder has one that names another place.
"""

import contextlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from penwright.adapters.workspace.git.layout import locate
from schemas.base import BookId
from schemas.workspace import Workspace

_NAME = "book.json"


@dataclass(frozen=True, slots=True)
class BookMark:
    """The book in a folder."""

    book_id: BookId
    path: str
    """Absolute path of the folder."""
    origin: str = ""
    """Id of the book that it is a copy of; empty if it is none."""


def read_mark(workspace: Workspace) -> BookMark | None:
    """Return the note; None if there is none, or if it cannot be read."""
    try:
        found = json.loads(_file(workspace).read_text(encoding="utf-8"))
        return BookMark(BookId(str(found["book_id"])), str(found["path"]), str(found.get("origin", "")))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def is_registered(workspace: Workspace) -> bool:
    """Whether the folder, or the one that it is a copy of, was registered as a book or novel."""
    return read_mark(workspace) is not None


def write_mark(workspace: Workspace, mark: BookMark) -> None:
    """Write the note, if it says something new; without permission or room there is none."""
    if read_mark(workspace) == mark:
        return
    with contextlib.suppress(OSError):
        file = _file(workspace)
        file.parent.mkdir(exist_ok=True)
        fresh = file.with_name(f"{_NAME}.{os.getpid()}")
        fresh.write_text(json.dumps(asdict(mark)), encoding="utf-8")
        fresh.replace(file)


def _file(workspace: Workspace) -> Path:
    return locate(workspace).git_dir / "penwright" / _NAME
