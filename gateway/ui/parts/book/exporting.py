"""A book as a document, in every format."""

from gateway.desk.book.exports import ExportFormat
from gateway.ui import addresses
from gateway.ui.elements.html import box, document, text

_FORMATS: dict[ExportFormat, str] = {
    "epub": "EPUB",
    "pdf": "PDF",
    "docx": "Word",
    "html": "HTML",
    "markdown": "Markdown",
    "text": "plain text",
}


def exporting(book_id: str) -> None:
    """Links that save the book at its last commit, with the prose that waits for review."""
    with box("nav", label="Export"):
        text("h2", "Export")
        with box("ul", classes="filters"):
            for format, called in _FORMATS.items():
                with box("li"):
                    document(called, addresses.export(book_id, format))
            with box("li"):
                document(
                    "HTML, signed, with who wrote what", addresses.export(book_id, "html", evidence="true")
                )
        text("p", "As of the last commit, with the prose that waits for review.", classes="soft")
