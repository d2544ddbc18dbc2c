"""A book without git: files by path, snapshots of them, and plans applied as publish applies them."""

import hashlib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from fnmatch import fnmatchcase

from penwright.domain.book.changes import NULL_ID
from penwright.domain.book.closing import Closing, close_book
from penwright.domain.book.files.fresh_files import EMPTY_FULL_BOOK, EMPTY_REVIEW, FRESH_STATE
from penwright.domain.book.files.layout import (
    CONFIG,
    FULL_BOOK,
    REVIEW,
    SESSION_PATTERNS,
    STATE,
    SUMMARY,
    chapter_path,
    names_at,
)
from penwright.domain.book.opening import Opening, open_book
from penwright.domain.book.view import BookView, read_book
from schemas.base import CommitSha
from schemas.workspace import Append, Create, Delete, Modify, Operation, Place, Rename, Snapshot, TextFile

NOW = datetime(2026, 2, 22, 14, 30, tzinfo=UTC)
OWNER = "engine-1"

CONFIG_TEXT = """\
# How the book is written.
target_length: 1000  # words
chapter_count: 3
chapter_structure: linear
words_per_session: 100
words_per_chapter: 300
words_per_page: 50
language: German
"""

FILES = {
    CONFIG: CONFIG_TEXT,
    "Global Material/Soul.md": "# Soul\n\nDry and near.\n",
    SUMMARY: "",
    chapter_path(1): "# The Pier\n\nHe waits.\n",
    chapter_path(2): "# The Boat\n\nShe comes.\n",
    REVIEW: EMPTY_REVIEW,
    FULL_BOOK: EMPTY_FULL_BOOK,
    STATE: FRESH_STATE,
    "README.md": (
        "# Book\n\n- **Status:** Not begun\n\n## Chapters\n\n<!-- INK:README:CHAPTERS -->\n\n---\nBye.\n"
    ),
}


def blob_id(text: str) -> str:
    """The id git gives a file of this text."""
    content = text.encode()
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


class PaperBook:
    """A book in memory: the contents of a repository, without one."""

    def __init__(self) -> None:
        self.files = dict(FILES)
        self.now = NOW
        self.sessions = 0
        self.reads_of_the_book = 0
        self.known: dict[str, str] = {}
        """Texts of the book by blob id."""

    def put(self, path: str, text: str) -> "PaperBook":
        """A person writes a file."""
        self.files[path] = text
        return self

    def drop(self, *paths: str) -> "PaperBook":
        """A person deletes files."""
        for path in paths:
            del self.files[path]
        return self

    def snapshot(
        self, patterns: Sequence[str] = SESSION_PATTERNS, names: Iterable[str] | None = None
    ) -> Snapshot:
        """The snapshot that a workspace would return."""
        wanted = names_at(self.now) if names is None else tuple(names)
        return Snapshot(
            tip=CommitSha("1" * 40),
            files={
                path: TextFile(path=path, blob=blob_id(text), text=text)
                for path, text in self.files.items()
                if _matches(path, patterns)
            },
            names={path: blob_id(text) for path, text in self.files.items() if _matches(path, wanted)},
        )

    def view(self) -> BookView:
        """Read it, and the long book only when that is asked for."""
        view = read_book(self.snapshot())
        if view.needs_count:
            self.reads_of_the_book += 1
            before = self.known.get(view.state.counted_blob or "")
            view = read_book(self.snapshot((*SESSION_PATTERNS, FULL_BOOK)), before=before)
        return view

    def publish(self, operations: Sequence[Operation], *, fill_null_ids: bool = True) -> None:
        """Apply a plan, with the checks that publish makes."""
        assert len({operation.path for operation in operations}) == len(operations)
        for operation in operations:
            self._apply(operation)
        self.known[blob_id(self.files.get(FULL_BOOK, ""))] = self.files.get(FULL_BOOK, "")
        for operation in operations:
            if isinstance(operation, Create | Modify) and operation.null_id_of and fill_null_ids:
                filled = operation.content.replace(NULL_ID, blob_id(self.files[operation.null_id_of]))
                assert filled != operation.content
                self.files[operation.path] = filled

    def _apply(self, operation: Operation) -> None:
        if isinstance(operation, Create):
            assert operation.path not in self.files
            self.files[operation.path] = operation.content
            return
        assert not isinstance(operation, Place), "books have no sources"
        assert blob_id(self.files[operation.path]) == operation.base
        match operation:
            case Modify():
                assert self.files[operation.path] != operation.content
                self.files[operation.path] = operation.content
            case Append():
                self.files[operation.path] += operation.tail
            case Delete():
                del self.files[operation.path]
            case Rename():
                self.files[operation.to] = self.files.pop(operation.path)

    def open(
        self,
        *,
        human_edits: Sequence[str] = (),
        edited_today: Sequence[str] = (),
        session: str | None = None,
    ) -> Opening:
        """Open a session and publish its changes."""
        self.sessions += session is None
        opening = open_book(
            self.view(),
            session=session or f"s{self.sessions}",
            owner=OWNER,
            now=self.now,
            human_edits=human_edits,
            edited_today=edited_today,
        )
        self.publish(opening.operations)
        return opening

    def close(self, prose: str, *, summary: str = "", session: str | None = None) -> Closing:
        """Close the session and publish its changes."""
        closing = close_book(
            self.view(), session=session or f"s{self.sessions}", prose=prose, summary=summary, now=self.now
        )
        self.publish(closing.operations)
        self.now += timedelta(hours=1)
        return closing

    def write(self, prose: str, *, summary: str = "") -> Closing:
        """A whole session."""
        self.open()
        return self.close(prose, summary=summary)

    @property
    def book(self) -> str:
        return self.files[FULL_BOOK]

    @property
    def review(self) -> str:
        return self.files[REVIEW]


def _matches(path: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(path, pattern) for pattern in patterns)


def numbered_words(first: int, count: int) -> str:
    """``w7 w8 w9``: words that can be told apart."""
    return " ".join(f"w{number}" for number in range(first, first + count))


def long_book(words: int) -> str:
    """A book of so many words, in paragraphs of 80."""
    lines = ("whale and the sea " * 20).strip()
    return "\n\n".join([lines] * (words // 80)) + "\n"
