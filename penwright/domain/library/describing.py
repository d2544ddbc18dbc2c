"""The work that the file of a source says it is: its own description, and its first page."""

import re
from collections.abc import Sequence

from penwright.domain.citations import identifiers
from penwright.domain.citations.claims import people_in
from penwright.domain.citations.titles import plain
from penwright.domain.citations.works import folded
from penwright.domain.library.printed_dates import Dated, front_lines, identified, year_of
from penwright.domain.library.title_page import TitlePage, read_title_page
from schemas.library import ReadSource, SaidWork
from schemas.scholarly import Author

_FRONT = 8_000
"""Characters of the first page that are looked at."""
_COVER = 400
"""Letters of a first page that may be a cover: the second one is looked at, too."""
_NO_TITLE = re.compile(
    r"(?:untitled|title|main|paper|article|manuscript|template|draft|layout \d+|slide \d+"
    r"|powerpoint presentation|microsoft word\b.*|document\d*|(?:doi|pii|arxiv)\s*:.*"
    r"|.*\.(?:docx?|tex|dvi|pdf|indd|qxd|rtf|typ))",
    re.IGNORECASE,
)
_NO_AUTHOR = re.compile(
    r"(?:admin(?:istrator)?|user|owner|author|anonymous|unknown|.*\b(?:latex|tex|word|office|typst|acrobat)\b.*"
    r"|\w*\d\w*)",
    re.IGNORECASE,
)
_ENOUGH = 0.8
"""Share of a title's words that stand on the page which bears it."""


def described(read: ReadSource) -> ReadSource:
    """The source with what its description and first page say of the work, and which of it is a guess."""
    first = read.pages[0].text[:_FRONT] if read.pages else ""
    lines, page = front_lines(first), read_title_page(read.front)
    title, no_title = _title(read.work.title, page, first)
    authors, no_authors = _authors(read.work.authors, page, first, title)
    doi, no_doi = _doi(read, lines)
    dated = _dated(read, lines)
    guesses = {"title": no_title, "authors": no_authors, "doi": no_doi}
    if dated is not None and not dated.is_sure:
        guesses["year"] = dated.why
    said = {
        "doi": doi,
        "arxiv": read.work.arxiv or identified(lines).arxiv,
        "title": title,
        "authors": authors,
        "year": dated.year if dated else None,
        "unsure": tuple({"field": name, "why": why} for name, why in guesses.items() if why),
    }
    return read.model_copy(update={"work": SaidWork.model_validate(said)})


def authors_said(text: str) -> tuple[Author, ...]:
    """Return the people whom a file names: ``Ann Smith, Bo Li`` are two, ``Smith, Ann`` is one."""
    parts = [part.strip() for part in text.split(",")]
    if ";" in text:
        return people_in(" and ".join(part.strip() for part in text.split(";") if part.strip()))
    several = len(parts) > 1 and " and " not in text and all(" " in part for part in parts)
    return people_in(" and ".join(parts) if several else text)


def surely(work: SaidWork) -> SaidWork:
    """The work without what is a guess."""
    none = {"doi": "", "title": "", "authors": (), "year": None}
    return work.model_copy(update={each.field: none[each.field] for each in work.unsure} | {"unsure": ()})


def _title(said: str, page: TitlePage, first: str) -> tuple[str, str]:
    """The title, and why it is a guess; empty if it is none."""
    told = "" if _NO_TITLE.fullmatch(plain(said)) else plain(said)
    if told and (_stands(told, first) or not (page.title and first.strip())):
        return told, ""
    if told and not page.authors_sure:
        return told, "only the file's own description has it"
    why = "" if page.authors_sure and not told else "the largest print of page 1"
    return (
        page.title,
        f"{why}; the file's own description has “{told}”" if told else why if page.title else "",
    )


def _authors(
    said: Sequence[Author], page: TitlePage, first: str, title: str
) -> tuple[tuple[Author, ...], str]:
    """The authors, and why they are a guess."""
    told = tuple(each for each in said if not _NO_AUTHOR.fullmatch(f"{each.given} {each.family}".strip()))
    on_page = folded(first)
    if told and all(folded(each.family) in on_page for each in told):
        return told, ""
    if page.authors and page.title == title:
        return page.authors, "" if page.authors_sure else "a line below the title that may be a name"
    return told, "only the file's own description names them" if told and first.strip() else ""


def _doi(read: ReadSource, lines: Sequence[str]) -> tuple[str, str]:
    """The DOI, and why it is a guess."""
    printed = identified(lines)
    if told := identifiers.doi(read.work.doi):
        return told, ""
    if not printed.doi:
        return "", ""
    return printed.doi, f"page 1 also has {printed.other_dois[0]}" if printed.other_dois else ""


def _dated(read: ReadSource, lines: Sequence[str]) -> Dated | None:
    """The year: as its publisher or the first pages say; at worst that in which the file was made."""
    if read.work.year:
        return Dated(read.work.year, "", True)
    found = year_of(lines)
    if found is None and len(read.pages) > 1 and len("".join(lines)) < _COVER:
        found = year_of(front_lines(read.pages[1].text[:_FRONT]), 2)
    if found is None and read.made:
        return Dated(read.made, "the file was made then, which says little", False)
    return found


def _stands(title: str, text: str) -> bool:
    words, there = re.findall(r"\w{3,}", title.casefold()), folded(text)
    return not words or sum(folded(word) in there for word in words) >= _ENOUGH * len(words)
