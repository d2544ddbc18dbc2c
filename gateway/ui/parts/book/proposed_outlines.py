"""Outlines that wait for a person, each with its answers."""

from gateway.desk.book import outlines
from gateway.desk.book.outlines import ProposedOutline
from gateway.desk.works.books import Book
from gateway.ui.elements.html import attribute, box, text
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import Act, action
from gateway.ui.visit import Visit


def proposed_outlines(visit: Visit, made: Frame, book: Book, proposed: tuple[ProposedOutline, ...]) -> None:
    """The text of each, and the buttons Accept and Reject."""
    for each in proposed:
        text("h2", f"Proposed outline of chapter {each.chapter}")
        attribute(text("pre", each.text, classes="lines"), "tabindex", "0")
        text("p", f"To change it first, edit {each.path} under “Write”.", classes="soft")
        with box(classes="row-of"):
            action(made, "Accept outline", _answered(visit, book, each, accept=True), icon="check")
            action(made, "Reject outline", _answered(visit, book, each, accept=False), icon="close")


def _answered(visit: Visit, book: Book, outline: ProposedOutline, *, accept: bool) -> Act:
    async def act() -> str:
        visit.require("write", f"book/{book.book_id}")
        who = visit.principal.name
        await visit.ask_engine(outlines.answer, book, outline.chapter, accept=accept, who=who)
        done = "accepted" if accept else "rejected"
        return f"the outline of chapter {outline.chapter} is {done}"

    return act
