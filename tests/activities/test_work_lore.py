"""The lore of a book's sessions: gathered when one opens, again for another outline, and stored with it."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from activities.book_session import BookActivities
from activities.work_lore import WorkLore
from penwright.adapters.clock import SystemClock
from penwright.adapters.workspace import GitWorkspaces
from penwright.domain.book.files.layout import STATE, chapter_path
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.intents.gate import IntentGate
from penwright.domain.trace.recorder.recording import LedgerRecorder
from schemas.base import BlobRef, Effect, OpId
from schemas.book import SessionPayload
from schemas.book_session import AdvanceChapter, OpenSession
from schemas.lore import Attachment
from schemas.records import BookRow
from tests.support.books.running_books import RunningBook, lay_out
from tests.support.doubles.store import MemoryStore, memory_store
from tests.support.lore import book as lorebook
from tests.support.lore import entry


@pytest.fixture
def book(tmp_path: Path) -> RunningBook:
    """In its first chapter, which is full."""
    files = {
        STATE: "current_chapter: 1\ncurrent_chapter_word_count: 99999\n",
        chapter_path(1): "# One\n\n- Mara finds the logbook.\n",
        chapter_path(2): "# Two\n\n- The heron comes back.\n",
    }
    return lay_out(tmp_path, "tide", target=1000, files=files)


@pytest.fixture
def store(book: RunningBook) -> MemoryStore:
    made = memory_store(clock=SystemClock())
    made.records.register(BookRow(book_id=book.book_id, path=str(book.workspace.path), title="Tide"))
    made.worlds.create(lorebook(entry("a", "logbook"), entry("b", "heron")))
    return made


@pytest.fixture
def activities(store: MemoryStore) -> BookActivities:
    workspaces = GitWorkspaces(
        SystemClock(), IntentGate(BOOK_PROFILE), LedgerRecorder("test", BOOK_PROFILE), profile=BOOK_PROFILE
    )
    return BookActivities(workspaces, store.blobs, store.records, "engine", lore=WorkLore(store.worlds))


def request(book: RunningBook, number: int) -> dict[str, Any]:  # Any: fields of any request
    effect = Effect(op_id=OpId(f"book/{book.book_id}#s1:{number}"), issued_at=datetime.now(UTC))
    return {"effect": effect, "subject": book.book_id, "workspace": book.workspace, "session": "s1"}


def text_of(store: MemoryStore, payload: BlobRef | None) -> str | None:
    assert payload is not None
    lore = SessionPayload.model_validate_json(store.blobs.get(payload)).lore
    return lore.text if lore else None


def test_lore_follows_the_outline_and_a_repeated_step_tells_the_same(
    book: RunningBook, store: MemoryStore, activities: BookActivities
) -> None:
    store.worlds.attach(Attachment(book="land", level="book", at=book.book_id))
    opening = OpenSession(**request(book, 0), writer="built-in")
    opened = activities.open_session(opening)
    store.worlds.detach(Attachment(book="land", level="book", at=book.book_id))
    again = activities.open_session(opening)
    store.worlds.attach(Attachment(book="land", level="book", at=book.book_id))
    moved = activities.advance_chapter(AdvanceChapter(**request(book, 1), payload=opened.payload))

    heron = "## “heron” (“heron” occurs in the outline of chapter 2)\nAbout b."
    logbook = "## “logbook” (“logbook” occurs in the outline of chapter 1)\nAbout a."
    assert text_of(store, opened.payload) == text_of(store, again.payload) == f"{logbook}\n\n{heron}"
    assert text_of(store, moved.payload) == heron


def test_a_book_without_lorebooks_is_told_none(
    book: RunningBook, store: MemoryStore, activities: BookActivities
) -> None:
    opened = activities.open_session(OpenSession(**request(book, 0), writer="built-in"))

    assert text_of(store, opened.payload) is None
