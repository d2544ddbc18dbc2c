"""Open a session: decide whether the book may be locked, and collect the writer's payload."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from penwright.domain.book.changes import delete_files, write_file
from penwright.domain.book.files.layout import (
    CONFIG,
    KILL,
    LOCK,
    MATERIAL_FOLDER,
    REVIEW,
    STATE,
    SUMMARY,
    chapter_path,
    tag_base,
)
from penwright.domain.book.files.session_lock import Lock, LockVerdict, held_by, judge_lock, write_lock
from penwright.domain.book.files.summary import review_words, summary_window
from penwright.domain.book.files.yaml_files import write_state
from penwright.domain.book.prose_so_far import earlier_prose
from penwright.domain.book.review.payload import current_review
from penwright.domain.book.session_warnings import A_COPY, TO_SEAL
from penwright.domain.book.view import BookView
from penwright.domain.trace.layout import LESSONS
from penwright.domain.trace.lessons import own_rules
from schemas.book import (
    ChapterOutline,
    Chapters,
    ConfigPayload,
    MaterialFile,
    SessionPayload,
    WordCount,
)
from schemas.workspace import Operation


@dataclass(frozen=True, slots=True)
class Opening:
    """The verdict; ``operations`` is empty if nothing is to be changed."""

    verdict: Literal["open", "killed", "already-running", "sealed", "reviewed"]
    payload: SessionPayload
    operations: tuple[Operation, ...] = ()
    message: str = ""
    """Of the commit."""
    tag: str = ""
    """Base name of the snapshot tag."""
    words_wanted: int = 0
    """New prose, in words; reworked passages do not count."""
    rework_only: bool = False
    """The book has its target length; only instructions remain to be answered."""
    reason: str = ""
    """Reason why the book does not open; empty if the verdict says it all."""


def open_book(
    view: BookView,
    *,
    session: str,
    owner: str,
    now: datetime,
    place: str = "",
    copy_id: str = "",
    origin: str = "",
    human_edits: Sequence[str] = (),
    edited_today: Sequence[str] = (),
    warnings: Sequence[str] = (),
    may_seal: bool = True,
) -> Opening:
    """Check for a kill request, a sealed book, an active lock and a stale lock, in this order; else open.

    A finished book whose last prose has had its round of review is not written on: it is to be sealed.

    Args:
        owner: names the engine; a lock of the same owner and another session is stale.
        place: machine and folder, for the lock file.
        copy_id: the book's own id, to be recorded, if it is a copy.
        origin: id of the book that it is a copy of.
        human_edits: paths that people changed since the last engine commit.
        edited_today: paths that people changed on the day of ``now``, in UTC.
        warnings: the caller's own, such as an unreachable remote.
        may_seal: whether a finished book is to be sealed instead.
    """
    lock = judge_lock(
        view.lock,
        session=session,
        owner=owner,
        now=now,
        timeout_minutes=view.config.session_timeout_minutes,
        committed=view.lock_committed,
    )
    if view.kill:
        return _killed(view, lock)
    refused = _refused(view, human_edits)
    if view.sealed:
        return Opening("sealed", refused)
    if lock.kind == "active":
        reason = _held(view, lock)
        payload = refused.model_copy(update={"session_already_run": True, "warnings": (reason,)})
        return Opening("already-running", payload, reason=reason)
    if may_seal and _is_reviewed(view):
        payload = refused.model_copy(update={"warnings": (*warnings, *view.warnings, TO_SEAL)})
        return Opening("reviewed", payload, reason=TO_SEAL)
    opening = _opened(
        view,
        lock,
        Lock(now, session, owner, place),
        _Edits(tuple(human_edits), tuple(edited_today)),
        warnings=(*warnings, *_copy_warning(view, copy_id, origin)),
    )
    return replace(opening, operations=(*opening.operations, *_copied(view, copy_id, origin)))


def _is_news(view: BookView, copy_id: str) -> bool:
    return bool(copy_id) and view.state.book_id != copy_id


def _copied(view: BookView, copy_id: str, origin: str) -> tuple[Operation, ...]:
    """Record the id of a copy, and what it is a copy of."""
    if not _is_news(view, copy_id):
        return ()
    state = view.state.model_copy(update={"book_id": copy_id, "origin": origin})
    return write_file(view, STATE, write_state(state, view.text(STATE)))


def _copy_warning(view: BookView, copy_id: str, origin: str) -> tuple[str, ...]:
    if not _is_news(view, copy_id):
        return ()
    return (f"{A_COPY} {origin} without its remote; it is the book {copy_id} now",)


@dataclass(frozen=True, slots=True)
class _Edits:
    """Paths that people changed."""

    since_last: tuple[str, ...]
    """Since the last engine commit."""
    today: tuple[str, ...]


def _killed(view: BookView, lock: LockVerdict) -> Opening:
    """Acknowledge the request; a lock that another engine holds belongs to a session under way, and stays."""
    payload = SessionPayload(config=_config(view), kill_requested=True)
    paths = (KILL,) if lock.kind == "active" else (KILL, LOCK)
    return Opening("killed", payload, delete_files(view, *paths), "Acknowledge the request to kill")


def _held(view: BookView, lock: LockVerdict) -> str:
    return held_by(view.lock or "", lock, timeout_minutes=view.config.session_timeout_minutes)


def _opened(
    view: BookView, found: LockVerdict, lock: Lock, edits: _Edits, *, warnings: Sequence[str]
) -> Opening:
    stale = found.kind == "stale"
    all_warnings = (*warnings, *view.warnings, *((found.warning,) if found.warning else ()))
    tag = tag_base(lock.since)
    rework_only = _rework_only(view)
    return Opening(
        "open",
        _payload(view, edits).model_copy(
            update={"stale_lock_recovered": stale, "warnings": all_warnings, "snapshot_tag": tag}
        ),
        () if found.kind == "ours" else write_file(view, LOCK, write_lock(lock)),
        f"Open session {lock.session}" + ("\n\nA stale lock was recovered." if stale else ""),
        tag,
        0 if rework_only else view.pace.words_wanted,
        rework_only,
    )


def _rework_only(view: BookView) -> bool:
    """Whether instructions wait and the book, with the waiting prose, has its target length."""
    return bool(view.waiting.instructions) and view.pace.completion_ready


def _is_reviewed(view: BookView) -> bool:
    """Whether the book was to be sealed, and its author has had a round and asks for nothing."""
    asked = view.config.review_before_completion and view.state.completion_asked_by is not None
    return asked and not any(note.holds for note in view.waiting.notes) and view.pace.completion_ready


def _payload(view: BookView, edits: _Edits) -> SessionPayload:
    """Return the writer's payload, without the fields about lock, tag and warnings."""
    review = current_review(
        view.text(REVIEW), view.waiting, most_words=review_words(view.config.context_window_tokens)
    )
    payload = SessionPayload(
        config=_config(view),
        global_material=_material(view),
        current_review=review,
        word_count=_word_count(view),
        human_edits=edits.since_last,
        edited_today=edits.today,
        session_type="rewrite" if _rework_only(view) else "writing",
        author_rules=own_rules(view.text(LESSONS)),
        intended=view.intended,
    )
    return at_chapter(payload, view)


def material_payload(view: BookView) -> SessionPayload:
    """Return the payload of a run that opens no session: what the book's files tell."""
    return _payload(view, _Edits((), ()))


def next_payload(view: BookView, book: str) -> SessionPayload:
    """Return the payload of a session that would open now, without what only its opening adds.

    Args:
        book: text of the validated book.
    """
    return material_payload(view).model_copy(update={"earlier_prose": earlier_prose(book, view)})


def at_chapter(payload: SessionPayload, view: BookView) -> SessionPayload:
    """The payload with the current chapter of ``view``: its outlines, and how far it is."""
    pace = view.pace
    return payload.model_copy(
        update={
            "config": _config(view),
            "chapters": _chapters(view, payload.edited_today),
            "chapter_close_suggested": pace.chapter_is_full,
            "current_chapter_word_count": pace.chapter_words,
            "chapter_progress_pct": pace.chapter_percent,
            "words_wanted": 0 if payload.session_type == "rewrite" else pace.words_wanted,
            "chapter_words_left": pace.chapter_words_left,
            "last_session_of_chapter": pace.is_last_of_chapter,
            "beats_told": view.beats_told,
            "beats_open": view.beats_open,
        }
    )


def may_leave_chapter(payload: SessionPayload) -> bool:
    """Whether the chapter is full and the next one has an outline."""
    return payload.chapter_close_suggested and payload.chapters.next is not None


def _config(view: BookView) -> ConfigPayload:
    return ConfigPayload(**view.config.model_dump(), current_chapter=view.state.current_chapter)


def _refused(view: BookView, human_edits: Sequence[str]) -> SessionPayload:
    """Return the payload of a session that does not open: config and words, but no material."""
    return SessionPayload(config=_config(view), human_edits=tuple(human_edits), word_count=_word_count(view))


def _word_count(view: BookView) -> WordCount:
    target, written = view.config.target_length, view.pace.book_words
    return WordCount(
        total=view.counted.words,
        target=target,
        remaining=max(0, target - written),
        waiting=view.waiting.words,
    )


def _material(view: BookView) -> tuple[MaterialFile, ...]:
    """Return the files directly in Global Material, sorted by name; of the Summary only its end."""
    found = []
    for path, file in sorted(view.files.items()):
        folder, _, filename = path.rpartition("/")
        if folder != MATERIAL_FOLDER or path == CONFIG or filename.startswith("."):
            continue
        content = file.text
        if path == SUMMARY:
            content = summary_window(content, view.config.summary_context_entries)
        found.append(MaterialFile(filename=filename, content=content))
    return tuple(found)


def _chapters(view: BookView, edited_today: Sequence[str]) -> Chapters:
    """Return the current outline, and the next one if the chapter is full or this session fills it."""
    number, pace = view.state.current_chapter, view.pace
    shows_next = not pace.in_last_chapter and (pace.chapter_is_full or pace.is_last_of_chapter)
    return Chapters(
        current=_outline(view, number, edited_today),
        next=_outline(view, number + 1, edited_today) if shows_next else None,
    )


def _outline(view: BookView, number: int, edited_today: Sequence[str]) -> ChapterOutline | None:
    """Return the outline of a chapter; None if it does not exist."""
    path = chapter_path(number)
    if path not in view.files:
        return None
    return ChapterOutline(path=path, content=view.text(path), modified_today=path in edited_today)
