"""Keep the index of the ledger in the store current, and read an intent's history from it."""

from dataclasses import dataclass, field
from threading import Lock

from temporalio import activity

from penwright.domain.intents.handshake import with_history
from penwright.domain.text.chunks import ChunkCache
from penwright.domain.trace.indexing import catch_up
from penwright.domain.trace.intent_history.history import history_from_index, history_from_ledger
from penwright.errors import PenwrightError
from penwright.ports import TraceIndex, TraceSource, Workspaces
from schemas.base import BookId
from schemas.intents import Selected
from schemas.lessons import Lesson
from schemas.workspace import Workspace


def shared_chunks() -> ChunkCache:
    """A cache of parsed texts for the threads of one worker."""
    return ChunkCache(lock=Lock())


@dataclass(frozen=True, slots=True)
class TraceIndexer:
    """Git holds everything in the index, so a store that fails is skipped with a warning."""

    workspaces: Workspaces
    index: TraceIndex | None
    chunks: ChunkCache = field(default_factory=shared_chunks)

    def with_past(
        self, workspace: Workspace, book: BookId, selected: Selected, lessons: tuple[Lesson, ...]
    ) -> Selected:
        """The handshake's answer with what was done for the intent before."""
        with self.workspaces.trace(workspace) as source:
            return with_history(selected, self._history(source, book, selected.pin.intent_id, lessons))

    def _history(self, source: TraceSource, book: BookId, intent: str, lessons: tuple[Lesson, ...]) -> str:
        if self.index is not None:
            try:
                return history_from_index(
                    source, self.index, book, intent, lessons=lessons, chunks=self.chunks
                )
            except PenwrightError as error:
                activity.logger.warning("the ledger is read instead of its index: %s", error)
        return history_from_ledger(source, intent, lessons=lessons, chunks=self.chunks)

    def keep_up(self, workspace: Workspace, book: BookId) -> None:
        """Index the records and anchors that are new since the last call."""
        if self.index is None:
            return
        try:
            with self.workspaces.trace(workspace) as source:
                catch_up(source, self.index, book)
                known = {anchor.clone: anchor.entry for anchor in self.index.anchors(book)}
                for anchor in source.anchors(since=known):
                    self.index.anchor(book, anchor)
        except PenwrightError as error:
            activity.logger.warning("the index of the ledger is not up to date: %s", error)
