"""Close a session: the waiting prose enters the book, the delivered prose waits for review."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from penwright.domain.book.changes import append_to_book, delete_files, write_counted_state, write_file
from penwright.domain.book.chapters import words_for
from penwright.domain.book.files.changelog import changelog_entry, free_changelog_path, shown_minute
from penwright.domain.book.files.layout import (
    CHANGELOG_FOLDER,
    LOCK,
    REVIEW,
    SUMMARY,
    chapter_path,
    proposed_path,
)
from penwright.domain.book.files.session_lock import read_lock
from penwright.domain.book.files.summary import summary_entry
from penwright.domain.book.pace import Pace, pace_of
from penwright.domain.book.refusal_steps import TO_WRITE_ON
from penwright.domain.book.review.closing import Settlement, split_waiting_prose
from penwright.domain.book.review.delivery import Delivery, read_delivery
from penwright.domain.book.review.waiting_prose import WaitingProse, read_waiting
from penwright.domain.book.session_warnings import outline_missing, overlong, without_review_lines
from penwright.domain.book.view import BookView
from penwright.domain.text.paging import Paged, paginate
from penwright.domain.text.words import count_words
from penwright.errors import Refused
from schemas.book import BookState, ClosedReport
from schemas.prose import CraftReport
from schemas.workspace import Append, Create, Operation

NOTHING_CHECKED = CraftReport()
_MOST_TOLD = 30
"""Told beats that a chapter keeps."""
MOST_WORDS = 1_000_000
"""Longest delivery; a longer one is refused."""


@dataclass(frozen=True, slots=True)
class Closing:
    """Report and operations of one close, for a single commit."""

    report: ClosedReport
    operations: tuple[Operation, ...]
    message: str
    pace: Pace
    """Of the book afterwards."""
    warnings: tuple[str, ...] = ()


def close_book(
    view: BookView,
    *,
    session: str,
    prose: str,
    summary: str,
    now: datetime,
    human_edits: Sequence[str] = (),
    snapshot_tag: str = "",
    model: str = "",
    warnings: Sequence[str] = (),
    left_out: Sequence[str] = (),
    craft: CraftReport = NOTHING_CHECKED,
) -> Closing:
    """Compute the close of a session: book, review file, Summary, Changelog entry, state and lock.

    Args:
        warnings: those of the opening; the Changelog entry has them before those of the close.
        left_out: warnings of what the writer said and ``prose`` has not.
        craft: what ``prose`` was planned to tell, what it tells, and what was found in it.

    Raises:
        Refused: ``book-sealed``, ``no-active-session``, ``prose-has-nul``, ``prose-too-long`` or
            ``empty-prose``.
    """
    refuse_without_session(view, session)
    delivery = checked_delivery(prose)
    chapter = view.state.current_chapter
    settlement = split_waiting_prose(
        view.waiting, delivery, first_chapter=view.review_chapter, chapter=chapter, unit=view.unit
    )
    paged = paginate(settlement.validated, view.counted, words_per_page=view.config.words_per_page)
    state = _state(view, settlement, craft)
    waiting = read_waiting(settlement.review)
    pace = pace_of(view.config, state, waiting, paged.count.words)
    report = _report(
        view,
        delivery,
        settlement=settlement,
        paged=paged,
        waiting=waiting,
        pace=pace,
        left_out=left_out,
        craft=craft,
    )
    entry = changelog_entry(
        at=now,
        words=delivery.words,
        human_edits=human_edits,
        summary=summary,
        tag=snapshot_tag,
        model=model,
        warnings=tuple(dict.fromkeys((*without_review_lines(warnings), *report.warnings))),
        craft=craft,
    )
    said = summary_entry(summary, minute=shown_minute(now), length=view.length(delivery.words))
    operations = (
        *append_to_book(view, paged),
        *write_file(view, REVIEW, settlement.review),
        *_summary(view, said),
        Create(path=free_changelog_path(now, changelog_entries(view)), content=entry),
        *write_counted_state(view, state, paged),
        *delete_files(view, LOCK),
    )
    message = f"Close session {session}: {view.length(delivery.words)}"
    return Closing(report, operations, message, pace, report.warnings)


def checked_delivery(prose: str) -> Delivery:
    """Parse delivered prose; raises ``Refused`` for prose that is empty, too long or has a NUL character."""
    if "\x00" in prose:
        raise Refused(
            "prose-has-nul",
            "The prose contains a NUL character; remove it and close again. Nothing was changed.",
        )
    if count_words(prose) > MOST_WORDS:
        raise Refused(
            "prose-too-long",
            f"The prose is longer than {MOST_WORDS} words; deliver one session's prose. Nothing was changed.",
        )
    delivery = read_delivery(prose)
    if delivery.words == 0 and not delivery.reworks:
        raise Refused("empty-prose", "The prose is empty; write some and close again. Nothing was changed.")
    return delivery


def refuse_without_session(view: BookView, session: str) -> None:
    """Raise ``Refused`` (``book-sealed`` or ``no-active-session``) unless ``session`` holds the book."""
    if view.sealed:
        raise Refused("book-sealed", f"The book is complete; {TO_WRITE_ON}.")
    lock = read_lock(view.lock) if view.lock is not None else None
    if lock is None or lock.session != session:
        raise Refused(
            "no-active-session",
            f"no active session: the book is not open for {session!r}; open it before you close.",
        )


def _state(view: BookView, settlement: Settlement, craft: CraftReport) -> BookState:
    """Count the validated words of the current chapter; words for an earlier chapter are not counted."""
    chapter = view.state.current_chapter
    added = words_for(chapter, settlement.validated_parts)
    return view.state.model_copy(
        update={
            "current_chapter_word_count": view.state.current_chapter_word_count + added,
            "review_chapter": settlement.review_chapter,
            "completion_asked_by": None,
            "beats_told": _beats_told(view, craft),
        }
    )


def _beats_told(view: BookView, craft: CraftReport) -> str | None:
    """Those of the chapter, the last ``_MOST_TOLD``."""
    told = (*view.beats_told, *(each.beat for each in craft.told))
    return "\n".join(tuple(dict.fromkeys(told))[-_MOST_TOLD:]) or None


def _report(
    view: BookView,
    delivery: Delivery,
    *,
    settlement: Settlement,
    paged: Paged,
    waiting: WaitingProse,
    pace: Pace,
    left_out: Sequence[str],
    craft: CraftReport,
) -> ClosedReport:
    return ClosedReport(
        session_word_count=delivery.words,
        total_word_count=paged.count.words,
        unit=view.unit,
        target_length=view.config.target_length,
        current_chapter_word_count=pace.chapter_words,
        completion_ready=pace.completion_ready,
        expected_words_per_session=view.config.words_per_session,
        words_wanted=view.pace.words_wanted,
        instructions_answered=settlement.answered,
        instructions_open=settlement.unanswered,
        warnings=(
            *left_out,
            *_summary_warning(view),
            *view.text_warnings,
            *settlement.warnings,
            *_pace_warnings(view, pace),
        ),
        waiting_word_count=waiting.words,
        at_target=pace.at_target,
        craft=craft,
    )


def _pace_warnings(view: BookView, pace: Pace) -> tuple[str, ...]:
    book, following = view.state.book_id or "BOOK", pace.chapter + 1
    plans = view.config.planning == "auto"  # then the next session makes it, or says why not
    is_full = pace.chapter_is_full and not pace.in_last_chapter and not plans
    stuck = is_full and chapter_path(following) not in view.files
    missing = outline_missing(book, pace.chapter, proposed=proposed_path(following) in view.files)
    return (
        *((missing,) if stuck else ()),
        *((overlong(book, pace),) if pace.at_target == "ask" else ()),
    )


def _summary(view: BookView, entry: str) -> tuple[Operation, ...]:
    """Append to the Summary; nothing if it is not UTF-8 text."""
    if SUMMARY in view.unreadable:
        return ()
    if SUMMARY not in view.files:
        return write_file(view, SUMMARY, f"{entry}\n")
    text = view.files[SUMMARY].text
    gap = "" if not text else "\n" if text.endswith("\n") else "\n\n"
    return (Append(path=SUMMARY, tail=f"{gap}{entry}\n", base=view.files[SUMMARY].blob),)


def _summary_warning(view: BookView) -> tuple[str, ...]:
    if SUMMARY not in view.unreadable:
        return ()
    return (f"{SUMMARY!r} is not UTF-8 text; the session's summary is in the Changelog only.",)


def changelog_entries(view: BookView) -> tuple[str, ...]:
    """Return the paths of the Changelog."""
    return tuple(path for path in view.blobs if path.startswith(f"{CHANGELOG_FOLDER}/"))
