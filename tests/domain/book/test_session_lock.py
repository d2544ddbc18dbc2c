"""The lock file."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.book.files.session_lock import (
    Lock,
    LockVerdict,
    held_by,
    judge_lock,
    read_lock,
    write_lock,
)
from tests.support.books.memory_book import NOW
from tests.support.each import for_each


def judge(text: str | None, *, session: str = "s2", owner: str = "here", timeout: int = 60) -> LockVerdict:
    return judge_lock(text, session=session, owner=owner, now=NOW, timeout_minutes=timeout)


def verdict(text: str | None, *, session: str = "s2", owner: str = "here", timeout: int = 60) -> str:
    return judge(text, session=session, owner=owner, timeout=timeout).kind


def lock(age: timedelta, *, session: str = "s1", owner: str = "there") -> str:
    return write_lock(Lock(NOW - age, session, owner))


def test_a_lock_holds_its_owner_and_start_time() -> None:
    berlin = timezone(timedelta(hours=1))
    written = write_lock(Lock(datetime(2026, 2, 22, 15, 30, tzinfo=berlin), "s1", "engine"))

    assert written == "2026-02-22T14:30:00Z\nsession: s1\nowner: engine\n"
    assert read_lock(written) == Lock(NOW, "s1", "engine")


@pytest.mark.parametrize(
    "text",
    [
        "2026-02-22T14:30:00.123456789+00:00",
        "2026-02-22T14:30:00.5Z",
        "2026-02-22T15:30:00+01:00\r\n",
        "2026-02-22 14:30:00",
    ],
)
def test_a_lock_of_another_program_is_read_too(text: str) -> None:
    found = read_lock(text)

    assert found is not None
    assert found.since.replace(microsecond=0) == NOW
    assert found.since.tzinfo == UTC
    assert (found.session, found.owner) == ("", "")


@for_each(
    "age, kind",
    [
        (timedelta(0), "active"),
        (timedelta(minutes=60, seconds=59), "active"),
        (timedelta(minutes=61), "stale"),
        (timedelta(days=4000), "stale"),
        (-timedelta(minutes=60), "active"),
        (-timedelta(minutes=60, seconds=1), "stale"),
        (-timedelta(days=4000), "stale"),
    ],
)
def test_a_foreign_lock_holds_for_its_timeout_in_both_directions(age: timedelta, kind: str) -> None:
    assert verdict(lock(age)) == kind


def test_no_lock_leaves_the_book_free() -> None:
    assert verdict(None) == "free"


def test_a_repeated_open_finds_its_own_lock() -> None:
    assert verdict(lock(timedelta(hours=9), session="s2", owner="elsewhere")) == "ours"


def test_a_dead_session_of_the_same_owner_is_stale_at_once() -> None:
    assert verdict(lock(timedelta(0), owner="here")) == "stale"


def test_two_locks_without_an_owner_are_not_the_same_owners() -> None:
    assert verdict(lock(timedelta(0), owner=""), owner="") == "active"
    assert verdict(lock(timedelta(0), session="", owner=""), session="", owner="") == "active"


@given(st.text(alphabet="0123456789-:TZ.+ \nowner: x", max_size=40))
def test_any_content_gets_a_verdict_and_an_unreadable_one_holds_the_book_with_a_warning(text: str) -> None:
    found = judge_lock(text, session="s", owner="o", now=NOW, timeout_minutes=60)

    assert found.kind in {"ours", "stale", "active"}
    if read_lock(text) is None:
        assert found.kind == "active"
        assert found.warning


@pytest.mark.parametrize(
    ("age", "kind"),
    [(timedelta(0), "active"), (timedelta(minutes=60), "active"), (timedelta(minutes=61), "stale")],
)
def test_an_unreadable_lock_is_as_old_as_its_commit(age: timedelta, kind: str) -> None:
    found = judge_lock("?", session="s", owner="o", now=NOW, timeout_minutes=60, committed=NOW - age)

    assert (found.kind, found.age) == (kind, age)
    assert "committed at" in found.warning


def test_a_lock_names_the_machine_and_folder_of_its_session() -> None:
    text = write_lock(Lock(NOW - timedelta(minutes=3), "s1", "there", "desk:/books/tide"))

    told = held_by(text, judge(text), timeout_minutes=60)

    assert read_lock(text) == Lock(NOW - timedelta(minutes=3), "s1", "there", "desk:/books/tide")
    assert told.startswith("session s1 in desk:/books/tide holds this book for 3 minutes")
    assert "taken over after 60 minutes" in told
    assert "delete '.ink-running'" in told
