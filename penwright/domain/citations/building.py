"""Entries made of a registry's record. Nothing in them comes from a model."""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date

from penwright.domain.citations.entries import Entry, ordered
from penwright.domain.citations.names import is_suffix
from penwright.domain.citations.titles import unescaped, without_tags
from schemas.scholarly import Author, ScholarlyRecord, WorkKind

_TYPES: dict[WorkKind, str] = {
    "article": "article",
    "book": "book",
    "chapter": "incollection",
    "proceedings-article": "inproceedings",
    "thesis": "phdthesis",
    "report": "techreport",
}
_CONTAINERS = {"article": "journal", "incollection": "booktitle", "inproceedings": "booktitle"}
_PUBLISHERS = {"phdthesis": "school", "techreport": "institution"}
_SIGNS = str.maketrans(
    {
        **{sign: f"\\{sign}" for sign in "&%#_$"},
        **{"{": "(", "}": ")", "\\": r"\textbackslash{}", "~": r"\textasciitilde{}"},
        "^": r"\textasciicircum{}",
    }
)
_ADDRESS_SIGNS = str.maketrans(
    {sign: f"%{ord(sign):02X}" for sign in ("{}\\ ^\x7f" + "".join(map(chr, range(32))))}
)
_BLANKS = re.compile(r"[\s\x00-\x1f\x7f]+")
_RANGE = re.compile(r"\s*[-\u2010-\u2015\u2212]+\s*")
_TAG = re.compile(r"<(/?)(i|em|b|strong|sub|sup|sc|span)(\s[^<>]*)?>", re.IGNORECASE)
_MARKS = {
    **{"i": r"\emph", "em": r"\emph", "b": r"\textbf", "strong": r"\textbf", "sc": r"\textsc"},
    **{"sub": r"\textsubscript", "sup": r"\textsuperscript"},
}
"""Commands of LaTeX by the tags that reference managers write into titles."""
_SPANS = (("nocase", ""), ("small-caps", r"\textsc"))
"""The same by what a ``span`` names; braces alone keep the case."""
_RESOLVER = "https://doi.org/"
_DOI_SIGNS = str.maketrans({sign: f"%{ord(sign):02X}" for sign in "#?<>[]%"})
"""Signs that a DOI may hold, and that mean something else in an address."""


def entry_of(record: ScholarlyRecord, key: str, accessed: date | None = None) -> Entry:
    """The entry of a work under ``key``.

    Args:
        accessed: when a plain address was looked at; a work with a DOI needs no such date.
    """
    kind = _TYPES.get(record.kind, "misc")
    return ordered(Entry(kind, key, tuple(_fields(record, kind, accessed))))


def doi_address(doi: str) -> str:
    """The address at which a DOI is resolved, its signs encoded."""
    return _RESOLVER + doi.translate(_DOI_SIGNS)


def with_latex_marks(title: str, signs: Callable[[str], str] = str) -> str:
    """Return a title with commands of LaTeX for pairs of tags; one without its other half goes.

    Args:
        signs: applied to what stands between tags.
    """
    tags = list(_TAG.finditer(title))
    marks, place, pieces = _marks_of(tags), 0, list[str]()
    for tag in tags:
        pieces += [signs(title[place : tag.start()]), marks.get(tag.start(), "")]
        place = tag.end()
    return _BLANKS.sub(" ", "".join(pieces) + signs(title[place:])) if tags else signs(title)


def page_range(pages: str) -> str:
    """Pages with two hyphens between first and last."""
    return _RANGE.sub("--", pages.strip())


def _fields(record: ScholarlyRecord, kind: str, accessed: date | None) -> Iterator[tuple[str, str]]:
    yield "author", _people(record.authors)
    yield "editor", _people(record.editors)
    yield "title", _title(record.title)
    yield _CONTAINERS.get(kind, "howpublished"), _title(record.container)
    yield "series", _title(record.series)
    yield "edition", _text(record.edition)
    yield "year", str(record.year) if record.year else ""
    yield "volume", _text(record.volume)
    yield "number", _text(record.issue)
    yield "pages", page_range(_text(record.pages))
    yield _PUBLISHERS.get(kind, "publisher"), _text(record.publisher)
    yield "address", _text(record.place)
    yield "isbn", _text(record.isbn)
    yield "issn", _text(record.issn)
    if record.doi:
        yield "doi", _address(record.doi)
        yield "url", _address(doi_address(record.doi))
    elif record.url:
        yield "url", _address(record.url)
        yield "urldate", record.accessed or (accessed.isoformat() if accessed else "")
    if record.arxiv:
        yield "eprint", _address(record.arxiv)
        yield "archiveprefix", "arXiv"
    yield "pmid", _address(record.pmid)


def _marks_of(tags: Iterable[re.Match[str]]) -> dict[int, str]:
    """Return what stands in place of a tag, by the offset of the tag."""
    marks, begun = dict[int, str](), list[re.Match[str]]()
    for tag in tags:
        name = tag[2].lower()
        if not tag[1]:
            begun.append(tag)
        elif name in (each[2].lower() for each in begun):
            while (first := begun.pop())[2].lower() != name:
                pass
            command = _MARKS.get(name, next((made for said, made in _SPANS if said in first[0]), None))
            if command is not None:
                marks |= {first.start(): f"{command}{{", tag.start(): "}"}
    return marks


def _people(people: Iterable[Author]) -> str:
    return " and ".join(filter(None, map(_author, people)))


def _author(author: Author) -> str:
    family, given = _text(author.family), _text(author.given)
    if not family or not given:
        return _as_one_name(family or given)
    name, _, suffix = family.rpartition(", ")
    if name and "," not in name and is_suffix(suffix):
        return f"{name}, {suffix}, {given}"
    return f"{_as_one_name(family) if ',' in family or ' and ' in f' {family} ' else family}, {given}"


def _as_one_name(name: str) -> str:
    """An organisation's name, which must not be divided into given name and surname."""
    return f"{{{name}}}" if " " in name or "," in name else name


def _title(marked: str) -> str:
    return _one_line(with_latex_marks(unescaped(marked), lambda part: without_tags(part).translate(_SIGNS)))


def _text(plain: str) -> str:
    """Plain text as LaTeX on one line; nothing in it can be taken for a citation."""
    return _one_line(plain.translate(_SIGNS))


def _one_line(latex: str) -> str:
    return _BLANKS.sub(" ", latex).strip().replace("[[@", "[ [@")


def _address(plain: str) -> str:
    """An address, which takes no LaTeX: signs that would end the field are percent-encoded."""
    return plain.strip().translate(_ADDRESS_SIGNS).replace("[[@", "%5B%5B@")
