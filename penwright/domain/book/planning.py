"""Outlines that a planner makes: what is to get one, and the place it goes to.

An outline is the author's as soon as a line of it is filled in; a planner replaces no such text. Of the
book's own outline the premise is always the author's, and stays in the planner's word for word.
"""

import re
from dataclasses import dataclass, replace

from penwright.domain.book.changes import delete_files, write_file
from penwright.domain.book.files.layout import (
    CHARACTERS,
    LORE,
    OUTLINE,
    WHOLE_BOOK,
    outline_path,
    outlined,
    proposed_path,
)
from penwright.domain.book.files.unfilled import filled_in
from penwright.domain.book.opening import at_chapter
from penwright.domain.book.session_warnings import outline_proposed
from penwright.domain.book.view import BookView
from penwright.errors import Refused
from schemas.book import SessionPayload
from schemas.workspace import Create, Modify, Operation, TextFile

_NEARLY_FULL = 80
"""Percent of its length from which a chapter's successor is planned."""
_PREMISE = re.compile(r"#{1,6}[ \t]+\W*(?:premis|prämisse|prémisse|前提|梗概)", re.IGNORECASE)
_HEADING = re.compile(r"#{1,6}[ \t]")
_TITLE = re.compile(r"# .*$", re.MULTILINE)


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
    """Return what an outline is proposed for and has none: the book, chapters from the current one on."""
    last = max(view.config.chapter_count, view.state.current_chapter)
    numbers = (WHOLE_BOOK, *range(view.state.current_chapter, last + 1))
    return tuple(each for each in numbers if proposed_path(each) in view.files and lacks_outline(view, each))


def outlines_to_plan(view: BookView, chapters: int, *, premise: bool) -> tuple[int, ...]:
    """Return what a person's wish for outlines of the next ``chapters`` chapters comes to.

    The book comes first if it has no outline. What has one, or a proposal that waits, is left out.

    Args:
        premise: a premise comes with the wish.

    Raises:
        Refused: ``sealed``; ``outline-written``, ``premise-written`` or ``outline-proposed``: the premise is
            for a book that has none; ``no-premise``: there is nothing to plan from.
    """
    book = view.state.book_id or "BOOK"
    if view.sealed:
        hint = "`penwright help book` says how a sealed book is written on"
        raise Refused("sealed", "the book is sealed; nothing is planned in it", hint=hint)
    if premise:
        _refuse_premise(view, book)
    elif not _tells_anything(view):
        raise Refused(
            "no-premise",
            f"there is nothing to plan from: {OUTLINE!r} is not filled in, and the book has no prose",
            hint=f'`penwright book plan {book} --premise "Who wants what, and what stands in the way"`',
        )
    current = view.state.current_chapter
    first = current if lacks_outline(view, current) else current + 1
    following = range(first, min(first + chapters, view.config.chapter_count + 1))
    wanted = (WHOLE_BOOK, *following)
    return tuple(
        each for each in wanted if lacks_outline(view, each) and proposed_path(each) not in view.blobs
    )


def _refuse_premise(view: BookView, book: str) -> None:
    plan = f"`penwright book plan {book} --chapters 3`"
    if not lacks_outline(view, WHOLE_BOOK):
        message = f"{OUTLINE!r} is written already, and it is what chapters are planned from"
        raise Refused("outline-written", message, hint=f"{plan} plans from it")
    if premise_of(view.text(OUTLINE)):
        message = f"a premise stands in {OUTLINE!r} already"
        raise Refused("premise-written", message, hint=f"edit it there; {plan} plans from it")
    if proposed_path(WHOLE_BOOK) in view.blobs:
        message = "an outline of the book is proposed already"
        raise Refused("outline-proposed", message, hint=f"`penwright book plan {book} --reject` takes it out")


def _tells_anything(view: BookView) -> bool:
    """Whether the author's material or the prose says what the book is about."""
    material = (OUTLINE, CHARACTERS, LORE, proposed_path(WHOLE_BOOK))
    return bool(
        view.counted.words
        or view.waiting.words
        or any(_says_something(filled_in(view.text(path))) for path in material)
    )


def plan_outline(view: BookView, number: int, outline: str, *, premise: str = "") -> OutlinePlan:
    """Put a planner's outline where the book's settings say.

    Args:
        number: of the chapter, or ``WHOLE_BOOK``.
        premise: what a person gave as the premise of the whole book.
    """
    named = outlined(number)
    if not lacks_outline(view, number):
        written = f"{named} has an outline by now; that of the planner was not used"
        return OutlinePlan(warning=written)
    if number == WHOLE_BOOK:
        outline = _with_premise(view, outline, premise)
    if view.config.planning == "auto":
        path = outline_path(number)
        operations = (*write_file(view, path, outline), *delete_files(view, proposed_path(number)))
        return OutlinePlan(path, "", operations, f"Plan {named}")
    path = proposed_path(number)
    return OutlinePlan(
        path,
        outline_proposed(view.state.book_id or "BOOK", named),
        write_file(view, path, outline),
        f"Propose an outline of {named}",
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
    """Whether there is no outline, or one with nothing but the open places of its template.

    That of ``WHOLE_BOOK`` may hold a premise.
    """
    path = outline_path(number)
    if path in view.unreadable:
        return False
    filled = filled_in(view.text(path))
    return not _says_something(_apart(filled)[1]) if number == WHOLE_BOOK else not filled.strip()


def premise_of(outline: str) -> str:
    """Return what stands under the heading *Premise* of a book's outline."""
    return _apart(filled_in(outline))[0].strip()


def _apart(outline: str) -> tuple[str, str]:
    """The premise, and all else."""
    premise, others, inside = list[str](), list[str](), False
    for line in outline.splitlines():
        if _HEADING.match(line):
            inside = _PREMISE.match(line) is not None
            others.append(line)
        else:
            (premise if inside else others).append(line)
    return "\n".join(premise), "\n".join(others)


def _says_something(text: str) -> bool:
    """Whether there is more than headings."""
    return any(line.strip() and not _HEADING.match(line) for line in text.splitlines())


def _with_premise(view: BookView, outline: str, given: str) -> str:
    """The planner's outline of the book under the author's title and premise."""
    there = view.text(OUTLINE)
    title = _TITLE.search(there)
    premise = premise_of(there) or given.strip()
    parts = (
        title[0] if title else "# Outline",
        f"## Premise\n\n{premise}" if premise else "",
        outline.strip(),
    )
    return "\n\n".join(filter(None, parts)) + "\n"
