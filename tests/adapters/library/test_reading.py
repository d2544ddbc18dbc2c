"""Files of strangers: their text by page, or an error that says what to do."""

from io import BytesIO

import pytest
from pypdf import PdfReader, PdfWriter

from penwright.adapters.documents import PandocDocuments
from penwright.adapters.documents.processes import Bounds
from penwright.adapters.library import SourceReader, pdf_pages
from penwright.domain.library.passages import passages_of
from penwright.errors import PenwrightError
from schemas.scholarly import Author
from tests.support.books.word_documents import docx, paragraph, run
from tests.support.library import TIDES, paper_pdf

READER = SourceReader(PandocDocuments())


@pytest.fixture(scope="module")
def tides() -> bytes:
    return paper_pdf(TIDES, doi="10.5555/tides.7")


def test_a_pdf_is_read_page_by_page_with_what_it_says_of_itself(tides: bytes) -> None:
    read = READER.read("tides.pdf", tides)
    assert read.paged
    assert read.headings == ("Introduction", "Methods", "Results", "Discussion", "References")
    assert read.work.title == "Tides and the sleep of divers"
    assert read.work.authors == (Author(family="Marsh", given="Ann"), Author(family="Li", given="Bo"))
    assert read.work.doi == "10.5555/tides.7"
    passages = passages_of(read, "tides.pdf")
    (slept,) = (each for each in passages if "47 minutes less" in each.text)
    assert slept.section == "Results"
    assert slept.page is not None
    assert "47 minutes less" in read.pages[slept.page - 1].text.replace("\n", " ")
    whole = " ".join(each.text for each in passages)
    assert "Journal of Tides" not in whole
    assert "Interobserver agreement" in whole
    assert [each.text for each in passages if "lamprey" in each.text and not each.is_reference_list] == []


def test_documents_and_texts_are_read_as_sections() -> None:
    page = b"<html><head><title>Oil</title></head><body><h1>Price</h1><p>Oil was dear.</p></body></html>"
    word = docx(paragraph(run("Oil was dear.")))
    text = "# Price\r\n\r\nOil was dear, said J\xe9rome.".encode("cp1252")
    assert [each.text for each in passages_of(READER.read("oil.html", page), "oil.html")] == ["Oil was dear."]
    assert [each.text for each in passages_of(READER.read("oil.docx", word), "oil.docx")] == ["Oil was dear."]
    (found,) = passages_of(READER.read("oil.md", text), "oil.md")
    assert (found.section, found.text, found.page) == ("Price", "Oil was dear, said Jérome.", None)


def test_each_file_that_cannot_be_read_gives_an_error_with_a_next_step(tides: bytes) -> None:
    found = {
        "locked.pdf": ("document-encrypted", _locked(tides)),
        "half.pdf": ("document-broken", tides[: len(tides) // 3]),
        "page.pdf": ("document-broken", b"<html>not a PDF</html>"),
        "scan.pdf": ("source-without-text", _without_words()),
        "large.pdf": ("document-too-large", b"%PDF-" + bytes(21 * 1024 * 1024)),
        "nul.txt": ("document-broken", b"a\0b"),
        "old.doc": ("unknown-format", b"x"),
        "blank.md": ("source-without-text", b"\n\n"),
    }
    for name, (code, content) in found.items():
        with pytest.raises(PenwrightError) as refused:
            READER.read(name, content)
        assert (refused.value.code, name in refused.value.message) == (code, True)
        assert refused.value.details["hint"]


def test_a_pdf_without_a_password_to_open_it_is_read_although_it_is_encrypted(tides: bytes) -> None:
    assert READER.read("tides.pdf", _locked(tides, "")).pages == READER.read("tides.pdf", tides).pages


def test_a_pdf_that_takes_too_long_is_stopped(tides: bytes) -> None:
    hasty = SourceReader(PandocDocuments(), Bounds(time_s=0.05))
    with pytest.raises(PenwrightError) as refused:
        hasty.read("tides.pdf", tides)
    assert refused.value.code == "document-too-slow"


def test_a_page_that_the_first_reader_cannot_read_is_read_by_the_second(
    tides: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = PdfReader(BytesIO(tides)).pages[0]
    for unusable in (
        "",
        "(cid:31)(cid:4)(cid:12)(cid:9)",
        "Diversonthenortherncoasthavelongsaidthattheysleepbadly",
    ):
        monkeypatch.setattr(type(page), "extract_text", lambda _, unusable=unusable: unusable)
        assert "Divers on the northern coast" in " ".join(pdf_pages.text_of(tides, 0, page).split())


def _locked(content: bytes, password: str = "tide") -> bytes:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(content)))
    writer.encrypt(password, "owner", algorithm="AES-256")
    return _written(writer)


def _without_words() -> bytes:
    writer = PdfWriter()
    writer.add_blank_page(200, 200)
    return _written(writer)


def _written(writer: PdfWriter) -> bytes:
    made = BytesIO()
    writer.write(made)
    return made.getvalue()
