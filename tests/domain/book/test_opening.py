"""Opening a session."""

from dataclasses import replace
from datetime import timedelta

import pytest

from penwright.domain.book.files.layout import (
    CONFIG,
    DECISIONS,
    FULL_BOOK,
    KILL,
    LOCK,
    REVIEW,
    STATE,
    SUMMARY,
    chapter_path,
)
from penwright.domain.book.files.session_lock import Lock, write_lock
from penwright.domain.book.opening import open_book
from penwright.domain.book.view import read_book
from penwright.errors import BrokenBook
from schemas.book import SessionPayload
from schemas.prose import Intended
from schemas.workspace import Snapshot
from tests.support.books.memory_book import NOW, OWNER, PaperBook, numbered_words

SEED_KEYS = {
    "config",
    "kill_requested",
    "session_already_run",
    "stale_lock_recovered",
    "chapter_close_suggested",
    "current_chapter_word_count",
    "global_material",
    "chapters",
    "current_review",
    "word_count",
    "human_edits",
    "snapshot_tag",
}
CONFIG_KEYS = {
    "target_length",
    "chapter_count",
    "chapter_structure",
    "words_per_session",
    "summary_context_entries",
    "current_chapter",
    "words_per_chapter",
    "words_per_page",
    "session_timeout_minutes",
    "context_window_tokens",
    "language",
}


def test_a_fresh_book_opens_clean() -> None:
    book = PaperBook()

    opening = book.open()

    assert opening.verdict == "open"
    assert opening.payload.session_type == "writing"
    assert opening.payload.current_review.instructions == ()
    assert opening.payload.current_review.content.strip() == ""
    assert opening.payload.word_count.total == 0
    assert opening.payload.warnings == ()
    assert (opening.words_wanted, opening.rework_only) == (100, False)
    assert opening.tag == opening.payload.snapshot_tag == "ink-2026-02-22-14-30"
    assert book.files[LOCK] == "2026-02-22T14:30:00Z\nsession: s1\nowner: engine-1\n"


def test_the_payload_has_every_key_of_the_seed_and_of_the_config() -> None:
    payload = PaperBook().open().payload.model_dump()

    assert payload.keys() >= SEED_KEYS
    assert payload["config"].keys() >= CONFIG_KEYS
    assert payload["config"]["language"] == "German"
    assert payload["chapters"]["current"] == {
        "path": chapter_path(1),
        "content": "# The Pier\n\nHe waits.\n",
        "modified_today": False,
    }


def test_global_material_has_all_texts_but_the_config_and_the_summarys_end() -> None:
    told = [f"p{number} " + numbered_words(0, 15) for number in range(7)]
    book = PaperBook().put(SUMMARY, "\n\n".join(told)).put("Global Material/deep/er.md", "no")
    book.put("Global Material/.gitkeep", "").put("Global Material/Notes.txt", "yes")

    material = {file.filename: file.content for file in book.open().payload.global_material}

    assert list(material) == ["Notes.txt", "Soul.md", "Summary.md"]
    assert material["Summary.md"] == "\n\n".join(told[2:])


def test_a_kill_request_is_acknowledged_before_anything_else() -> None:
    book = PaperBook().put(KILL, "").put(LOCK, write_lock(Lock(NOW, "s0", OWNER)))

    opening = book.open(human_edits=["a.md"])

    assert opening.verdict == "killed"
    assert KILL not in book.files
    assert LOCK not in book.files
    assert opening.payload == SessionPayload(config=opening.payload.config, kill_requested=True)
    assert opening.payload.config.language == "German"
    assert opening.tag == ""


def test_a_kill_request_leaves_the_lock_of_a_session_that_another_engine_runs() -> None:
    lock = write_lock(Lock(NOW - timedelta(minutes=5), "s0", "elsewhere"))
    book = PaperBook().put(KILL, "").put(LOCK, lock)

    assert book.open().verdict == "killed"
    assert KILL not in book.files
    assert book.files[LOCK] == lock

    book.put(KILL, "")
    book.now += timedelta(hours=2)
    assert book.open().verdict == "killed"
    assert LOCK not in book.files


def test_an_unreadable_lock_is_left_alone_until_its_age_is_known() -> None:
    book = PaperBook().put(LOCK, "garbage")

    refused = book.open()
    taken = open_book(
        replace(book.view(), lock_committed=NOW - timedelta(hours=2)), session="s", owner=OWNER, now=NOW
    )

    assert refused.verdict == "already-running"
    assert "no valid time" in refused.reason
    assert book.files[LOCK] == "garbage"
    assert taken.verdict == "open"
    assert taken.payload.stale_lock_recovered


def test_an_unreadable_kill_file_still_kills_the_session() -> None:
    snapshot = PaperBook().snapshot(names=())
    view = read_book(
        snapshot.model_copy(update={"names": {KILL: "k" * 40, FULL_BOOK: "b" * 40}, "unreadable": (KILL,)}),
        full_book_text="",
    )

    opening = open_book(view, session="s", owner=OWNER, now=NOW)

    assert opening.verdict == "killed"
    assert [operation.path for operation in opening.operations] == [KILL]


def test_another_session_within_its_timeout_has_the_book() -> None:
    book = PaperBook().put(LOCK, write_lock(Lock(NOW - timedelta(minutes=60), "s0", "elsewhere")))

    opening = book.open(human_edits=["Review/current.md"])

    assert opening.verdict == "already-running"
    assert "session s0 of engine elsewhere holds this book for 60 minutes" in opening.reason
    assert opening.operations == ()
    assert opening.payload.session_already_run
    assert opening.payload.config.target_length == 1000
    assert opening.payload.word_count.remaining == 1000
    assert opening.payload.global_material == ()


def test_a_refused_payload_counts_the_words_of_the_book() -> None:
    book = PaperBook()
    book.write(numbered_words(0, 70))
    book.write(numbered_words(70, 30))
    book.put(LOCK, write_lock(Lock(book.now, "s0", "elsewhere")))

    refused = book.open().payload.word_count

    assert (refused.total, refused.waiting, refused.target, refused.remaining) == (70, 30, 1000, 900)


@pytest.mark.parametrize(
    "lock",
    [
        write_lock(Lock(NOW - timedelta(minutes=61), "s0", "elsewhere")),
        write_lock(Lock(NOW, "s0", OWNER)),
    ],
)
def test_a_stale_lock_is_recovered_and_reported(lock: str) -> None:
    book = PaperBook().put(LOCK, lock)

    opening = book.open()

    assert opening.verdict == "open"
    assert opening.payload.stale_lock_recovered
    assert "session: s1" in book.files[LOCK]


def test_a_repeated_open_answers_the_same_and_changes_nothing() -> None:
    book = PaperBook()
    first = book.open()

    again = book.open(session="s1")

    assert again.operations == ()
    assert again.payload == first.payload


def test_a_sealed_book_is_not_opened() -> None:
    opening = PaperBook().put("COMPLETE", "").open()

    assert opening.verdict == "sealed"
    assert opening.operations == ()


def test_changes_by_people_do_not_keep_a_session_from_writing() -> None:
    book = PaperBook()
    book.write("Prose.")

    assert book.open(human_edits=["Review/current.md"]).payload.session_type == "writing"


def test_an_outline_that_was_changed_today_is_marked() -> None:
    payload = PaperBook().open(edited_today=[chapter_path(1)]).payload

    assert payload.chapters.current is not None
    assert payload.chapters.current.modified_today


def test_instructions_have_their_passage_and_are_not_in_the_content() -> None:
    long = numbered_words(0, 80)
    book = PaperBook().put(REVIEW, f"First.\n\n{long} <!-- INK: shorter\nplease --> Rest. <!-- PAGE 9 -->\n")

    review = book.open().payload.current_review

    assert len(review.instructions) == 1
    assert review.instructions[0].instruction == "shorter\nplease"
    assert review.instructions[0].passage == long
    assert review.instructions[0].anchor == long[-200:].strip()
    assert review.content == f"First.\n\n{long}  Rest. <!-- PAGE 9 -->\n"


def test_the_next_outline_is_sent_when_the_chapter_is_nearly_full() -> None:
    book = PaperBook()
    for count in (179, 180, 269, 270):
        book.put(STATE, f"current_chapter: 1\ncurrent_chapter_word_count: {count}\n")
        payload = book.open().payload
        assert payload.chapter_close_suggested == (count == 270)
        assert (payload.chapters.next is not None) == (count >= 180)
    assert payload.chapter_progress_pct == 90


def test_when_the_book_has_its_length_only_the_rework_is_wanted() -> None:
    book = PaperBook().put(REVIEW, f"{numbered_words(0, 900)} <!-- INK: a -->\n")
    book.put(STATE, "current_chapter: 3\ncurrent_chapter_word_count: 0\n")

    opening = book.open()

    assert opening.rework_only
    assert opening.payload.session_type == "rewrite"
    assert opening.words_wanted == 0


def test_in_mid_book_a_session_answers_instructions_and_writes_new_prose() -> None:
    opening = PaperBook().put(REVIEW, f"{numbered_words(0, 800)} <!-- INK: a -->\n").open()

    assert opening.payload.session_type == "writing"
    assert opening.words_wanted == 100


def test_waiting_prose_is_cut_to_the_context_window_instructions_are_not() -> None:
    text = "\n\n".join(f"{numbered_words(0, 150)} <!-- INK: n{number} -->" for number in range(20))
    book = PaperBook().put(REVIEW, text)
    book.put(CONFIG, book.files[CONFIG] + "context_window_tokens: 60000\n")

    review = book.open().payload.current_review

    assert len(review.content.split("\n\n")) == 13  # 13 * 150 <= 2000
    assert len(review.instructions) == 20


def test_a_session_opens_with_what_its_author_means_so() -> None:
    book = PaperBook().put(DECISIONS, "intended:\n- rule: name-slip\n  quote: Marra\n  other: Mara\n")

    assert book.open().payload.intended == (Intended(rule="name-slip", quote="Marra", other="Mara"),)


def test_decisions_that_cannot_be_read_are_a_warning_and_stop_no_session() -> None:
    opening = PaperBook().put(DECISIONS, "intended: [\n").open()

    assert (opening.verdict, opening.payload.intended) == ("open", ())
    assert [each for each in opening.payload.warnings if DECISIONS in each]


def test_malformed_comments_and_unreadable_files_are_warnings() -> None:
    book = PaperBook().put(REVIEW, "One.\n\n<!-- INK: -->\n")
    snapshot = book.snapshot().model_copy(update={"unreadable": ("Global Material/Lore.md",)})

    opening = open_book(
        read_book(snapshot, book.files[FULL_BOOK]),
        session="s",
        owner=OWNER,
        now=NOW,
        warnings=["remote gone"],
    )

    assert opening.verdict == "open"
    assert opening.payload.warnings[0] == "remote gone"
    assert any("Lore.md" in warning for warning in opening.payload.warnings)
    assert any("line 3" in warning for warning in opening.payload.warnings)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (CONFIG, "config-not-text"),
        (STATE, "state-not-text"),
        (REVIEW, "review-not-text"),
        (FULL_BOOK, "full-book-not-text"),
    ],
)
def test_a_file_no_session_can_do_without_must_be_text(path: str, code: str) -> None:
    snapshot = PaperBook().snapshot().model_copy(update={"unreadable": (path,)})

    with pytest.raises(BrokenBook) as caught:
        read_book(snapshot)

    assert caught.value.code == code


def test_a_nul_byte_is_named_when_it_is_why_a_file_is_not_text() -> None:
    update = {"unreadable": (REVIEW,), "holding_nul": (REVIEW,)}

    with pytest.raises(BrokenBook, match="holds a NUL byte") as caught:
        read_book(PaperBook().snapshot().model_copy(update=update))

    assert caught.value.code == "review-not-text"


def test_a_missing_config_is_reported_as_no_book_yet() -> None:
    with pytest.raises(BrokenBook) as caught:
        read_book(Snapshot(tip=PaperBook().snapshot().tip, files={}))

    assert caught.value.code == "config-missing"
