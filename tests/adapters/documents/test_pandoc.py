"""Pandoc and typst: what a book looks like, and what hostile documents get."""

import io
import re
import sys
import threading
import time
import zipfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import pytest

from penwright.adapters.documents import PandocDocuments, adapter, archives, typesetting
from penwright.adapters.documents.processes import Bounds, run
from penwright.errors import PenwrightError, WorkspaceBusy
from schemas.documents import BookDocument, SourceDocument
from tests.adapters.documents.test_contract import BOOK
from tests.support.each import for_each

DOCUMENTS = PandocDocuments()
_WORD = (
    '<?xml version="1.0"?>{doctype}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
    "<w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>"
)


def _docx(text: str = "He waits.", doctype: str = "", more: Mapping[str, bytes] | None = None) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr(
            "[Content_Types].xml",
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        )
        made.writestr(
            "_rels/.rels",
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
            '<Relationship Id="r1" Target="word/document.xml" '
            'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/>'
            "</Relationships>",
        )
        made.writestr("word/document.xml", _WORD.format(text=text, doctype=doctype))
        for name, content in (more or {}).items():
            made.writestr(name, content)
    return packed.getvalue()


def _code(content: bytes, format: str = "docx", documents: PandocDocuments = DOCUMENTS) -> str:
    with pytest.raises(PenwrightError) as refused:
        documents.read(SourceDocument.model_validate({"format": format, "content": content}))
    assert refused.value.details["hint"]
    return refused.value.code


@pytest.fixture
def asked() -> Iterator[tuple[str, list[str]]]:
    """The address of a web server, and the paths that it was asked for."""
    paths: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            paths.append(self.path)
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}", paths
        server.shutdown()
        thread.join()


@for_each("form, place", [("epub", "EPUB/content.opf"), ("docx", "docProps/core.xml")])
def test_a_document_is_dated_by_its_commit(form: Literal["epub", "docx"], place: str) -> None:
    book = BOOK.model_copy(update={"written_at": 1_764_460_800})

    made = DOCUMENTS.write(book, form).content

    with zipfile.ZipFile(io.BytesIO(made)) as packed:
        told = packed.read(place).decode()
        first = packed.infolist()[0]
    assert "2025-11-30T00:00:00Z" in told
    assert "1970" not in told
    assert made == DOCUMENTS.write(book, form).content
    assert form == "docx" or (first.filename, first.compress_type) == ("mimetype", zipfile.ZIP_STORED)


def test_an_epub_names_title_author_language_and_chapters() -> None:
    with zipfile.ZipFile(io.BytesIO(DOCUMENTS.write(BOOK, "epub").content)) as epub:
        package = epub.read("EPUB/content.opf").decode()
        contents = epub.read("EPUB/nav.xhtml").decode()

    assert ">Low Tide<" in package
    assert ">M. Orr<" in package
    assert ">en-GB<" in package
    assert "urn:penwright:tide-4f2a" in package
    assert [name in contents for name in ("Chapter 1", "Chapter 2")] == [True, True]


@for_each("language, heading", [("de-AT", "Inhaltsverzeichnis"), ("", "Table of Contents")])
def test_a_word_file_names_its_contents_in_the_language_of_the_book(language: str, heading: str) -> None:
    book = BOOK.model_copy(update={"language": language, "contents": True})

    packed = zipfile.ZipFile(io.BytesIO(DOCUMENTS.write(book, "docx").content))

    assert f">{heading}<" in packed.read("word/document.xml").decode()


@for_each("language, heading", [("de-AT", "Inhaltsverzeichnis"), ("", "Table of Contents")])
def test_an_epub_names_its_landmarks_in_the_language_of_the_book(language: str, heading: str) -> None:
    book = BOOK.model_copy(update={"language": language, "contents": True, "title": "Ebb & Flut"})

    with zipfile.ZipFile(io.BytesIO(DOCUMENTS.write(book, "epub").content)) as epub:
        landmarks = epub.read("EPUB/nav.xhtml").decode().partition('epub:type="landmarks"')[2]

        assert [epub.testzip(), epub.infolist()[0].filename, epub.infolist()[0].compress_type] == [
            None,
            "mimetype",
            zipfile.ZIP_STORED,
        ]
    assert f'epub:type="toc">{heading}</a>' in landmarks
    assert 'epub:type="titlepage">Ebb &amp; Flut</a>' in landmarks


def test_html_has_a_list_of_contents_only_if_it_is_wanted() -> None:
    with_list = DOCUMENTS.write(BOOK, "html").content.decode()
    without = DOCUMENTS.write(BOOK.model_copy(update={"contents": False}), "html").content.decode()

    assert '<nav id="TOC"' in with_list
    assert '<nav id="TOC"' not in without
    assert 'lang="en-GB"' in without
    assert '<h1 id="chapter-1">Chapter 1</h1>' in without


def test_a_pdf_is_set() -> None:
    assert DOCUMENTS.write(BOOK, "pdf").content.startswith(b"%PDF-")


def test_words_stay_where_html_and_code_of_other_formats_go(asked: tuple[str, list[str]]) -> None:
    address, paths = asked
    text = (
        f"a <b>bold</b> word, <The Ship> and <!-- a note -->\n\n<div>\ninside\n</div>\n\n"
        f'![a picture]({address}/x.png) \\newpage $x$ `code`{{=typst}}\n\n#image("{address}/y.png")\n'
    )
    book = BookDocument(markdown=text, title="T", contents=False)

    page = DOCUMENTS.write(book, "html").content.decode()
    DOCUMENTS.write(book, "epub")
    DOCUMENTS.write(book, "pdf")

    assert "<p>a bold word, &lt;The Ship&gt; and </p>" in page
    assert "inside" in page
    assert "a note" not in page
    assert "<img" not in page
    assert paths == []


def test_nothing_is_fetched_for_a_page(asked: tuple[str, list[str]], tmp_path: Path) -> None:
    address, paths = asked
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret")
    page = (
        f'<html><head><link rel="stylesheet" href="{address}/a.css"><base href="{address}/"></head><body>'
        f'<img src="{address}/b.png"><iframe src="{address}/c"></iframe><iframe src="file://{secret}"></iframe>'
        f'<object data="{secret}"></object><script src="{address}/d.js">evil()</script><p>He waits.</p>'
    )

    read = DOCUMENTS.read(SourceDocument(format="html", content=page.encode()))

    assert "He waits." in read.markdown
    assert "the secret" not in read.markdown
    assert read.pictures == 1
    assert paths == []


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "windows-1252"])
def test_a_page_is_read_in_the_encoding_that_it_names(encoding: str) -> None:
    page = f'<meta charset="{encoding}"><p>Ein Bär.</p>'.encode(encoding)

    assert "Ein Bär." in DOCUMENTS.read(SourceDocument(format="html", content=page)).markdown


def test_a_page_in_no_known_encoding_is_named() -> None:
    assert _code(b"<p>B\xe4r</p>", "html") == "source-not-utf8"


def test_an_entity_is_refused_in_any_encoding() -> None:
    doctype = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'

    assert _code(_docx("&e;", doctype)) == "document-unsafe"
    assert _code(_docx(more={"word/a.xml": doctype.encode("utf-16")})) == "document-unsafe"


def test_a_zip_bomb_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_BYTES", 1024 * 1024)

    assert _code(_docx("x" * 4_000_000)) == "document-too-large"
    assert (
        _code(_docx(more={f"a{number}.xml": b"x" * 200_000 for number in range(8)})) == "document-too-large"
    )


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_bomb_that_unpacks_at_once_is_not_unpacked(packing: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_BYTES", 1024 * 1024)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", packing) as made:
        made.writestr("word/document.xml", b"\0" * 4_000_000)

    assert _code(packed.getvalue()) == "document-broken"


def test_a_bomb_outside_of_the_text_is_not_unpacked() -> None:
    read = DOCUMENTS.read(
        SourceDocument(format="docx", content=_docx(more={"word/bomb.bin": b"\0" * 50_000_000}))
    )

    assert read.markdown.strip() == "He waits."


def test_too_many_files_and_a_huge_file_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_FILES", 10)
    assert _code(_docx(more={f"a{number}.xml": b"" for number in range(20)})) == "document-too-large"

    monkeypatch.setattr(adapter, "MOST_BYTES", 100)
    assert _code(_docx()) == "document-too-large"


def test_a_document_with_a_password_is_named() -> None:
    locked = bytearray(_docx())
    for head, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        for place in [found.start() for found in re.finditer(head, locked)]:
            locked[place + flags] |= 1

    assert _code(bytes(locked)) == "document-encrypted"


def test_a_document_that_is_cut_off_is_broken() -> None:
    whole = _docx()

    assert _code(whole[:-30]) == "document-broken"
    assert _code(whole[: len(whole) // 2]) == "document-broken"
    assert _code(b"PK\x03\x04") == "document-broken"


@for_each("place", range(-90, -1))
def test_a_document_with_a_damaged_list_of_files_is_broken(place: int) -> None:
    damaged = bytearray(_docx(more={"bär.xml": b""}))
    damaged[place] = 0xFE

    with suppress(PenwrightError):
        archives.checked_archive(bytes(damaged))


def test_time_and_memory_are_bounded() -> None:
    nested = "<b>" * 300_000 + "He waits."

    assert _code(nested.encode(), "html", PandocDocuments(Bounds(memory_mb=48))) == "document-too-large"
    assert _code(nested.encode(), "html", PandocDocuments(Bounds(time_s=0.05))) == "document-too-slow"
    links = "<i><a href='x'>" * 100_000 + "He waits."
    assert _code(links.encode(), "html", PandocDocuments(Bounds(cpu_s=1))) == "document-too-slow"


def test_no_more_than_two_documents_are_converted_at_once(tmp_path: Path) -> None:
    slow, bounds = ("sleep", "2"), Bounds(time_s=10)
    with ThreadPoolExecutor() as pool:
        running = [pool.submit(run, slow, b"", bounds, folder=tmp_path, variables={}) for _ in range(2)]
        time.sleep(0.5)
        with pytest.raises(WorkspaceBusy) as refused:
            run(("true",), b"", Bounds(time_s=0.1), folder=tmp_path, variables={})
        after = run(("true",), b"", bounds, folder=tmp_path, variables={})

    assert refused.value.code == "documents-busy"
    assert [each.result().status for each in running] == [0, 0]
    assert after.status == 0


def test_the_memory_of_the_typesetter_is_bounded(tmp_path: Path) -> None:
    command = (sys.executable, "-I", typesetting.__file__, "100", "0")

    with pytest.raises(PenwrightError) as refused:
        run(command, b"#lorem(1000000)", Bounds(memory_mb=100), folder=tmp_path, variables={})

    assert refused.value.code == "document-too-large"


def test_a_document_of_broken_xml_is_named() -> None:
    assert _code(_docx("<x")) == "document-broken"
    assert _code(_docx(), "epub") == "document-broken"


@pytest.mark.parametrize("module", ["pypandoc", "typst"])
def test_without_the_extra_the_install_command_is_named(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    monkeypatch.setattr(adapter, "find_spec", lambda name: None if name == module else find_spec(name))

    with pytest.raises(PenwrightError) as refused:
        DOCUMENTS.write(BOOK, "pdf")

    assert refused.value.code == "documents-missing"
    assert "penwright[documents]" in refused.value.details["hint"]


def test_what_a_reviewed_document_has_beside_its_text_is_counted() -> None:
    text = (
        'He waits.</w:t></w:r><w:del w:id="1"><w:r><w:delText>gone</w:delText></w:r></w:del>'
        '<w:ins w:id="2"><w:r><w:t>new</w:t></w:r></w:ins>'
        '<w:moveFrom w:id="3"><w:r><w:t>there</w:t></w:r></w:moveFrom>'
        '<w:r><w:drawing><pic:pic xmlns:pic="p"/></w:drawing><w:t>'
    )
    comments = b'<w:comments xmlns:w="w"><w:comment w:id="1"/><w:comment w:id="2"/></w:comments>'

    read = DOCUMENTS.read(
        SourceDocument(format="docx", content=_docx(text, more={"word/comments.xml": comments}))
    )

    assert read.pictures == 1
    assert read.left_out == (
        "pictures left out: 1",
        "tracked changes accepted: 3, by a reviewer",
        "comment left out, because its passage is not in the text: a reviewer: ",
        "comment left out, because its passage is not in the text: a reviewer: ",
    )
