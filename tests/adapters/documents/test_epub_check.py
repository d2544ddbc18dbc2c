"""The check of an EPUB: ours pass, and each rule is broken once."""

import io
import zipfile

import pytest

from penwright.adapters.documents import PandocDocuments
from penwright.adapters.documents.archives import with_changes
from penwright.adapters.documents.epub_check import faults
from tests.adapters.documents.test_contract import BOOK

NAV = "EPUB/nav.xhtml"
PACKAGE = "EPUB/content.opf"
CHAPTER = "EPUB/text/ch001.xhtml"


@pytest.fixture(scope="module")
def epub() -> bytes:
    return PandocDocuments().write(BOOK, "epub").content


def _broken(epub: bytes, name: str, old: str, new: str) -> tuple[str, ...]:
    def changed(each: str, content: bytes) -> bytes:
        assert each != name or old.encode() in content
        return content.replace(old.encode(), new.encode(), 1) if each == name else content

    return faults(with_changes(epub, changed))


def test_an_epub_of_ours_breaks_no_rule(epub: bytes) -> None:
    assert faults(epub) == ()
    assert PandocDocuments().write(BOOK, "epub").faults == ()


@pytest.mark.parametrize(
    ("name", "old", "new", "number"),
    [
        (CHAPTER, "<body", '<body id="1st"', "RSC-005"),
        (CHAPTER, "</body>", '<p id="x"/><p id="x"/></body>', "RSC-005"),
        (CHAPTER, "</body>", "<h2></h2></body>", "RSC-005"),
        (CHAPTER, "</body>", '<a href="gone.xhtml">x</a></body>', "RSC-007"),
        (CHAPTER, "</body>", '<a href="#gone">x</a></body>', "RSC-012"),
        (CHAPTER, "</body>", "</p></body>", "RSC-016"),
        (NAV, "</body>", "<nav><ol><li><a> </a></li></ol></nav></body>", "RSC-005"),
        (PACKAGE, "<dc:language>", "<dc:language></dc:language><dc:x>", "RSC-016"),
        (PACKAGE, 'property="dcterms:modified"', 'property="dcterms:made"', "RSC-005"),
        (PACKAGE, 'href="text/ch001.xhtml"', 'href="text/ch009.xhtml"', "OPF-003"),
    ],
)
def test_a_broken_rule_is_named_by_its_number(
    epub: bytes, name: str, old: str, new: str, number: str
) -> None:
    assert any(each.startswith(number) for each in _broken(epub, name, old, new))


def test_a_mimetype_that_is_not_first_is_named(epub: bytes) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(epub)) as given, zipfile.ZipFile(packed, "w") as made:
        for entry in reversed(given.infolist()):
            made.writestr(entry, given.read(entry))

    assert any(each.startswith("PKG-006") for each in faults(packed.getvalue()))
