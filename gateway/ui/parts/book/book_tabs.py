"""The pages of one book, side by side, and what opens each of them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from gateway.desk.services import Services
from gateway.desk.works import registered, works
from gateway.desk.works.books import Book
from gateway.ui import addresses
from gateway.ui.elements.html import attribute, box, link
from gateway.ui.frame import Frame, frame
from gateway.ui.live import Live, live
from gateway.ui.visit import Visit

_T = TypeVar("_T")

_PAGES = {
    "": "Book",
    "review": "Review",
    "write": "Write",
    "story": "Story",
    "history": "History",
    "provenance": "Provenance",
}


def book_tabs(book_id: str, here: str) -> None:
    """Links to the pages of a book; ``here``: the one that is shown."""
    with box("nav", label="Pages of this book"), box("ul", classes="filters"):
        for name, called in _PAGES.items():
            with box("li"):
                shown = link(called, addresses.page("books", book_id, *([name] if name else [])))
            if name == here:
                attribute(shown, "aria-current", "page")


async def book_of(visit: Visit) -> Book:
    """The book in the page's address; raises ``Refused`` for a visitor who may not read it."""
    book_id = visit.params["book_id"]
    visit.require("read", f"book/{book_id}")
    return await visit.ask(registered.book, book_id)


async def followed(visit: Visit, book: Book, read: Callable[[Services, Book], _T]) -> Live[_T]:
    """The page's content, read again after each commit."""
    return await live(
        visit,
        lambda: visit.ask(read, book),
        subject=f"book/{book.book_id}",
        mark=lambda: visit.ask(lambda _: works.refs(book)),
    )


@contextmanager
def book_frame(book: Book, here: str) -> Iterator[Frame]:
    """The frame of a page of the book, with links to its others."""
    crumbs = (("Books", addresses.page("books")), (book.title, addresses.page("books", book.book_id)))
    with frame(_PAGES[here], here="/books", crumbs=crumbs) as made:
        book_tabs(book.book_id, here)
        yield made
