"""Works that entries name, to be compared with the records of registries."""

import re

from bibtexparser.library import Library
from bibtexparser.middlewares import LatexDecodingMiddleware
from bibtexparser.middlewares.names import split_multiple_persons_names
from bibtexparser.model import Entry as ParsedEntry
from bibtexparser.model import Field

from penwright.domain.citations import identifiers
from penwright.domain.citations.entries import Entry
from penwright.domain.citations.names import whole_name
from schemas.scholarly import Author, Reference

_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20\d\d)(?!\d)")
_CONTAINERS = ("journal", "journaltitle", "booktitle")
_HYPHENS = re.compile(r"\s*[-\u2010-\u2015\u2212]+\s*")
_MARKS = re.compile(r"[\\{}$]")
_TALK = frozenset({"title", "abstract", "keywords", "note", "annote", "author", "editor"})
"""Fields whose text may name other works."""
_NOTE = 40


def reference_of(entry: Entry) -> Reference:
    """The work that an entry names; an identifier in its address or note counts like one of its own."""
    return Reference(
        doi=identifiers.doi(entry.field("doi")) or entry.field("doi") or identifiers.doi(entry.field("url")),
        pmid=entry.field("pmid"),
        arxiv=_arxiv(entry),
        title=plain(entry.field("title")),
        authors=people_in(entry.field("author") or entry.field("editor")),
        year=_year(entry),
        container=plain(next(filter(None, map(entry.field, _CONTAINERS)), "")),
        volume=plain(entry.field("volume")),
        pages=_HYPHENS.sub("-", plain(entry.field("pages") or entry.field("eid"))),
    )


def people_in(value: str) -> tuple[Author, ...]:
    """The people whom a field names."""
    return tuple(map(_author, _names(value)))


def plain(latex: str) -> str:
    """A field's value without LaTeX; accents become letters."""
    if _MARKS.search(latex) is None:
        return " ".join(latex.split())
    library = Library([ParsedEntry("misc", "key", [Field("value", latex)])])
    decoded = LatexDecodingMiddleware(keep_math_mode=False).transform(library)
    values = [str(field.value) for entry in decoded.entries for field in entry.fields]
    return " ".join("".join(values).split())


def _names(value: str) -> list[str]:
    return split_multiple_persons_names(" ".join(value.split())) if value.strip() else []


def _author(name: str) -> Author:
    if name.startswith("{") and name.endswith("}"):
        return Author(family=plain(name))
    family, comma, given = name.partition(",")
    if comma:
        return Author(family=plain(family), given=plain(given.rpartition(",")[2]))
    return whole_name(plain(name))


def _year(entry: Entry) -> int | None:
    found = _YEAR.search(entry.field("year")) or _YEAR.search(entry.field("date"))
    return int(found[1]) if found else None


def _arxiv(entry: Entry) -> str:
    """The id of arXiv in any field that says where the work is; a note counts where it begins with it."""
    archive = (entry.field("archiveprefix") + entry.field("eprinttype")).casefold()
    if "arxiv" in archive:
        return entry.field("eprint")
    bare = "" if archive else identifiers.arxiv(entry.field("eprint"))
    places = (value for name, value in entry.fields if name not in _TALK)
    found = (identifiers.arxiv_in(each) for each in (*places, entry.field("note")[:_NOTE]))
    return bare or next(filter(None, found), "")
