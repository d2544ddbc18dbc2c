"""The pages of one book, side by side."""

from gateway.ui import addresses
from gateway.ui.elements.html import attribute, box, link

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
