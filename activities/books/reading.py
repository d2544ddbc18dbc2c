"""A book as the activities read it: its view, the payload of a session, an intent and its past."""

from dataclasses import dataclass, replace
from datetime import datetime

from activities.trace_reading import with_past
from penwright.domain.book.files.layout import CONFIG, FULL_BOOK, LOCK, REVIEW, SESSION_PATTERNS, names_at
from penwright.domain.book.files.session_lock import read_lock
from penwright.domain.book.files.yaml_files import read_config
from penwright.domain.book.intents import select_for
from penwright.domain.book.rewriting.finding import FoundPassage
from penwright.domain.book.rewriting.replacing import occurrences
from penwright.domain.book.view import BookView, read_book
from penwright.domain.prose.indexing import index_of
from penwright.domain.trace.layout import LESSONS
from penwright.domain.trace.lessons import lessons_of
from penwright.errors import BrokenBook
from penwright.ports.blobs import Blobs
from penwright.ports.workspaces import Workspaces
from schemas.base import BlobRef, Effect
from schemas.book import SessionPayload
from schemas.book_session import OpenSession, Rewrite, SelectIntent
from schemas.intents import Selected
from schemas.workspace import Workspace


@dataclass(frozen=True, slots=True)
class BookReader:
    """Reads one host's books."""

    workspaces: Workspaces
    blobs: Blobs

    def view(self, workspace: Workspace, at: datetime) -> BookView:
        """The book at the tip; the long text is read only when the cached count does not fit it."""
        names = names_at(at)
        snapshot = self.workspaces.snapshot(workspace, SESSION_PATTERNS, names=names)
        view = read_book(snapshot)
        if view.needs_count:
            patterns = (*SESSION_PATTERNS, FULL_BOOK)
            before = self.workspaces.text(workspace, view.state.counted_blob or "")
            whole = self.workspaces.snapshot(workspace, patterns, names=names, at=snapshot.tip)
            view = read_book(whole, before=before)
        return replace(view, lock_committed=self.lock_committed(workspace, view.lock))

    def unreadable_edits(self, workspace: Workspace, effect: Effect) -> tuple[str, ...]:
        """Paths of unsaved edits that would stop every session: they stay in the folder."""
        previewed = self.workspaces.preview(workspace, effect, (CONFIG,), known=(), remote=False)
        file = previewed.snapshot.files.get(CONFIG)
        try:
            read_config(file.text if file else "")
        except BrokenBook:
            return (CONFIG,)
        return ()

    def lock_committed(self, workspace: Workspace, lock: str | None) -> datetime | None:
        """When the lock file was committed; looked up only if the file does not say how old it is."""
        unreadable = lock is not None and read_lock(lock) is None
        return self.workspaces.changed_at(workspace, LOCK) if unreadable else None

    def selected(self, request: OpenSession | SelectIntent, view: BookView) -> Selected:
        """The intent to write under, and what was done for it before."""
        rewrites = isinstance(request, OpenSession) and request.rewrite is not None
        selected = select_for(view, FULL_BOOK if rewrites else REVIEW, request.intent)
        return with_past(self.workspaces, request.workspace, selected, lessons_of(view.text(LESSONS)))

    def book_text(self, workspace: Workspace, view: BookView) -> str:
        """The validated book at the commit of the view; empty if there is none."""
        return self.workspaces.text(workspace, view.blobs.get(FULL_BOOK, "")) or ""

    def keep(self, payload: SessionPayload) -> BlobRef:
        """Store a payload."""
        return self.blobs.put(payload.model_dump_json().encode())

    def index(self, view: BookView, book: str) -> BlobRef | None:
        """Store what a session's prose is compared with: the book and the prose that waits.

        None if prose is not checked.
        """
        if view.config.craft == "off":
            return None
        index = index_of((book,), view.config.language, waiting=view.waiting.text)
        return self.blobs.put(index.model_dump_json().encode())

    def payload(self, ref: BlobRef) -> SessionPayload:
        """Read a stored payload."""
        return SessionPayload.model_validate_json(self.blobs.get(ref))

    def rewrite(self, book: str, found: FoundPassage) -> Rewrite:
        """A passage that was found, stored for the close."""
        passage = book[found.span[0] : found.span[1]]
        places = occurrences(book, passage)
        return Rewrite(
            chapter=found.chapter,
            instruction=found.instruction,
            passage=self.blobs.put(passage.encode()),
            occurrence=places.index(found.span[0]),
            occurrences=len(places),
            note=found.note,
        )
