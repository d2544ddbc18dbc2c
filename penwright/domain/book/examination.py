"""Check the files of a book, for `penwright book doctor`."""

from collections.abc import Iterator
from datetime import datetime

from penwright.domain.book.files.layout import (
    CONFIG,
    FULL_BOOK,
    KILL,
    LOCK,
    MATERIAL_FOLDER,
    REVIEW,
    STATE,
    chapter_path,
)
from penwright.domain.book.files.session_lock import judge_lock
from penwright.domain.book.files.yaml_files import read_state
from penwright.domain.book.review.closing import held_warnings
from penwright.domain.book.view import BookView, read_book
from penwright.domain.text.paging import paging_faults
from penwright.errors import BrokenBook
from schemas.book import Check
from schemas.workspace import Snapshot

_MATERIAL = ("Soul.md", "Outline.md", "Characters.md", "Lore.md", "Summary.md")
_SANE_SESSION = range(100, 10_001)


def examine_book(snapshot: Snapshot, *, now: datetime) -> tuple[Check, ...]:
    """Return the result of every check; those that need Config.yml are skipped if it is invalid."""
    return tuple(_checks(snapshot, now))


def _checks(snapshot: Snapshot, now: datetime) -> Iterator[Check]:
    yield from (_material(snapshot, filename) for filename in _MATERIAL)
    try:
        view = read_book(snapshot)
    except BrokenBook as error:
        yield Check(name=_broken_name(snapshot, error), ok=False, detail=error.message, advice=error.message)
        return
    yield Check(name="config_valid", ok=True, detail=CONFIG)
    yield Check(name="state_valid", ok=True, detail=STATE if STATE in snapshot.files else "a fresh book")
    yield _outline(view)
    yield _session_length(view)
    yield _present("current_md", REVIEW, view)
    yield _present("full_book", FULL_BOOK, view)
    yield _readable(view)
    yield _comments(view)
    yield _lock(view, now)
    yield _kill(view)
    yield _check(
        "book_text",
        "; ".join(view.book_warnings),
        f"See to it in {FULL_BOOK!r}.",
        fine=f"nothing broken off or doubled in {FULL_BOOK}",
    )
    if FULL_BOOK in snapshot.files:
        yield _pages(snapshot.files[FULL_BOOK].text)


def _broken_name(snapshot: Snapshot, error: BrokenBook) -> str:
    try:
        read_state(snapshot.files[STATE].text if STATE in snapshot.files else None)
    except BrokenBook:
        return "state_valid" if error.code.startswith("state") else "config_valid"
    return {"review-not-text": "current_md", "full-book-not-text": "full_book"}.get(
        error.code, "config_valid"
    )


def _check(name: str, complaint: str, advice: str, *, fine: str = "") -> Check:
    """Return a failed check if there is a complaint, else a passed one with ``fine`` as its detail."""
    if complaint:
        return Check(name=name, ok=False, detail=complaint, advice=advice)
    return Check(name=name, ok=True, detail=fine)


def _material(snapshot: Snapshot, filename: str) -> Check:
    path = f"{MATERIAL_FOLDER}/{filename}"
    name = f"global_{filename.lower().replace('.', '_')}"
    complaint = "" if path in snapshot.files else f"{path!r} is missing or is not UTF-8 text"
    return _check(name, complaint, f"Write {path!r} and save it as UTF-8.", fine=path)


def _outline(view: BookView) -> Check:
    path = chapter_path(view.state.current_chapter)
    complaint = "" if path in view.files else f"{path!r} is missing"
    return _check("current_chapter_outline", complaint, f"Write the outline {path!r}.", fine=path)


def _session_length(view: BookView) -> Check:
    words = view.config.words_per_session
    complaint = "" if words in _SANE_SESSION else f"words_per_session is {words}"
    return _check(
        "words_per_session_sane",
        complaint,
        f"Choose from {_SANE_SESSION.start} to {_SANE_SESSION.stop - 1} in {CONFIG!r}.",
        fine=str(words),
    )


def _present(name: str, path: str, view: BookView) -> Check:
    complaint = "" if path in view.blobs else f"{path!r} is missing"
    return _check(name, complaint, "Nothing to do: the next session creates it.", fine=path)


def _readable(view: BookView) -> Check:
    complaint = f"not UTF-8 text: {', '.join(map(repr, view.unreadable))}" if view.unreadable else ""
    return _check(
        "files_readable",
        complaint,
        "Save these files as UTF-8; sessions leave them out.",
        fine="every text is UTF-8",
    )


def _comments(view: BookView) -> Check:
    open_ones = len(view.waiting.instructions)
    return _check(
        "review_comments",
        " ".join(held_warnings(view.waiting, view.unit)),
        f"Correct the comments in {REVIEW!r}; until then the prose after them waits.",
        fine=f"{open_ones} instructions open",
    )


def _lock(view: BookView, now: datetime) -> Check:
    found = judge_lock(
        view.lock, session="", owner="", now=now, timeout_minutes=view.config.session_timeout_minutes
    )
    minutes = int(found.age.total_seconds() // 60)
    complaint = f"a stale lock, {minutes} minutes old" if found.kind == "stale" else ""
    fine = f"a session began {minutes} minutes ago" if found.kind == "active" else f"no {LOCK}"
    if found.warning and found.kind == "active":
        return _check("session_lock", found.warning, f"Delete {LOCK!r} if no session is writing the book.")
    return _check("session_lock", complaint, "Nothing to do: the next session recovers it.", fine=fine)


def _kill(view: BookView) -> Check:
    complaint = f"{KILL!r} exists: the next session will stop at once" if view.kill else ""
    return _check("kill_request", complaint, f"Delete {KILL!r} if sessions should run.", fine=f"no {KILL}")


def _pages(text: str) -> Check:
    return _check(
        "page_markers",
        "; ".join(paging_faults(text)),
        f"Renumber the page markers in {FULL_BOOK!r} by hand.",
        fine="numbered in order",
    )
