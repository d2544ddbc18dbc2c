"""Read RIS, the tagged format of reference managers: ``TY  - JOUR`` to ``ER  -``."""

import re
from collections.abc import Iterator

from penwright.domain.citations import identifiers
from schemas.citations import CitationFinding
from schemas.scholarly import Author, ScholarlyRecord, WorkKind

_LINE = re.compile(r"([A-Z][A-Z0-9])  ?-(?: (.*))?$")
_YEAR = re.compile(r"\d{4}")
_KINDS: dict[str, WorkKind] = {
    **{"JOUR": "article", "EJOUR": "article", "MGZN": "article", "NEWS": "article", "ABST": "article"},
    **{"BOOK": "book", "EBOOK": "book", "EDBOOK": "book", "CHAP": "chapter", "ECHAP": "chapter"},
    **{"CONF": "proceedings-article", "CPAPER": "proceedings-article", "THES": "thesis", "RPRT": "report"},
    **{"UNPB": "preprint", "DATA": "dataset", "AGGR": "dataset"},
}
_EDITED = "EDBOOK"
_OF_PARTS = frozenset({"book", "chapter", "proceedings-article"})
_DOI_TAGS = ("DO", "M3", "UR", "L3", "L1", "N1", "AN", "ID")
"""Fields that hold a DOI, the first one first."""
_TALK = frozenset({"TI", "T1", "AB", "N2", "KW", "AU", "A1", "A2", "ED"})
_DAY = re.compile(r"(\d{4})[/-](\d{2})[/-](\d{2})")
Tagged = dict[str, list[str]]


def read_ris(content: str) -> tuple[tuple[tuple[str, ScholarlyRecord], ...], tuple[CitationFinding, ...]]:
    """The records with the id that each has, and what could not be read.

    Codes: ``NOT_RIS`` (a line that is none, once for each run of them), ``UNCLOSED_RECORD`` (no ``ER``; it is
    left out), ``NO_TITLE``.
    """
    read = list(_records(content.removeprefix("\ufeff")))
    return (
        tuple(each for each in read if not isinstance(each, CitationFinding)),
        tuple(each for each in read if isinstance(each, CitationFinding)),
    )


def _records(content: str) -> Iterator[tuple[str, ScholarlyRecord] | CitationFinding]:
    tags: Tagged | None = None
    began, last, strange = 0, "", False
    for number, line in enumerate(content.splitlines(), 1):
        found = _LINE.match(line.rstrip())
        if found is None:
            if tags is not None and last and line.strip():
                tags[last][-1] += f" {line.strip()}"
            elif line.strip() and not strange:
                strange = True
                yield CitationFinding(
                    code="NOT_RIS", message=f"{line.strip()[:60]!r} belongs to no record", line=number
                )
            continue
        strange, tag, value = False, found[1], (found[2] or "").strip()
        if tag == "TY":
            if tags is not None:
                yield _unclosed(began)
            tags, began, last = {"TY": [value]}, number, ""
        elif tags is None:
            yield CitationFinding(
                code="NOT_RIS",
                message=f"{tag} stands before the first TY; begin the record with TY",
                line=number,
            )
        elif tag == "ER":
            yield _record(tags, began)
            tags, last = None, ""
        else:
            tags.setdefault(tag, []).append(value)
            last = tag
    if tags is not None:
        yield _unclosed(began)


def _unclosed(line: int) -> CitationFinding:
    said = "this record has no ER at its end, so it may be cut off; it was left out. Export it again"
    return CitationFinding(code="UNCLOSED_RECORD", message=said, line=line)


def _record(tags: Tagged, line: int) -> tuple[str, ScholarlyRecord] | CitationFinding:
    title = _first(tags, "TI", "T1", "CT", "BT")
    if not title:
        said = "this record has no title (TI), so nothing can be cited by it"
        return CitationFinding(code="NO_TITLE", message=said, line=line)
    kind = _KINDS.get(tags["TY"][0], "other")
    year = _YEAR.search(_first(tags, "PY", "Y1", "DA"))
    pages = "-".join(filter(None, (_first(tags, "SP"), _first(tags, "EP"))))
    number = _first(tags, "SN")
    record = ScholarlyRecord(
        source="bibliography",
        doi=_doi(tags),
        arxiv=next(filter(None, map(identifiers.arxiv_in, _places(tags))), ""),
        title=title,
        authors=() if tags["TY"][0] == _EDITED else _people(tags, "AU", "A1"),
        editors=_people(tags, "ED", *(["AU", "A1"] if tags["TY"][0] == _EDITED else []), *_editors(kind)),
        year=int(year[0]) if year else None,
        container=_first(tags, "JO", "JF", "T2", "JA"),
        volume=_first(tags, "VL"),
        issue=_first(tags, "IS"),
        pages=pages,
        series=_first(tags, "T3") if kind in _OF_PARTS else "",
        edition=_first(tags, "ET"),
        publisher=_first(tags, "PB"),
        place=_first(tags, "CY", "PP"),
        isbn=number if kind != "article" else "",
        issn=number if kind == "article" else "",
        kind=kind,
        url=_first(tags, "UR", "L1"),
        accessed=_day(_first(tags, "Y2")),
    )
    return _first(tags, "ID"), record


def _doi(tags: Tagged) -> str:
    """The DOI, in whatever field a program has put it; one that cannot be read stays as it is."""
    said = _first(tags, "DO")
    found = (identifiers.doi(value) for name in _DOI_TAGS for value in tags.get(name, ()))
    return next(filter(None, found), "") or said


def _places(tags: Tagged) -> Iterator[str]:
    """Values of a record other than its words."""
    return (value for name, values in tags.items() if name not in _TALK for value in values)


def _editors(kind: WorkKind) -> tuple[str, ...]:
    """The second author of a book and of its parts is an editor; that of other works is none."""
    return ("A2",) if kind in _OF_PARTS else ()


def _people(tags: Tagged, *names: str) -> tuple[Author, ...]:
    return tuple(_author(value) for name in names for value in tags.get(name, ()) if value)


def _day(text: str) -> str:
    """A day written as ``2020/01/31/``, as YYYY-MM-DD; empty if it is none."""
    found = _DAY.match(text)
    return "-".join(found.groups()) if found else ""


def _first(tags: Tagged, *names: str) -> str:
    return next((value for name in names for value in tags.get(name, ()) if value), "")


def _author(name: str) -> Author:
    family, given, suffix, *_ = (*(part.strip() for part in name.split(",")), "", "")
    return Author(family=", ".join(filter(None, (family, suffix))), given=given)
