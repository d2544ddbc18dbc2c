"""Parts of a DOCX that its conversion to Markdown does not keep, counted."""

import io
import re
import zipfile
from typing import Final

_PARTS: Final = (
    (r"customXml/item[0-9]+\.xml", rb"<[A-Za-z]", "parts of custom XML left out: {}"),
    (r"word/(?:header|footer)[0-9]*\.xml", rb"<w:t[ >]", "headers and footers left out: {}"),
)
_FORMATS: Final = re.compile(rb"<w:(?:rPr|pPr|sectPr|tblPr)Change[ >]")
_FIELD: Final = re.compile(rb"CSL_CITATION|EN\.CITE")
_TEXTS: Final = ("document", "footnotes", "endnotes")
_PICTURE: Final = re.compile(rb"<(?:pic:pic|v:imagedata)[ />]")


def losses(archive: bytes) -> tuple[str, ...]:
    """A sentence for each kind of part that is lost; ``archive`` is one that ``checked_archive`` made."""
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        names = packed.namelist()
        counted = (
            (
                said,
                sum(bool(re.fullmatch(name, each) and re.search(sign, packed.read(each))) for each in names),
            )
            for name, sign, said in _PARTS
        )
        formats = len(_FORMATS.findall(_read(packed, "word/document.xml")))
        found = [said.format(number) for said, number in counted if number]
        return (*found, *([f"tracked changes of form alone taken in: {formats}"] if formats else ()))


def has_citations(archive: bytes) -> bool:
    """Whether Zotero, Mendeley or EndNote have put fields with records into it."""
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        return any(_FIELD.search(_read(packed, f"word/{name}.xml")) for name in _TEXTS)


def pictures(archive: bytes) -> int:
    """Count the pictures that its text shows; the files themselves are taken out before the conversion."""
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        return len(_PICTURE.findall(_read(packed, "word/document.xml")))


def _read(packed: zipfile.ZipFile, name: str) -> bytes:
    return packed.read(name) if name in packed.namelist() else b""
