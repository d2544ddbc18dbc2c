"""Duties of every converter of documents."""

import pytest

from penwright.adapters.documents import PandocDocuments
from penwright.errors import UsageMistake
from penwright.ports.documents import Documents
from schemas.documents import BookDocument, SourceDocument, SourceFormat, TargetFormat

BOOK = BookDocument(
    markdown="## Chapter 1\n\nHe *waits* at the pier.\n\n## Chapter 2\n\nShe comes.\n",
    title="Low Tide",
    author="M. Orr",
    language="en-GB",
    top_level=2,
    identifier="urn:penwright:tide-4f2a",
    written_at=1_700_000_000,
)
SOURCES: tuple[SourceFormat, ...] = ("docx", "epub", "html")
TARGETS: tuple[TargetFormat, ...] = ("docx", "epub", "html", "pdf")


@pytest.fixture
def documents() -> Documents:
    return PandocDocuments()


@pytest.mark.parametrize("format", SOURCES)
def test_a_book_that_was_written_can_be_read(documents: Documents, format: SourceFormat) -> None:
    read = documents.read(SourceDocument(format=format, content=documents.write(BOOK, format).content))

    headings = [line.lstrip("# ") for line in read.markdown.split("\n") if line.startswith("#")]
    assert (read.title, read.author) == ("Low Tide", "M. Orr")
    assert [heading for heading in headings if heading.startswith("Chapter")] == ["Chapter 1", "Chapter 2"]
    assert "He *waits* at the pier." in read.markdown


@pytest.mark.parametrize("format", TARGETS)
def test_the_same_book_gives_the_same_file(documents: Documents, format: TargetFormat) -> None:
    assert documents.write(BOOK, format) == documents.write(BOOK, format)


@pytest.mark.parametrize("format", ["docx", "epub"])
def test_what_is_no_document_is_named(documents: Documents, format: SourceFormat) -> None:
    with pytest.raises(UsageMistake) as refused:
        documents.read(SourceDocument(format=format, content=b"He waits."))

    assert refused.value.code == "document-broken"
    assert refused.value.details["hint"]
