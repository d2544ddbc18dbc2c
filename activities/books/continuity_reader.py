"""A book's story as far as it was read, at the tip of its branch."""

from dataclasses import dataclass
from datetime import datetime

from activities.books.reading import BookReader
from penwright.domain.book.view import BookView
from penwright.domain.continuity.files import READINGS, Read, load_readings
from penwright.domain.continuity.known import Known, known
from penwright.domain.continuity.passages import ToldBlock, told_blocks
from schemas.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Story:
    """A book, its paragraphs and its readings."""

    view: BookView
    told: tuple[ToldBlock, ...]
    read: Read

    @property
    def known(self) -> Known:
        """What the readings say of the text as it is."""
        return known(self.read.readings, self.told)


@dataclass(frozen=True, slots=True)
class ContinuityReader:
    """Reads one host's books together with their readings."""

    books: BookReader

    def story(self, workspace: Workspace, at: datetime) -> Story:
        """The story at the tip."""
        view = self.books.view(workspace, at)
        return Story(view, told_blocks(self.books.book_text(workspace, view), view), self.readings(workspace))

    def readings(self, workspace: Workspace) -> Read:
        """The readings at the tip."""
        snapshot = self.books.workspaces.snapshot(workspace, (READINGS,))
        return load_readings(snapshot.files, snapshot.unreadable)
