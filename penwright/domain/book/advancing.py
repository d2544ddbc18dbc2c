"""Advance a book to its next chapter."""

from dataclasses import dataclass

from penwright.domain.book.changes import write_file
from penwright.domain.book.chapters import words_to_advance
from penwright.domain.book.files.layout import README, STATE, chapter_path
from penwright.domain.book.files.readme import update_readme
from penwright.domain.book.files.yaml_files import write_state
from penwright.domain.book.view import BookView
from penwright.errors import Refused
from schemas.book import AdvanceReport, ChapterOutline, Chapters, SessionPayload
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
        raise Refused("book-sealed", "The book is complete; delete COMPLETE to write on.")
    return _not_yet(view) or _advanced(view)


def _not_yet(view: BookView) -> Advancing | None:
    chapter, words = view.state.current_chapter, view.state.current_chapter_word_count
    if chapter >= view.config.chapter_count:
        return Advancing(
            AdvanceReport(status="error", message=f"Chapter {chapter} is the last one; keep writing it.")
        )
    if words < words_to_advance(view.config):
        report = AdvanceReport(
            status="chapter_not_ready",
            message=f"Chapter {chapter} has {words} words; it needs {words_to_advance(view.config)}.",
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
    chapter = view.state.current_chapter + 1
    state = view.state.model_copy(
        update={
            "current_chapter": chapter,
            "current_chapter_word_count": 0,
            # The waiting prose belongs to the chapter that ends now.
            "review_chapter": view.review_chapter,
        }
    )
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


def advanced_payload(payload: SessionPayload, report: AdvanceReport) -> SessionPayload:
    """The session's payload with the new outline in it; unchanged unless the chapter moved."""
    if report.status != "advanced" or report.new_chapter is None or report.chapter_file is None:
        return payload
    current = ChapterOutline(
        path=report.chapter_file,
        content=report.chapter_content or "",
        modified_today=report.chapter_file in payload.edited_today,
    )
    return payload.model_copy(
        update={
            "config": payload.config.model_copy(update={"current_chapter": report.new_chapter}),
            "chapters": Chapters(current=current),
            "chapter_close_suggested": False,
            "current_chapter_word_count": 0,
            "chapter_progress_pct": 0,
        }
    )
