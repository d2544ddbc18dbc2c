"""The chapters of a book, and the outlines that wait for a person."""

import re
from collections.abc import Sequence

from gateway.desk.book import outlines
from gateway.desk.book.outlines import ProposedOutline
from gateway.desk.works.books import Book
from gateway.ui import addresses
from gateway.ui.elements.html import attribute, box, link, text
from gateway.ui.elements.states import state
from gateway.ui.elements.tables import Column, table
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import Act, action
from gateway.ui.visit import Visit
from penwright.domain.book.chapters import ChapterLine

_PLANNED = 2
"""Chapters without an outline that are shown."""


def chapters(lines: Sequence[ChapterLine]) -> None:
    """One row for each chapter: words, target and state."""

    def stands(line: ChapterLine) -> None:
        state(line.state)

    columns: tuple[Column[ChapterLine], ...] = (
        Column("Chapter", lambda line: _called(line)),
        Column("State", stands),
        Column("Words", lambda line: f"{line.words:,}", number=True),
        Column("Target", lambda line: f"{line.target:,}", number=True),
    )
    planned = [line for line in lines if line.state == "planned"]
    shown = [line for line in lines if line.state != "planned"] + planned[:_PLANNED]
    table(columns, shown, caption="Chapters")
    if more := len(lines) - len(shown):
        text("p", f"{more} more are planned.", classes="soft")


def _called(line: ChapterLine) -> str:
    is_numbered = re.search(rf"(?<!\d){line.number}(?!\d)", line.title)
    return line.title if is_numbered else f"{line.number}. {line.title}"


def proposed_outlines(visit: Visit, made: Frame, book: Book, proposed: tuple[ProposedOutline, ...]) -> None:
    """The text of each, or what it changes, and the ways to answer it."""
    for each in proposed:
        text("h2", f"Proposed outline of {each.of}")
        attribute(text("pre", each.diff or each.text, classes="lines"), "tabindex", "0")
        with box(classes="row-of"):
            action(made, "Accept outline", _answered(visit, book, each, accept=True), icon="check")
            action(made, "Reject outline", _answered(visit, book, each, accept=False), icon="close")
            link("Edit", addresses.page("books", str(book.book_id), "write", path=each.path))


def _answered(visit: Visit, book: Book, outline: ProposedOutline, *, accept: bool) -> Act:
    async def act() -> str:
        visit.require("write", f"book/{book.book_id}")
        who = visit.principal.name
        await visit.ask_engine(outlines.answer, book, outline.chapter, accept=accept, who=who)
        done = "accepted" if accept else "rejected"
        return f"the outline of {outline.of} is {done}"

    return act
