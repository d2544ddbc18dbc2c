"""Close a session that rewrote a passage: the new words take the place of the old ones, in one commit."""

from collections.abc import Sequence
from datetime import datetime

from penwright.domain.book.changes import delete_files, write_counted_state, write_file
from penwright.domain.book.closing import (
    Closing,
    changelog_entries,
    checked_delivery,
    refuse_without_session,
)
from penwright.domain.book.files.changelog import changelog_entry, free_changelog_path
from penwright.domain.book.files.layout import FULL_BOOK, LOCK, STATE
from penwright.domain.book.files.yaml_files import write_state
from penwright.domain.book.pace import Pace, pace_of
from penwright.domain.book.rewriting.replacing import occurrences, replaced
from penwright.domain.book.session_warnings import without_review_lines
from penwright.domain.book.view import BookView
from penwright.domain.text.paging import Paged, count_book
from penwright.domain.text.words import count_words
from penwright.errors import Refused
from schemas.book import BookState, ClosedReport
from schemas.book_session import Rewrite
from schemas.workspace import Create, Operation

TO_BE_READ = "the new passage waits for you to read it"
_SUBJECT = 60
"""Characters of an instruction in the message of a commit."""


def close_rewrite(
    view: BookView,
    book: str,
    rewrite: Rewrite,
    passage: str,
    *,
    session: str,
    prose: str,
    now: datetime,
    human_edits: Sequence[str] = (),
    snapshot_tag: str = "",
    model: str = "",
    warnings: Sequence[str] = (),
) -> Closing:
    """Compute the close: the book, a Changelog entry, state and lock.

    Args:
        book: text of the validated book at the tip.
        passage: the text of ``rewrite.passage``.
        prose: the rewritten passage as one rework block.

    Raises:
        Refused: ``passage-changed``, ``no-rewrite``, or what ``close_book`` raises.
    """
    refuse_without_session(view, session)
    delivery = checked_delivery(prose)
    if len(delivery.reworks) != 1 or not delivery.reworks[0].text.strip():
        raise Refused("no-rewrite", "The reply rewrote no passage, or more than one. Nothing was changed.")
    new = delivery.reworks[0].text
    start = _place(book, rewrite, passage)
    text = replaced(book, (start, start + len(passage)), new, rewrite.note)
    paged = Paged(text, count_book(text))
    state = _state(view, rewrite, count_words(new) - count_words(passage))
    pace = pace_of(view.config, state, view.waiting, paged.count.words)
    said = tuple(dict.fromkeys((*without_review_lines(warnings), *view.text_warnings)))
    entry = changelog_entry(
        at=now,
        words=delivery.words,
        human_edits=human_edits,
        summary=f"Rewrote a passage of chapter {rewrite.chapter}: {rewrite.instruction}",
        tag=snapshot_tag,
        model=model,
        warnings=said,
    )
    operations = (
        *write_file(view, FULL_BOOK, text),
        Create(path=free_changelog_path(now, changelog_entries(view)), content=entry),
        *_counted(view, state, paged),
        *delete_files(view, LOCK),
    )
    report = _report(view, pace, delivery.words, paged.count.words, said)
    return Closing(report, operations, _message(rewrite), pace, said)


def _place(book: str, rewrite: Rewrite, passage: str) -> int:
    found = occurrences(book, passage)
    if len(found) != rewrite.occurrences:
        raise Refused(
            "passage-changed",
            f"The passage of chapter {rewrite.chapter} was changed while it was being rewritten; the book "
            "stays as it is.",
        )
    return found[rewrite.occurrence]


def _state(view: BookView, rewrite: Rewrite, grown: int) -> BookState:
    if rewrite.chapter != view.state.current_chapter:
        return view.state
    words = max(0, view.state.current_chapter_word_count + grown)
    return view.state.model_copy(update={"current_chapter_word_count": words})


def _counted(view: BookView, state: BookState, paged: Paged) -> tuple[Operation, ...]:
    """A count is kept only of a book whose last line has its end."""
    if paged.text.endswith("\n"):
        return write_counted_state(view, state, paged)
    return write_file(view, STATE, write_state(state, view.text(STATE)))


def _report(view: BookView, pace: Pace, words: int, total: int, warnings: tuple[str, ...]) -> ClosedReport:
    return ClosedReport(
        session_word_count=words,
        total_word_count=total,
        target_length=view.config.target_length,
        current_chapter_word_count=pace.chapter_words,
        completion_ready=False,
        expected_words_per_session=view.config.words_per_session,
        instructions_answered=1,
        instructions_open=len(view.waiting.instructions),
        warnings=warnings,
        waiting_word_count=view.waiting.words,
    )


def _message(rewrite: Rewrite) -> str:
    said = rewrite.instruction
    short = said if len(said) <= _SUBJECT else f"{said[:_SUBJECT].rstrip()}…"
    return f"Rewrite a passage of chapter {rewrite.chapter}: {short}"
