"""Advancing, completing, releasing, resetting, looking at a book."""

import re
from datetime import timedelta

import pytest

from penwright.domain.book.advancing import advance_chapter, advanced_payload
from penwright.domain.book.completing import complete_book
from penwright.domain.book.examination import examine_book
from penwright.domain.book.files.layout import (
    COMPLETE,
    CONFIG,
    FULL_BOOK,
    KILL,
    LOCK,
    RESET_NAMES,
    REVIEW,
    SESSION_PATTERNS,
    STATE,
    SUMMARY,
    chapter_path,
)
from penwright.domain.book.files.session_lock import Lock, write_lock
from penwright.domain.book.files.yaml_files import read_state
from penwright.domain.book.opening import open_book
from penwright.domain.book.releasing import release_book
from penwright.domain.book.resetting import RESET_TEXTS, reset_book
from penwright.domain.book.status import book_status
from penwright.domain.text.conflict_notes import conflict_note
from penwright.domain.text.words import count_words
from penwright.errors import Refused
from schemas.book import Check, CompleteReport
from tests.support.books.memory_book import FILES, NOW, OWNER, PaperBook, numbered_words
from tests.support.each import for_each


def full_chapter(chapter: int = 1, words: int = 270) -> PaperBook:
    return PaperBook().put(STATE, f"current_chapter: {chapter}\ncurrent_chapter_word_count: {words}\n")


def complete(book: PaperBook, *, early: bool = False, session: str = "") -> CompleteReport:
    completing = complete_book(book.view(), session=session, owner=OWNER, now=book.now, early=early)
    book.publish(completing.operations)
    return completing.report


def test_a_full_chapter_with_a_next_outline_advances() -> None:
    book = full_chapter().put(REVIEW, "For chapter one.\n")

    advancing = advance_chapter(book.view())
    book.publish(advancing.operations)

    assert advancing.report.status == "advanced"
    assert advancing.report.new_chapter == 2
    assert advancing.report.chapter_file == chapter_path(2)
    assert advancing.report.chapter_content == "# The Boat\n\nShe comes.\n"
    state = read_state(book.files[STATE])
    assert (state.current_chapter, state.current_chapter_word_count, state.review_chapter) == (2, 0, 1)
    assert "1. **The Pier** ✓\n2. **The Boat** *(in progress)*" in book.files["README.md"]


def test_the_payload_follows_the_chapter() -> None:
    book = full_chapter()
    payload = book.open(edited_today=[chapter_path(2)]).payload

    after = advanced_payload(payload, book.view())

    assert after.config.current_chapter == 2
    assert after.chapters.current is not None
    assert after.chapters.current.content == "# The Boat\n\nShe comes.\n"
    assert after.chapters.current.modified_today
    assert after.chapters.next is None
    assert not after.chapter_close_suggested
    assert after.current_chapter_word_count == after.chapter_progress_pct == 0
    assert after.global_material == payload.global_material


@pytest.mark.parametrize(
    ("book", "status"),
    [
        (full_chapter(chapter=3), "error"),
        (full_chapter(words=269), "chapter_not_ready"),
        (full_chapter(chapter=2), "needs_chapter_outline"),
    ],
)
def test_a_chapter_that_cannot_move_says_why_and_changes_nothing(book: PaperBook, status: str) -> None:
    advancing = advance_chapter(book.view())

    assert advancing.report.status == status
    assert advancing.report.message
    assert advancing.operations == ()
    if status == "chapter_not_ready":
        assert (advancing.report.current_word_count, advancing.report.min_words_to_advance) == (269, 270)
    if status == "needs_chapter_outline":
        assert (advancing.report.chapter, advancing.report.chapter_file) == (3, chapter_path(3))


def test_a_sealed_book_does_not_advance() -> None:
    with pytest.raises(Refused) as caught:
        advance_chapter(full_chapter().put(COMPLETE, "").view())

    assert caught.value.code == "book-sealed"


def last_chapter() -> PaperBook:
    return full_chapter(chapter=3, words=0)


def test_sealing_adds_the_waiting_prose_to_the_book() -> None:
    book = last_chapter()
    book.write(numbered_words(0, 600))
    book.write(numbered_words(0, 300))

    report = complete(book)

    assert report.status == "complete"
    assert report.total_word_count == count_words(book.book) == 900
    assert count_words(book.review) == 0
    assert "900 words" in book.files[COMPLETE]
    assert "Complete — 3 chapters, 900 words" in book.files["README.md"]
    assert book.view().counted.words == 900


def test_a_book_is_not_sealed_while_two_versions_of_a_passage_wait() -> None:
    book = last_chapter()
    book.write(numbered_words(0, 600))
    book.write(numbered_words(0, 400))
    book.put(REVIEW, f"{book.review}\n{conflict_note(1, 1)}\n\nOurs.\n")

    report = complete(book)

    assert (report.status, COMPLETE in book.files) == ("needs_revision", False)
    assert report.message.startswith("Review/current.md line 3: two versions of one passage")
    assert "instructions" not in report.message


def test_sealing_names_the_prose_that_was_not_reviewed_and_the_way_back() -> None:
    book = last_chapter()
    book.write(numbered_words(0, 600))
    book.write(numbered_words(600, 400))

    report = complete(book)
    book.drop(COMPLETE)

    assert report.unreviewed_word_count == 400
    assert report.unreviewed.startswith("The last 400 words (“w600 w601 ")
    assert "delete the file COMPLETE" in report.unreviewed
    assert report.unreviewed in report.message
    assert book.open().verdict == "open"


@pytest.mark.parametrize(("target", "again"), [(1000, "complete"), (3000, "not_ready")])
def test_a_reopened_book_is_sealed_again_unless_its_length_was_raised_as_advised(
    target: int, again: str
) -> None:
    book = last_chapter()
    book.put(CONFIG, f"{book.files[CONFIG]}at_target: complete\n")
    book.write(numbered_words(0, 1200))
    assert complete(book).status == "complete"

    book.drop(COMPLETE)
    book.put(CONFIG, re.sub(r"(?m)^target_length:.*$", f"target_length: {target}", book.files[CONFIG]))
    report = book.write(numbered_words(1200, 300)).report

    assert (report.completion_ready, report.at_target) == (
        (True, "complete") if again == "complete" else (False, "")
    )
    assert complete(book).status == again


def test_sealing_a_book_without_waiting_prose_names_none() -> None:
    book = last_chapter()
    book.write(numbered_words(0, 950))
    book.write(numbered_words(950, 50))
    book.put(REVIEW, "")

    report = complete(book)

    assert (report.status, report.unreviewed_word_count, report.unreviewed) == ("complete", 0, "")


def reviewed_book() -> PaperBook:
    """A finished book whose author wants to review its last prose."""
    book = last_chapter().put(CONFIG, f"{FILES[CONFIG]}review_before_completion: true\n")
    book.write(numbered_words(0, 600))
    book.write(numbered_words(600, 400))
    return book


def test_the_seal_waits_one_round_if_the_author_wants_to_review() -> None:
    book = reviewed_book()

    first = complete(book, session="s2")
    again = complete(book, session="s2")
    second = complete(book, session="s3")

    assert (first.status, again.status, second.status) == ("needs_revision",) * 2 + ("complete",)
    assert first.current_review is not None
    assert "w999" in first.current_review.content
    assert "waits for your review" in first.message
    assert (second.unreviewed_word_count, second.unreviewed) == (0, "")
    assert count_words(book.book) == 1000
    assert read_state(book.files[STATE]).completion_asked_by is None


def test_a_session_only_seals_a_book_whose_last_prose_was_reviewed() -> None:
    book = reviewed_book()
    before = book.open(session="before").verdict
    book.drop(LOCK)
    complete(book, session="s2")

    opening = open_book(book.view(), session="s3", owner=OWNER, now=book.now)

    assert before == "open"
    assert (opening.verdict, opening.operations) == ("reviewed", ())


@pytest.mark.parametrize("review", ["One. <!-- INK: darker -->\n", "One.\n"])
def test_a_review_that_asks_for_more_or_cuts_too_much_lets_the_book_be_written(review: str) -> None:
    book = reviewed_book()
    complete(book, session="s2")
    book.put(REVIEW, review)

    opening = book.open()
    book.close(numbered_words(1000, 50))

    assert opening.verdict == "open"
    assert read_state(book.files[STATE]).completion_asked_by is None


def test_a_book_of_many_pages_can_be_sealed() -> None:
    book = last_chapter()
    for _ in range(20):
        book.write("\n\n".join([numbered_words(0, 26)] * 2))

    assert complete(book).status == "complete"
    assert "PAGE 20 -->" in book.book


def test_a_book_with_chapters_that_were_never_begun_is_sealed_only_on_request() -> None:
    book = full_chapter(chapter=2).put(REVIEW, numbered_words(0, 1000))
    before = dict(book.files)

    report = complete(book)

    assert (report.status, book.files) == ("not_ready", before)
    assert "Chapter 3 of 3 was never begun" in report.message
    assert complete(full_chapter(words=1), early=False).message.startswith(
        "The book has 0 words and needs 900; Chapters 2 to 3 were never begun"
    )
    assert complete(book, early=True).status == "complete"


def test_a_book_is_sealed_below_its_range_only_on_request() -> None:
    book = last_chapter()
    book.write(numbered_words(0, 899))
    before = dict(book.files)

    assert complete(book).status == "not_ready"
    assert book.files == before
    assert complete(book, early=True).status == "complete"


@pytest.mark.parametrize("comment", ["<!-- INK: a\nb -->", "<!--INK:x-->", "<!-- INK: -->", "<!-- INK: lost"])
def test_no_note_of_the_author_is_sealed_into_the_book(comment: str) -> None:
    book = PaperBook().put(REVIEW, f"{numbered_words(0, 900)} {comment}\n")
    before = dict(book.files)

    report = complete(book)

    assert report.status == "needs_revision"
    assert report.message
    assert report.current_review is not None
    assert len(report.current_review.instructions) == (comment not in ("<!-- INK: -->", "<!-- INK: lost"))
    assert book.files == before


def test_a_book_is_sealed_once() -> None:
    book = PaperBook()
    complete(book, early=True)

    with pytest.raises(Refused) as caught:
        complete(book, early=True)

    assert caught.value.code == "already-complete"
    assert caught.value.message.startswith("book already complete")


@pytest.mark.parametrize("owner", [OWNER, "elsewhere"])
def test_a_running_session_is_not_sealed_over(owner: str) -> None:
    book = PaperBook().put(LOCK, write_lock(Lock(NOW, "s1", owner)))

    with pytest.raises(Refused) as caught:
        complete(book, early=True, session="s1")

    assert caught.value.code == "session-active"
    assert LOCK in book.files


def test_a_dead_lock_is_dropped_when_the_book_is_sealed() -> None:
    book = PaperBook().put(LOCK, write_lock(Lock(NOW, "s0", OWNER)))

    assert complete(book, early=True, session="s1").status == "complete"
    assert LOCK not in book.files


def test_recovered_prose_has_a_safe_name_and_no_nul() -> None:
    book = PaperBook()
    book.open()

    releasing = release_book(
        book.snapshot((LOCK,)), session="s1 /../x", reason="NUL", now=NOW, prose="a\x00b\r\nc"
    )
    book.publish(releasing.operations)

    assert book.files["Review/recovered-2026-02-22-14-30-s1-..-x.md"] == "ab\nc\n"


def test_a_reset_wipes_the_content_and_keeps_the_folders_and_the_readme() -> None:
    book = PaperBook().put("AGENTS.md", "mine").put("Chapters material/deep/x.md", "y").put(KILL, "")
    book.put(CONFIG, "broken: [").put("Changelog/.gitkeep", "").put(COMPLETE, "")

    resetting = reset_book(book.snapshot((LOCK,), RESET_NAMES), now=NOW)
    book.publish(resetting.operations)

    assert book.files == {
        "README.md": FILES["README.md"],
        "AGENTS.md": "mine",
        "Chapters material/.gitkeep": "",
        "Changelog/.gitkeep": "",
        "Current version/.gitkeep": "",
        "Global Material/.gitkeep": "",
        "Review/.gitkeep": "",
    }
    assert reset_book(book.snapshot((LOCK,), RESET_NAMES), now=NOW).operations == ()


def test_the_readme_of_a_reset_book_names_no_chapter_of_the_old_one() -> None:
    book = full_chapter()
    book.publish(advance_chapter(book.view()).operations)

    book.publish(reset_book(book.snapshot(RESET_TEXTS, RESET_NAMES), now=NOW).operations)

    assert "- **Status:** Not begun\n" in book.files["README.md"]
    assert "1. **Chapter 1** *(in progress)*\n\n---\nBye." in book.files["README.md"]
    assert "The Boat" not in book.files["README.md"]


def test_a_reset_waits_for_a_running_session() -> None:
    book = PaperBook()
    book.open()
    snapshot = book.snapshot((LOCK,), RESET_NAMES)

    with pytest.raises(Refused) as caught:
        reset_book(snapshot, now=NOW)

    assert caught.value.code == "session-active"
    assert reset_book(snapshot, now=NOW, owner=OWNER).operations
    assert reset_book(snapshot, now=NOW + timedelta(hours=2)).operations


def test_the_status_reports_chapter_words_and_lock() -> None:
    book = PaperBook()
    book.write(numbered_words(0, 900))
    book.put(REVIEW, "One. <!-- INK: a -->\n")
    book.open()

    status = book_status(
        book.view(), book_id="b", now=book.now + timedelta(seconds=90), last_tag="ink-1", push_pending=True
    )

    assert status.initialized
    assert not status.complete
    assert status.session_active
    assert status.session_age_seconds == 90
    assert status.open_instructions == 1
    assert (status.total_word_count, status.completion_ready) == (0, False)
    assert (status.last_tag, status.push_pending) == ("ink-1", True)
    assert book_status(book.put(COMPLETE, "").view(), book_id="b", now=NOW).complete


def test_no_book_has_a_status_too() -> None:
    assert not book_status(None, book_id="b", now=NOW).initialized


def failed(book: PaperBook, *, unreadable: tuple[str, ...] = ()) -> list[Check]:
    snapshot = book.snapshot().model_copy(update={"unreadable": unreadable})
    return [check for check in examine_book(snapshot, now=NOW) if not check.ok]


def healthy() -> PaperBook:
    book = PaperBook()
    for name in ("Outline.md", "Characters.md", "Lore.md"):
        book.put(f"Global Material/{name}", "Text.\n")
    return book


def test_a_healthy_book_has_only_good_findings() -> None:
    book = healthy()
    assert failed(book) == []
    book.write("Prose.")
    assert failed(book) == []


@for_each(
    "path, text, name",
    [
        (CONFIG, "broken: [", "config_valid"),
        (CONFIG, FILES[CONFIG].replace("session: 100", "session: 5"), "words_per_session_sane"),
        (STATE, "current_chapter: 0\n", "state_valid"),
        (STATE, "current_chapter: 3\n", "current_chapter_outline"),
        (REVIEW, "a <!-- INK: lost", "review_comments"),
        (LOCK, write_lock(Lock(NOW - timedelta(days=1), "s", "o")), "session_lock"),
        (KILL, "", "kill_request"),
    ],
)
def test_each_fault_is_reported_with_advice(path: str, text: str, name: str) -> None:
    findings = failed(healthy().put(path, text))

    assert [check.name for check in findings] == [name]
    assert findings[0].detail
    assert findings[0].advice


@pytest.mark.parametrize(
    ("path", "name"),
    [
        (CONFIG, "config_valid"),
        (REVIEW, "current_md"),
        (FULL_BOOK, "full_book"),
        (SUMMARY, "global_summary_md"),
        (chapter_path(1), "current_chapter_outline"),
    ],
)
def test_a_missing_file_is_found(path: str, name: str) -> None:
    assert [check.name for check in failed(healthy().drop(path))] == [name]


def test_each_check_that_passed_says_what_was_looked_at() -> None:
    book = healthy().put(FULL_BOOK, "a\n")
    checks = examine_book(book.snapshot((*SESSION_PATTERNS, FULL_BOOK)), now=NOW)

    assert [check.name for check in checks if not check.detail] == []


def test_a_file_that_is_not_text_is_reported() -> None:
    assert [check.name for check in failed(healthy(), unreadable=(REVIEW,))] == ["current_md"]
    assert [check.name for check in failed(healthy(), unreadable=("Global Material/X.md",))] == [
        "files_readable"
    ]


def test_page_markers_are_looked_at_when_the_book_is_in_the_snapshot() -> None:
    book = healthy().put(FULL_BOOK, "<!-- PAGE 2 -->\n\na\n")
    snapshot = book.snapshot((*SESSION_PATTERNS, FULL_BOOK))

    assert [check.name for check in examine_book(snapshot, now=NOW) if not check.ok] == ["page_markers"]
