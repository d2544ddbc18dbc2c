"""Closing a session, and the life of a book from session to session."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penwright.domain.book.changes import NULL_ID
from penwright.domain.book.closing import MOST_WORDS, close_book
from penwright.domain.book.files.layout import FULL_BOOK, LOCK, REVIEW, STATE, SUMMARY
from penwright.domain.book.files.session_lock import Lock, write_lock
from penwright.domain.book.files.yaml_files import read_state
from penwright.domain.book.opening import open_book
from penwright.domain.text.paging import count_book, paging_faults
from penwright.errors import Refused
from schemas.prose import BeatTold, CraftReport, Finding
from tests.support.books.memory_book import NOW, OWNER, PaperBook, blob_id, numbered_words
from tests.support.each import for_each
from tests.support.sweeps import examples


def test_prose_enters_the_book_one_session_later() -> None:
    book = PaperBook()

    first = book.write("First prose.")
    assert "First" not in book.book
    assert book.review == "First prose.\n"
    second = book.write("Second prose here.")

    assert "<!-- PAGE 1 -->\n\nFirst prose.\n" in book.book
    assert book.review == "Second prose here.\n"
    assert (first.report.session_word_count, first.report.total_word_count) == (2, 0)
    assert (second.report.session_word_count, second.report.total_word_count) == (3, 2)
    assert second.report.current_chapter_word_count == 5
    assert second.report.target_length == 1000
    assert second.report.expected_words_per_session == 100
    assert second.report.status == "closed"


def test_the_first_close_of_a_fresh_book_puts_nothing_into_it() -> None:
    book = PaperBook()
    before = book.book

    book.write("Prose.")

    assert book.book == before


def test_a_close_leaves_summary_changelog_and_no_lock() -> None:
    book = PaperBook()
    book.open()

    closing = close_book(
        book.view(),
        session="s1",
        prose="Some prose.",
        summary="- dashes first",
        now=NOW,
        human_edits=["a.md"],
        snapshot_tag="ink-x",
        model="m-1",
    )
    book.publish(closing.operations)

    assert book.files[SUMMARY] == "- dashes first\n"
    assert LOCK not in book.files
    entry = book.files["Changelog/2026-02-22-14-30.md"]
    assert "**Words written:** 2\n**Snapshot tag:** ink-x\n**Model:** m-1" in entry
    assert "- a.md" in entry
    assert closing.message == "Close session s1: 2 words"


def test_a_close_keeps_plan_findings_and_told_beats() -> None:
    book = PaperBook()
    book.open()
    found = Finding(rule="echo", quote="Some prose.", start=0, end=11, hard=True, other="Prose from before")
    craft = CraftReport(
        plan=("she leaves",), told=(BeatTold(beat="she leaves", quote="Some prose"),), findings=(found,)
    )

    closing = close_book(book.view(), session="s1", prose="Some prose.", summary="", now=NOW, craft=craft)
    book.publish(closing.operations)

    entry = book.files["Changelog/2026-02-22-14-30.md"]
    assert "**Plan:**\n- she leaves\n" in entry
    assert "**Told:**\n- she leaves: “Some prose”\n" in entry
    echo = "This repeats an earlier passage: “Some prose.”; earlier: “Prose from before”"
    assert f"**Found in the new prose:**\n- {echo}\n" in entry
    assert closing.report.craft == craft
    assert open_book(book.view(), session="s2", owner="o", now=NOW).payload.beats_told == ("she leaves",)


def test_a_changelog_entry_names_lines_of_the_review_as_the_close_left_it() -> None:
    book = PaperBook()
    book.put(REVIEW, "One.\n\nTwo.\n\n<!-- INK darker -->\n")
    book.open()

    opened = (f"{REVIEW} line 5: add the colon", "the remote did not answer")
    closing = close_book(book.view(), session="s1", prose="Three.", summary="x", now=NOW, warnings=opened)
    book.publish(closing.operations)

    entry = book.files["Changelog/2026-02-22-14-30.md"]
    assert "line 5" not in entry
    assert f"- {REVIEW} line 3: an instruction begins" in entry
    assert "- the remote did not answer" in entry
    assert book.review.splitlines()[2] == "<!-- INK darker -->"


def test_sessions_of_one_minute_keep_their_own_changelog_entries() -> None:
    book = PaperBook()
    for number in range(3):
        book.now = NOW
        book.write(f"Prose {number}.", summary=f"Told {number}.")

    assert sorted(path for path in book.files if path.startswith("Changelog/")) == [
        "Changelog/2026-02-22-14-30-2.md",
        "Changelog/2026-02-22-14-30-3.md",
        "Changelog/2026-02-22-14-30.md",
    ]
    assert book.files[SUMMARY] == "Told 0.\n\nTold 1.\n\nTold 2.\n"


@pytest.mark.parametrize("lock", [None, write_lock(Lock(NOW, "s9", OWNER)), "2026-02-22T14:30:00Z", "x"])
def test_closing_without_an_own_session_is_refused(lock: str | None) -> None:
    book = PaperBook()
    if lock is not None:
        book.put(LOCK, lock)

    with pytest.raises(Refused) as caught:
        close_book(book.view(), session="s1", prose="Prose.", summary="", now=NOW)

    assert caught.value.code == "no-active-session"
    assert caught.value.message.startswith("no active session")


def test_a_sealed_book_takes_no_prose() -> None:
    book = PaperBook()
    book.open()
    book.put("COMPLETE", "")

    with pytest.raises(Refused) as caught:
        book.close("Prose.")

    assert caught.value.code == "book-sealed"


@for_each(
    "prose, code",
    [
        ("", "empty-prose"),
        (" \r\n\u3000 ", "empty-prose"),
        ("<!-- INK:NEW:START -->\n<!-- a note -->\n<!-- INK:NEW:END -->", "empty-prose"),
        ("<!-- INK: echo only -->", "empty-prose"),
        ("a\x00b", "prose-has-nul"),
        ("a " * (MOST_WORDS + 1), "prose-too-long"),
    ],
)
def test_unusable_prose_is_refused_by_code(prose: str, code: str) -> None:
    book = PaperBook()
    book.open()
    before = dict(book.files)

    with pytest.raises(Refused) as caught:
        book.close(prose)

    assert caught.value.code == code
    assert book.files == before


def test_an_instruction_may_be_answered_by_deleting_the_passage() -> None:
    book = PaperBook().put(REVIEW, "One.\n\nTwo. <!-- INK: delete this -->\n\nThree.\n")
    book.open()

    closing = book.close(
        "<!-- INK:REWORKED:START -->\n> **[Rework]** delete this\n\n<!-- INK:REWORKED:END -->\n"
    )
    book.write("Four.")

    assert closing.report.instructions_answered == 1
    assert "One." in book.book
    assert "Two." not in book.book
    assert "Three." in book.book


def test_words_count_for_the_chapter_they_were_written_for() -> None:
    book = PaperBook().put(STATE, "current_chapter: 1\ncurrent_chapter_word_count: 280\n")
    book.write("Five words for chapter one.")
    state = read_state(book.files[STATE])
    moved = state.model_copy(update={"current_chapter": 2, "current_chapter_word_count": 0})
    book.put(STATE, moved.model_dump_json(exclude_none=True))

    first = book.write("Three for two.")
    second = book.write("And more.")

    assert first.report.total_word_count == 5
    assert first.report.current_chapter_word_count == 3
    assert second.report.current_chapter_word_count == 5
    assert read_state(book.files[STATE]).current_chapter_word_count == 3


def test_completion_is_ready_from_nine_tenths_on() -> None:
    book = PaperBook().put(STATE, "current_chapter: 3\ncurrent_chapter_word_count: 0\n")
    assert not book.write(numbered_words(0, 899)).report.completion_ready
    assert book.write("x").report.completion_ready


def test_a_book_without_its_files_gets_them() -> None:
    book = PaperBook().drop(FULL_BOOK, REVIEW, SUMMARY, STATE)

    book.write("One.")
    book.write("Two.")

    assert "<!-- PAGE 1 -->\n\nOne.\n" in book.book
    assert book.review == "Two.\n"
    assert book.reads_of_the_book == 0
    book.write("Three.")
    assert book.reads_of_the_book == 0


def test_a_normal_session_never_reads_the_long_book() -> None:
    book = PaperBook()
    for number in range(6):
        book.write(f"{numbered_words(0, 60)} {number}")

    # Once for the fresh file, at the first open and at the first close, which writes the count down.
    assert book.reads_of_the_book == 2
    assert read_state(book.files[STATE]).counted_blob == blob_id(book.book)


def test_a_persons_change_of_the_book_is_counted_again() -> None:
    book = PaperBook()
    book.write("One two three.")
    book.write("Four five.")
    reads = book.reads_of_the_book

    book.put(FULL_BOOK, book.book.replace("three", "three and a half").rstrip())
    closing = book.write("Six.")

    assert book.reads_of_the_book > reads
    assert closing.report.total_word_count == 8
    assert book.book.endswith("a half.\n\nFour five.\n")


def test_a_last_line_without_an_end_is_remembered_by_counting_again() -> None:
    book = PaperBook().put(FULL_BOOK, "A person wrote this")

    book.write("One.")
    book.write("Two.")

    assert "A person wrote this\n\n<!-- PAGE 1 -->\n\nOne.\n" in book.book


def test_a_publish_that_fills_no_ids_only_makes_the_next_session_count() -> None:
    book = PaperBook()
    book.write("One.")
    book.open()
    closing = close_book(book.view(), session="s2", prose="Two.", summary="", now=book.now)
    book.publish(closing.operations, fill_null_ids=False)

    assert read_state(book.files[STATE]).counted_blob == NULL_ID
    assert book.view().counted.words == 1


def test_a_summary_that_is_not_text_is_left_alone_with_a_warning() -> None:
    book = PaperBook()
    book.open()
    view = book.view()
    files = {path: file for path, file in view.files.items() if path != SUMMARY}
    unreadable = type(view)(**{**vars(view), "files": files, "unreadable": (SUMMARY,)})

    closing = close_book(unreadable, session="s1", prose="Prose.", summary="Told.", now=NOW)

    assert all(operation.path != SUMMARY for operation in closing.operations)
    assert any("Summary.md" in warning for warning in closing.warnings)


PROSE = st.lists(st.integers(1, 30).map(lambda count: numbered_words(0, count)), min_size=1, max_size=4).map(
    "\n\n".join
)
EDITS = st.sampled_from(["none", "none", "add to the book", "no line end", "instruct", "off", "on"])


@settings(max_examples=examples(40))
@given(st.lists(st.tuples(PROSE, EDITS), min_size=1, max_size=6))
def test_session_word_counts_match_the_published_text(sessions: list[tuple[str, str]]) -> None:
    book = PaperBook()
    for prose, edit in sessions:
        match edit:
            case "add to the book":
                book.put(FULL_BOOK, book.book + "\nA person adds this.\n")
            case "no line end":
                book.put(FULL_BOOK, book.book.rstrip())
            case "instruct":
                book.put(REVIEW, book.review + "\n<!-- INK: shorter -->\n")
            case "off" | "on":
                page = 0 if edit == "off" else 50
                config = book.files["Global Material/Config.yml"]
                book.put(
                    "Global Material/Config.yml",
                    config.replace("page: 50", "page: 0").replace("page: 0", f"page: {page}"),
                )
        closing = book.write(prose)
        read = count_book(book.book)
        assert closing.report.total_word_count == read.words
        assert book.view().counted == read
        assert paging_faults(book.book) == ()
        assert "INK:" not in book.book
