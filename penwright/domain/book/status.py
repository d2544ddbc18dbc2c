"""Status of a book, for people and dashboards."""

from datetime import datetime

from penwright.domain.book.files.layout import chapter_path
from penwright.domain.book.files.session_lock import judge_lock
from penwright.domain.book.planning import proposed_chapters
from penwright.domain.book.view import BookView
from schemas.book import BookFigures, BookStatus


def book_figures(view: BookView) -> BookFigures:
    """Return the book in figures, as it is at the tip."""
    return BookFigures(
        words=view.counted.words,
        unit=view.unit,
        waiting=view.waiting.words,
        target=view.config.target_length,
        chapter=view.state.current_chapter,
        sealed=view.sealed,
        sessions_left=0 if view.sealed else view.pace.sessions_left,
        outlines_proposed=proposed_chapters(view),
    )


def book_status(
    view: BookView | None,
    *,
    book_id: str,
    now: datetime,
    last_tag: str = "",
    push_pending: bool = False,
    model: str = "",
) -> BookStatus:
    """Return the status; ``view`` is None if there is no book yet."""
    if view is None:
        return BookStatus(book_id=book_id, initialized=False, last_tag=last_tag)
    config, pace = view.config, view.pace
    lock = judge_lock(
        view.lock, session="", owner="", now=now, timeout_minutes=config.session_timeout_minutes
    )
    active, chapter = lock.kind == "active", view.state.current_chapter
    following = "" if pace.in_last_chapter else chapter_path(chapter + 1)
    return BookStatus(
        book_id=book_id,
        initialized=True,
        complete=view.sealed,
        current_chapter=chapter,
        current_chapter_word_count=pace.chapter_words,
        words_per_chapter=config.words_per_chapter,
        unit=view.unit,
        chapter_length=pace.chapter_length,
        chapter_close_suggested=pace.chapter_is_full,
        total_word_count=view.counted.words,
        target_length=config.target_length,
        words_per_session=config.words_per_session,
        sessions_left=0 if view.sealed else pace.sessions_left,
        completion_ready=pace.completion_ready,
        session_active=active,
        session_age_seconds=max(0, int(lock.age.total_seconds())) if active else None,
        push_pending=push_pending,
        open_instructions=len(view.waiting.instructions),
        last_tag=last_tag,
        waiting_word_count=view.waiting.words,
        warnings=view.warnings,
        model=model,
        next_outline=following,
        next_outline_missing=bool(following) and following not in view.files,
        outlines_proposed=proposed_chapters(view),
        beats_open=() if view.sealed else view.beats_open,
    )
