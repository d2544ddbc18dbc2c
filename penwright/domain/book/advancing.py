"""Advance a book to its next chapter."""

from dataclasses import dataclass, replace

from penwright.domain.book.changes import write_file
from penwright.domain.book.files.layout import README, STATE, chapter_path
from penwright.domain.book.files.readme import update_readme
from penwright.domain.book.files.yaml_files import write_state
from penwright.domain.book.opening import at_chapter
from penwright.domain.book.pace import words_to_advance
from penwright.domain.book.refusal_steps import TO_WRITE_ON
from penwright.domain.book.view import BookView
from penwright.errors import Refused
from schemas.book import AdvanceReport, BookState, SessionPayload
from schemas.workspace import Operation


@dataclass(frozen=True, slots=True)
class Advancing:
    """The report; ``operations`` is empty unless the chapter moved."""

    report: AdvanceReport
    operations: tuple[Operation, ...] = ()
    message: str = ""


def advance_chapter(view: BookView) -> Advancing:
    """Advance, unless this is the last chapter, it has too few words, or the next outline is missing.

    Raises:
        Refused: ``book-sealed``.
    """
    if view.sealed:
        raise Refused("book-sealed", f"The book is complete; {TO_WRITE_ON}.")
    return _not_yet(view) or _advanced(view)


def _not_yet(view: BookView) -> Advancing | None:
    chapter, words = view.state.current_chapter, view.pace.chapter_words
    if view.pace.in_last_chapter:
        return Advancing(
            AdvanceReport(status="error", message=f"Chapter {chapter} is the last one; keep writing it.")
        )
    if not view.pace.chapter_is_full:
        report = AdvanceReport(
            status="chapter_not_ready",
            message=f"Chapter {chapter} has {view.length(words)}; it needs {words_to_advance(view.config)}.",
            unit=view.unit,
            current_word_count=words,
            target_word_count=view.config.words_per_chapter,
            min_words_to_advance=words_to_advance(view.config),
        )
        return Advancing(report)
    path = chapter_path(chapter + 1)
    if path in view.files:
        return None
    message = f"The outline {path!r} is missing; write it, then advance again."
    report = AdvanceReport(
        status="needs_chapter_outline", message=message, chapter=chapter + 1, chapter_file=path
    )
    return Advancing(report)


def _advanced(view: BookView) -> Advancing:
    state = _next_chapter(view)
    chapter = state.current_chapter
    operations = write_file(view, STATE, write_state(state, view.text(STATE)))
    if README in view.files:
        readme = update_readme(view.text(README), view.outlines(), current=chapter)
        operations = (*operations, *write_file(view, README, readme))
    path = chapter_path(chapter)
    report = AdvanceReport(
        status="advanced",
        message=f"The book is in chapter {chapter} now.",
        new_chapter=chapter,
        chapter_file=path,
        chapter_content=view.text(path),
    )
    return Advancing(report, operations, f"Advance to chapter {chapter}")


def _next_chapter(view: BookView) -> BookState:
    return view.state.model_copy(
        update={
            "current_chapter": view.state.current_chapter + 1,
            "beats_told": None,
            "current_chapter_word_count": 0,
            # The waiting prose belongs to the chapter that ends now.
            "review_chapter": view.review_chapter,
        }
    )


def advanced_payload(payload: SessionPayload, view: BookView) -> SessionPayload:
    """The session's payload in the chapter after that of ``view``."""
    return at_chapter(payload, replace(view, state=_next_chapter(view)))
