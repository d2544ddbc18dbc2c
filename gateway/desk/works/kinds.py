"""The two kinds of works, as data: what commands and messages call a book and a novel."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from penwright.domain.book.identity import checked_book_id
from penwright.domain.manuscript.identity import checked_novel_id
from schemas.base import BookId
from schemas.records import WorkspaceKind
from schemas.workspace import Workspace


class Work(Protocol):
    """A book or a novel on this machine."""

    @property
    def subject(self) -> BookId:
        """Its id."""
        ...

    @property
    def workspace(self) -> Workspace: ...

    @property
    def kind(self) -> WorkspaceKind: ...

    @property
    def title(self) -> str: ...

    @property
    def origin(self) -> str:
        """Id of the work that it is a copy of; empty if it is none, or if that is recorded in the work."""
        ...


@dataclass(frozen=True, slots=True)
class WorkKind:
    """One kind of works."""

    name: WorkspaceKind
    group: str
    """The commands for it: ``penwright <group> …``."""
    status: str
    """The one that shows what runs."""
    checked_id: Callable[[str], BookId]
    """Validates an id; raises ``UsageMistake``."""


BOOK = WorkKind("book", "book", "status", checked_book_id)
NOVEL = WorkKind("novel", "manuscript", "history", checked_novel_id)
KINDS: Mapping[WorkspaceKind, WorkKind] = {each.name: each for each in (BOOK, NOVEL)}
