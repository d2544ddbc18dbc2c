"""Seal a finished book."""

from dataclasses import dataclass
from datetime import datetime

from penwright.domain.book.changes import append_to_book, delete_files, write_counted_state, write_file
from penwright.domain.book.chapters import words_for
from penwright.domain.book.files.changelog import shown_minute
from penwright.domain.book.files.fresh_files import SEALED_REVIEW
from penwright.domain.book.files.layout import COMPLETE, CONFIG, FULL_BOOK, LOCK, README, REVIEW, STATE
from penwright.domain.book.files.readme import finish_readme
from penwright.domain.book.files.session_lock import judge_lock
from penwright.domain.book.files.summary import review_words
from penwright.domain.book.files.yaml_files import write_state
from penwright.domain.book.pace import words_to_complete
from penwright.domain.book.refusal_steps import REOPENING, TO_WRITE_ON
from penwright.domain.book.review.payload import current_review
from penwright.domain.book.review.waiting_prose import chapter_parts
from penwright.domain.book.view import BookView
from penwright.domain.text.paging import Paged, paginate
from penwright.domain.text.paragraphs import paragraphs
from penwright.domain.text.words import count_words, without_comments
from penwright.errors import Refused
from schemas.book import CompleteReport
from schemas.workspace import Operation

_SHOWN_WORDS = 8
"""Number of words that name a passage."""


@dataclass(frozen=True, slots=True)
class Completing:
    """The report; ``operations`` is empty unless the book was sealed."""

    report: CompleteReport
    operations: tuple[Operation, ...] = ()
    message: str = ""


def complete_book(
    view: BookView, *, session: str, owner: str, now: datetime, early: bool = False
) -> Completing:
    """Seal the book if it has its length and all its chapters (or ``early``) and no instruction or malformed
    comment waits.

    With ``review_before_completion`` the first call leaves the last prose to the author, and a call of
    another session seals the book, unless new prose was closed in between.

    Raises:
        Refused: ``already-complete`` or ``session-active``.
    """
    _refuse_now(view, session=session, owner=owner, now=now)
    if any(note.holds for note in view.waiting.notes):
        return Completing(_needs_revision(view))
    validated = "\n\n".join(paragraphs(view.waiting.text))
    paged = paginate(validated, view.counted, words_per_page=view.config.words_per_page)
    total = paged.count.words
    if not early and (lacking := _lacking(view, total)):
        message = f"{lacking}; write on, or seal it early."
        return Completing(
            CompleteReport(status="not_ready", total_word_count=total, unit=view.unit, message=message)
        )
    if _must_wait(view, session, validated):
        return _waiting(view, session)
    unreviewed = "" if view.state.completion_asked_by else validated
    report = _report(view, total, unreviewed)
    return Completing(report, _sealed(view, paged, now), f"Complete the book: {view.length(total)}")


def _lacking(view: BookView, total: int) -> str:
    """The words and chapters that the book lacks before anyone but a person may seal it; empty if none."""
    needed, begun, planned = (
        words_to_complete(view.config),
        view.state.current_chapter,
        view.config.chapter_count,
    )
    short = f"The book has {view.length(total)} and needs {needed:,}" if total < needed else ""
    never = f"Chapter {planned} of {planned} was never begun" if begun == planned - 1 else ""
    if begun < planned - 1:
        never = f"Chapters {begun + 1} to {planned} were never begun"
    return "; ".join(filter(None, (short, never)))


def _report(view: BookView, total: int, unreviewed: str) -> CompleteReport:
    """``unreviewed``: text that was sealed before the author had a round for it."""
    words = count_words(unreviewed)
    beginning = " ".join(without_comments(unreviewed).split()[:_SHOWN_WORDS])
    said = (
        f"The last {view.length(words)} (“{beginning} …”) were sealed before you could review them. "
        "Correct them in "
        f"{FULL_BOOK!r}; {REOPENING}. "
        f"With `review_before_completion: true` in {CONFIG!r} the seal waits one round."
    )
    message = f"The book is complete with {view.length(total)}."
    return CompleteReport(
        status="complete",
        total_word_count=total,
        unit=view.unit,
        message=f"{message} {said}" if words else message,
        unreviewed_word_count=words,
        unreviewed=said if words else "",
    )


def _must_wait(view: BookView, session: str, validated: str) -> bool:
    asked = view.state.completion_asked_by
    return view.config.review_before_completion and bool(validated) and asked in (None, session)


def _waiting(view: BookView, session: str) -> Completing:
    """Nothing is sealed; the state says that this was asked for, and the next session seals the book."""
    message = (
        f"The last prose waits for your review in {REVIEW!r} (`review_before_completion`); the next session, "
        "or `complete` once more after your review, seals the book."
    )
    report = _needs_revision(view).model_copy(update={"message": message})
    state = view.state.model_copy(update={"completion_asked_by": session})
    operations = write_file(view, STATE, write_state(state, view.text(STATE)))
    return Completing(report, operations, "Leave the last prose to its review before the book is sealed")


def _refuse_now(view: BookView, *, session: str, owner: str, now: datetime) -> None:
    if view.sealed:
        raise Refused("already-complete", f"book already complete; {TO_WRITE_ON}.")
    lock = judge_lock(
        view.lock,
        session=session,
        owner=owner,
        now=now,
        timeout_minutes=view.config.session_timeout_minutes,
        committed=view.lock_committed,
    )
    if lock.kind in {"active", "ours"}:
        raise Refused("session-active", "A session is writing the book; close it before you complete.")


def _needs_revision(view: BookView) -> CompleteReport:
    review = current_review(
        view.text(REVIEW), view.waiting, most_words=review_words(view.config.context_window_tokens)
    )
    count = len(review.instructions)
    waiting = (f"{count} instructions wait for an answer in {REVIEW}.",) if count else ()
    message = " ".join((*waiting, *view.warnings))
    return CompleteReport(
        status="needs_revision",
        total_word_count=view.counted.words,
        unit=view.unit,
        current_review=review,
        message=message,
    )


def _sealed(view: BookView, paged: Paged, now: datetime) -> tuple[Operation, ...]:
    total, chapter = paged.count.words, view.state.current_chapter
    parts = chapter_parts(view.waiting, len(view.waiting.text), first=view.review_chapter)
    words = view.state.current_chapter_word_count + words_for(chapter, parts)
    state = view.state.model_copy(
        update={
            "current_chapter_word_count": words,
            "review_chapter": None,
            "completion_asked_by": None,
        }
    )
    readme: tuple[Operation, ...] = ()
    if README in view.files:
        finished = finish_readme(
            view.text(README), view.outlines(), chapters=chapter, length=view.length(total)
        )
        readme = write_file(view, README, finished)
    return (
        *append_to_book(view, paged),
        *write_file(view, REVIEW, SEALED_REVIEW),
        *write_file(view, COMPLETE, f"Sealed {shown_minute(now)} UTC with {view.length(total)}.\n"),
        *readme,
        *write_counted_state(view, state, paged),
        *delete_files(view, LOCK),
    )
