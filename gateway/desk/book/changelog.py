"""The Changelog entry of a book's last session."""

from gateway.desk.services import Services
from gateway.desk.works.books import Book
from penwright.domain.book.files.changelog import newest_entry
from penwright.domain.book.files.layout import CHANGELOG_FOLDER


def last_entry(services: Services, book: Book) -> str:
    """The text of the entry; empty before the first session."""
    workspaces = services.workspaces()
    names = workspaces.snapshot(book.workspace, (), names=(f"{CHANGELOG_FOLDER}/*.md",)).names
    newest = newest_entry(names)
    return workspaces.text(book.workspace, names[newest]) or "" if newest else ""
