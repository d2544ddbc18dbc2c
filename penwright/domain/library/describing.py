"""The work that the file of a source says it is."""

import re

from penwright.domain.citations import identifiers
from penwright.domain.citations.claims import people_in
from penwright.domain.citations.titles import plain
from schemas.library import ReadSource
from schemas.scholarly import Author, Reference

_FRONT = 3_000
"""Characters of the first page in which a DOI is the work's own."""
_DOI = re.compile(r"(?:doi\s*[:.]?\s*|doi\.org/)(10\.\d{4,9}/[^\s\"<>]+)", re.IGNORECASE)
_NO_TITLE = re.compile(
    r"(?:untitled|microsoft word\b.*|document\d*|.*\.(?:docx?|tex|dvi|pdf|indd|qxd|rtf))", re.IGNORECASE
)


def described(read: ReadSource) -> ReadSource:
    """The source with the DOI of its first page, and without a title that a program has put in."""
    front = read.pages[0].text[:_FRONT] if read.pages else ""
    said = read.work
    found = _DOI.search(front)
    doi = identifiers.doi(said.doi) or (identifiers.doi(found[1].rstrip(").,;]")) if found else "")
    title = plain(said.title)
    work = Reference(
        doi=doi,
        arxiv=said.arxiv or identifiers.arxiv_in(front),
        title="" if _NO_TITLE.fullmatch(title) else title,
        authors=said.authors,
        year=said.year,
    )
    return read.model_copy(update={"work": work})


def authors_said(text: str) -> tuple[Author, ...]:
    """Return the people whom a file names: ``Ann Smith, Bo Li`` are two, ``Smith, Ann`` is one."""
    parts = [part.strip() for part in text.split(",")]
    if ";" in text:
        return people_in(" and ".join(part.strip() for part in text.split(";") if part.strip()))
    several = len(parts) > 1 and " and " not in text and all(" " in part for part in parts)
    return people_in(" and ".join(parts) if several else text)
