"""Outlines that a planner makes: the chapter that is to get one, and the place it goes to.

A chapter's outline is the author's as soon as a line of it is filled in; a planner replaces no such text.
"""

from dataclasses import dataclass, replace

from penwright.domain.book.changes import write_file
from penwright.domain.book.files.layout import chapter_path, proposed_path
from penwright.domain.book.files.unfilled import filled_in
from penwright.domain.book.opening import at_chapter
from penwright.domain.book.session_warnings import outline_proposed
from penwright.domain.book.view import BookView
from schemas.book import SessionPayload
from schemas.workspace import Create, Modify, Operation, TextFile

_NEARLY_FULL = 80
"""Percent of its length from which a chapter's successor is planned."""


@dataclass(frozen=True, slots=True)
class OutlinePlan:
    """One outline for the book, and the operations that put it there."""

    path: str = ""
    """Empty if nothing is to be changed."""
    warning: str = ""
    """A notice for the author."""
    operations: tuple[Operation, ...] = ()
    message: str = ""
    """Of the commit."""


def chapter_to_plan(view: BookView) -> int:
    """Return the number of the chapter that is to get an outline now, or 0.

    With ``planning: auto`` the current chapter comes first; the next one as soon as the current one is nearly
    full, or the next session fills it.
    """
    pace, chapter, planning = view.pace, view.state.current_chapter, view.config.planning
    if planning == "off" or view.sealed:
        return 0
    if planning == "auto" and lacks_outline(view, chapter):
        return chapter
    nearly_full = pace.chapter_words * 100 >= pace.chapter_length * _NEARLY_FULL
    if pace.in_last_chapter or not (nearly_full or pace.is_last_of_chapter):
        return 0
    waits = planning == "propose" and proposed_path(chapter + 1) in view.blobs
    return chapter + 1 if not waits and lacks_outline(view, chapter + 1) else 0


def proposed_chapters(view: BookView) -> tuple[int, ...]:
    """Return the chapters, from the current one on, for which an outline is proposed and none is there."""
    last = max(view.config.chapter_count, view.state.current_chapter)
    numbers = range(view.state.current_chapter, last + 1)
    return tuple(each for each in numbers if proposed_path(each) in view.files and lacks_outline(view, each))


def plan_outline(view: BookView, number: int, outline: str) -> OutlinePlan:
    """Put a planner's outline of a chapter where the book's settings say."""
    if not lacks_outline(view, number):
        written = f"chapter {number} has an outline by now; that of the planner was not used"
        return OutlinePlan(warning=written)
    if view.config.planning == "auto":
        path = chapter_path(number)
        return OutlinePlan(path, "", write_file(view, path, outline), f"Plan chapter {number}")
    path = proposed_path(number)
    return OutlinePlan(
        path,
        outline_proposed(view.state.book_id or "BOOK", number),
        write_file(view, path, outline),
        f"Propose an outline of chapter {number}",
    )


def with_outline(payload: SessionPayload, view: BookView, plan: OutlinePlan) -> SessionPayload:
    """The session's payload once the operations of ``plan`` are done."""
    written = {
        each.path: TextFile(path=each.path, blob="", text=each.content)
        for each in plan.operations
        if isinstance(each, Create | Modify)
    }
    return at_chapter(payload, replace(view, files={**view.files, **written}))


def lacks_outline(view: BookView, number: int) -> bool:
    """Whether a chapter has no outline, or one with nothing but the open places of its template."""
    path = chapter_path(number)
    return path not in view.unreadable and not filled_in(view.text(path)).strip()
