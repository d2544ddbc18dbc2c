"""A book's story as far as it was read, at the tip of its branch."""

from dataclasses import dataclass
from datetime import datetime

from activities.books.reading import BookReader
from penwright.domain.book.view import BookView
from penwright.domain.continuity.files import READINGS, load_readings
from penwright.domain.continuity.story import BookStory
from schemas.workspace import Workspace


@dataclass(frozen=True, slots=True)
class ContinuityReader:
    """Reads one host's books together with their readings."""

    books: BookReader

    def story(self, workspace: Workspace, at: datetime) -> BookStory:
        """The story at the tip."""
        view = self.books.view(workspace, at)
        return self.story_in(workspace, view, self.books.book_text(workspace, view))

    def story_in(self, workspace: Workspace, view: BookView, text: str) -> BookStory:
        """The same of a book that was read already.

        Args:
            text: of the validated book.
        """
        snapshot = self.books.workspaces.snapshot(workspace, (READINGS,))
        return BookStory(view, text, load_readings(snapshot.files, snapshot.unreadable))
