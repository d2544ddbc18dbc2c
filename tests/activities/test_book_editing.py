"""A person edits a book from a page: the text is saved as theirs, merged, or named as a conflict."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from activities.book_session import BookActivities
from penwright.adapters.clock import SystemClock
from penwright.adapters.workspace import GitWorkspaces
from penwright.domain.book.files.layout import FULL_BOOK, REVIEW, STATE, chapter_path
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.intents.gate import IntentGate
from penwright.domain.trace.recorder.recording import LedgerRecorder
from penwright.domain.trace.reports.blame import blame
from schemas.base import Effect, OpId
from schemas.book_errand import EditBook
from schemas.book_text import BookEdited, TextEdit
from tests.support.books.running_books import RunningBook, lay_out
from tests.support.doubles.store import memory_store
from tests.support.each import for_each

PIER = chapter_path(1)


class Page:
    """A page that shows a book's texts and saves them."""

    def __init__(self, folder: Path) -> None:
        self.book: RunningBook = lay_out(folder, "tide")
        self.store = memory_store(clock=SystemClock())
        workspaces = GitWorkspaces(
            SystemClock(),
            IntentGate(BOOK_PROFILE),
            LedgerRecorder("test", BOOK_PROFILE),
            profile=BOOK_PROFILE,
        )
        self.activities = BookActivities(workspaces, self.store.blobs, self.store.records, "engine")

    def revision(self, path: str) -> str:
        return self.book.git("rev-parse", f"main:{path}").strip()

    def edit(self, path: str, text: str | bytes, base: str | None = None) -> TextEdit:
        content = text if isinstance(text, bytes) else text.encode()
        revision = self.revision(path) if base is None else base
        return TextEdit(path=path, base=revision, text=self.store.blobs.put(content))

    def save(self, *edits: TextEdit, session: str = "s1") -> BookEdited:
        request = EditBook(
            effect=Effect(op_id=OpId(f"book/tide#{session}:0"), issued_at=datetime.now(UTC)),
            subject=self.book.book_id,
            workspace=self.book.workspace,
            session=session,
            edits=edits,
            who="ada",
        )
        return self.activities.edit_book(request)


@pytest.fixture
def page(tmp_path: Path) -> Page:
    return Page(tmp_path)


def test_what_a_person_typed_is_a_commit_of_theirs(page: Page) -> None:
    saved = page.save(page.edit(PIER, "# The Pier\n\nHe waits, and it rains.\n"))

    assert (saved.outcome, saved.files[0].words) == ("saved", 8)
    assert saved.files[0].revision == page.revision(PIER)
    assert page.book.read(PIER) == "# The Pier\n\nHe waits, and it rains.\n"
    assert "Penwright-Person: ada" in page.book.git("log", "-1", "--format=%B", "main")


def test_a_save_that_is_repeated_commits_once(page: Page) -> None:
    edit = page.edit(PIER, "# The Pier\n\nRain.\n")
    first = page.save(edit)
    tip = page.book.tip

    assert page.save(edit) == first
    assert page.book.tip == tip


def test_what_the_author_changed_in_the_folder_meanwhile_is_kept(page: Page) -> None:
    page.book.write(PIER, "# The Pier\n\nOne.\n\nTwo.\n")
    page.book.commit()
    edit = page.edit(PIER, "# The Pier\n\nOne more.\n\nTwo.\n")
    page.book.write(PIER, "# The Pier\n\nOne.\n\nTwo, too.\n")

    saved = page.save(edit)

    assert saved.outcome == "merged"
    assert page.book.read(PIER) == "# The Pier\n\nOne more.\n\nTwo, too.\n"


def test_words_that_both_changed_are_a_conflict_and_nothing_is_saved(page: Page) -> None:
    page.book.write(PIER, "# The Pier\n\nOne.\n")
    page.book.commit()
    edit = page.edit(PIER, "# The Pier\n\nMine.\n")
    page.book.write(PIER, "# The Pier\n\nTheirs.\n")
    page.book.commit()
    tip = page.book.tip

    saved = page.save(edit, page.edit("Global Material/Summary.md", "Short.\n"))

    assert (saved.outcome, saved.path, saved.code) == ("conflict", PIER, "edited-meanwhile")
    assert [(place.mine, place.theirs) for place in saved.places] == [("Mine", "Theirs")]
    assert page.book.tip == tip


def test_several_texts_are_saved_together(page: Page) -> None:
    before = page.book.git("rev-list", "--count", "main")

    saved = page.save(
        page.edit(PIER, "# The Pier\n\nRain.\n"),
        page.edit("Global Material/Places.md", "The pier.\n", base=""),
    )

    assert [file.path for file in saved.files] == [PIER, "Global Material/Places.md"]
    assert int(page.book.git("rev-list", "--count", "main")) == int(before) + 1


def test_the_same_text_is_no_change(page: Page) -> None:
    tip = page.book.tip

    assert page.save(page.edit(PIER, page.book.read(PIER))).outcome == "unchanged"
    assert page.book.tip == tip


@for_each(
    "path",
    [STATE, "COMPLETE", ".orchestration/active_intents.yaml", "../out.md", ".git/config", "Changelog/x.md"],
)
def test_files_that_are_no_texts_of_the_book_are_refused_by_name(page: Page, path: str) -> None:
    saved = page.save(page.edit(path, "Hm.\n", base=""))

    assert (saved.outcome, saved.code, saved.path) == ("refused", "not-editable", path)


@pytest.mark.parametrize("content", [b"\xff\xfe", b"a\0b"])
def test_what_is_no_text_is_refused(page: Page, content: bytes) -> None:
    assert page.save(page.edit(PIER, content)).code == "text-not-utf8"


def test_a_text_from_an_unknown_revision_is_not_laid_over_what_stands_there(page: Page) -> None:
    saved = page.save(page.edit(PIER, "Mine.\n", base="0" * 39 + "1"))

    assert (saved.outcome, saved.code) == ("conflict", "unknown-base")


def test_a_file_keeps_its_line_ends(page: Page) -> None:
    page.book.write(PIER, "# The Pier\r\n\r\nOne.\r\n")
    page.book.commit()

    page.save(page.edit(PIER, "# The Pier\n\nOne more.\n"))

    assert page.book.read(PIER) == "# The Pier\r\n\r\nOne more.\r\n"


def test_a_paragraph_typed_on_a_page_is_known_as_a_persons(page: Page) -> None:
    page.save(page.edit(FULL_BOOK, "# The Pier\n\nRain fell on the pier all night long.\n"))

    with page.activities.workspaces.trace(page.book.workspace) as source:
        blocks = blame(source, FULL_BOOK).blocks
    written = [each.attributed.written for each in blocks if each.attributed.written]
    assert written[-1].author.entity_type == "HUMAN"


def test_words_for_a_passage_that_was_moved_meanwhile_are_saved_where_it_is(page: Page) -> None:
    first, second = "The tide came in over the stones.", "A ship passed and did not answer her."
    page.book.write(REVIEW, f"{first}\n\n{second}\n")
    page.book.commit()
    edit = page.edit(REVIEW, f"{first.replace('stones', 'old stones')}\n\n{second}\n")
    page.book.write(REVIEW, f"{second}\n")
    page.book.write(FULL_BOOK, f"Once.\n\n{first}\n")
    page.book.commit()

    saved = page.save(edit)

    assert (saved.outcome, saved.also) == ("merged", (FULL_BOOK,))
    assert page.book.read(REVIEW) == f"{second}\n"
    assert page.book.read(FULL_BOOK) == "Once.\n\nThe tide came in over the old stones.\n"
