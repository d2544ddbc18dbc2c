"""Outlines that wait for a person, each with its answers."""

from gateway.desk.book import outlines
from gateway.desk.book.outlines import ProposedOutline
from gateway.desk.works.books import Book
from gateway.ui import addresses
from gateway.ui.elements.html import attribute, box, link, text
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import Act, action
from gateway.ui.visit import Visit


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
