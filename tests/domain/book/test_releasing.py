"""A book is given back by the session that holds it, and prose stays in it."""

from penwright.domain.book.files.layout import LOCK
from penwright.domain.book.files.session_lock import Lock, write_lock
from penwright.domain.book.releasing import release_book
from schemas.base import CommitSha
from schemas.workspace import Create, Delete, Snapshot, TextFile
from tests.support.books.sessions import NOON


def locked_by(session: str) -> Snapshot:
    lock = TextFile(path=LOCK, blob="l1", text=write_lock(Lock(NOON, session, "engine")))
    return Snapshot(tip=CommitSha("t"), files={LOCK: lock})


def test_the_lock_of_the_session_is_removed() -> None:
    releasing = release_book(locked_by("s1"), session="s1", reason="killed\nby ada", now=NOON)

    assert releasing.operations == (Delete(path=LOCK, base="l1"),)
    assert releasing.message == "Release the book: killed by ada"


def test_the_lock_of_another_session_stays() -> None:
    assert release_book(locked_by("s2"), session="s1", reason="killed", now=NOON).operations == ()


def test_a_book_without_a_lock_needs_no_commit() -> None:
    free = Snapshot(tip=CommitSha("t"), files={})

    assert release_book(free, session="s1", reason="killed", now=NOON).operations == ()


def test_prose_that_could_not_be_closed_becomes_a_file_for_the_author() -> None:
    releasing = release_book(locked_by("s1"), session="s1", reason="broken", now=NOON, prose="They met.")

    assert releasing.operations[-1] == Create(
        path="Review/recovered-2026-02-22-12-00-s1.md", content="They met.\n"
    )
