"""What a conversion could not keep, and the check of a text against the document's own words."""

import pytest

from penwright.adapters.documents import PandocDocuments, adapter
from penwright.domain.text.completeness import words_missing
from schemas.documents import BookDocument, ReadDocument, SourceDocument, SourceFormat
from tests.support.books.word_documents import deleted, docx, inserted, paragraph, reviewed, run

DOCUMENTS = PandocDocuments()
_PAGE = b"<html><title>Tide</title><body><p>He <b>wait</b>ed &amp; sang.</p><!-- no --></body></html>"


@pytest.mark.parametrize("changes", ["accept", "reject", "review"])
def test_no_word_of_a_reviewed_docx_is_missing(changes: str) -> None:
    document = SourceDocument.model_validate({"format": "docx", "content": reviewed()[0], "changes": changes})

    assert DOCUMENTS.read(document).words_missing == ()


def test_no_word_of_a_page_or_an_epub_of_ours_is_missing() -> None:
    book = BookDocument(
        markdown="# Ebb\n\nHe *waits*.[^1]\n\n[^1]: Long.\n\n- a_b\n", title="Tide", author="M. Orr"
    )
    epub = DOCUMENTS.write(book, "epub").content

    page, read = (
        DOCUMENTS.read(SourceDocument(format=form, content=content))
        for form, content in (("html", _PAGE), ("epub", epub))
    )

    assert (page.words_missing, read.words_missing) == ((), ())
    assert page.left_out == ("comments left out: 1",)


@pytest.mark.parametrize(
    ("form", "content"), [("html", _PAGE), ("docx", docx([paragraph(run("He waited & sang."))]))]
)
def test_words_that_the_converter_lost_are_counted(
    monkeypatch: pytest.MonkeyPatch, form: SourceFormat, content: bytes
) -> None:
    monkeypatch.setattr(adapter, "_read", lambda _: ReadDocument(markdown="He sang.\n"))

    read = DOCUMENTS.read(SourceDocument(format=form, content=content))

    assert read.words_missing == ("waited",)
    assert "words of the document that are not in the text: 1, such as waited" in read.left_out


def test_what_is_deleted_is_not_missed_and_what_is_inserted_not_if_it_is_rejected() -> None:
    content = docx([paragraph(run("He "), deleted("waits", "Anna"), inserted("sings", "Anna"), run("."))])

    for changes in ("accept", "reject"):
        document = SourceDocument.model_validate({"format": "docx", "content": content, "changes": changes})
        assert DOCUMENTS.read(document).words_missing == ()


@pytest.mark.parametrize(
    ("source", "text", "missing"),
    [
        ("the end the end", "the end the", ("end",)),
        ("snake_case [x]", "snake\\_case \\[x\\]", ()),
        ("unbelievable", "un*believ*able", ()),
        ("wellknown", "well\u2011known", ()),
        ("他等 ebb", "ebb", ("他等",)),
    ],
)
def test_words_are_missing_as_often_as_they_are_gone(
    source: str, text: str, missing: tuple[str, ...]
) -> None:
    assert words_missing(source, text) == missing
