"""The work that the file of a source says it is: its own description, and its first page."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from penwright.domain.citations import identifiers
from penwright.domain.citations.claims import people_in
from penwright.domain.citations.titles import plain
from penwright.domain.citations.works import folded
from penwright.domain.library.printed_dates import Dated, front_lines, identified, year_of
from schemas.library import PrintedLine, ReadSource, SaidWork
from schemas.scholarly import Author

_LARGER = 1.15
"""Size of a title's letters, in multiples of the page's usual size."""
_SAME = 0.04
"""Difference of two sizes, as a share, that is none."""
_NOT_TITLE = re.compile(
    r"(?:(?:original|research|review|short|full|regular|invited)?\s*"
    r"(?:article|paper|report|letter|communication|note|contribution|essay)s?|open access|letters?|review"
    r"|abstract|contents|preprint|working papers?\b.*|discussion papers?\b.*|technical report\b.*"
    r"|perspectives?|editorial|chapter\b.{0,5})",
    re.IGNORECASE,
)
_MASTHEAD = re.compile(
    r"(?:the\s+)?(?:(?:international|european|american|british)\s+)?"
    r"(?:journal|proceedings|transactions|annals|bulletin|archives|zeitschrift|revue)\b|.*\bjournal of\b"
    r"|.*\b(?:monthly|quarterly|weekly|magazine)$",
    re.IGNORECASE,
)
_ENDS_NAMES = re.compile(
    r"(?:abstract|summary|introduction|keywords?|zusammenfassung|résumé|contents|1\.?\s)", re.IGNORECASE
)
_PLACE = re.compile(
    r"universi|department|institut|laborator|school|college|cent(?:er|re)\b|hospital|academy|faculty|@|\binc\b"
    r"|\bltd\b|\bgmbh\b|division|ministry|museum|society|street|corporation|research|abteilung|fakultät|hochschule"
    r"|\bpapers?\b|report|series|\bpress\b|volume|commission|organi[sz]ation|council|committee|\bgroup\b|\bteam\b"
    r"|bureau|office|agency|association|foundation|studies|journal|review|letters|proceedings|conference|thesis"
    r"|edition|version|\bdraft\b|source|editor",
    re.IGNORECASE,
)
_MARKS = re.compile(
    r"[\d*†‡§¶#∗⋆✉\u00b9\u00b2\u00b3\u2070-\u2079ª]+|\b(?:ORCID|PhD|Ph\.D\.?|MD|M\.D\.|MSc|Dr\.?|Prof\.?)(?=\W|$)"
)
_BETWEEN = re.compile(
    r";|·|•|\||,|&|\s+(?:and|und|et|y)\s+|^(?:and|by|von|par|authors?(?:\(s\))?:)\s+", re.IGNORECASE
)
_PARTICLES = frozenset(
    (
        "van",
        "von",
        "der",
        "den",
        "de",
        "la",
        "le",
        "di",
        "da",
        "del",
        "dos",
        "du",
        "el",
        "al",
        "bin",
        "ibn",
        "zu",
    )
)
_NAME = re.compile(r"[^\W\d_a-zà-ÿ](?:[^\W\d_]|['’.\-])*")
_MOST_LINES = 12
_PIECES_OF_COVER = 400
"""Letters of a page that may be a cover."""
_MOST_WORDS = 30


@dataclass(frozen=True, slots=True)
class TitlePage:
    """Title and authors as they are printed."""

    title: str = ""
    authors: tuple[Author, ...] = ()
    authors_sure: bool = False
    """Several names with signs between, or one above a place where people work."""


def _read_title_page(lines: Sequence[PrintedLine]) -> TitlePage:
    """Return title and authors of a page, from its lines with their sizes; empty where unclear."""
    sizes = sorted(each.size for each in lines for _ in range(max(len(each.text), 1)))
    if not sizes:
        return TitlePage()
    # A cover has hardly more than its title.
    most = sizes[len(sizes) // 2] if len(sizes) > _PIECES_OF_COVER else sizes[0]
    large = {round(each.size, 1) for each in lines[: max(20, len(lines) // 2)] if each.size >= _LARGER * most}
    for size in sorted(large, reverse=True):
        at, end = _run(lines, size)
        title = " ".join(" ".join(each.text.split()) for each in lines[at:end])
        if _is_title(title):
            authors, is_sure = _names_below(lines[end : end + _MOST_LINES])
            return TitlePage(_unhyphenated(title), authors, is_sure)
    return TitlePage()


def _run(lines: Sequence[PrintedLine], size: float) -> tuple[int, int]:
    """The first lines, one after the other, that have this size."""
    alike = [abs(each.size - size) <= _SAME * size for each in lines]
    at = alike.index(True)
    end = at
    while end < len(lines) and alike[end]:
        end += 1
    return at, end


def _is_title(text: str) -> bool:
    words = re.findall(r"[^\W\d_]{2,}", text)
    if len(words) < 2 or len(words) > _MOST_WORDS or sum(map(len, words)) < 8:
        return False
    return not _NOT_TITLE.fullmatch(text.strip(" .:")) and not _MASTHEAD.match(text)


def _unhyphenated(title: str) -> str:
    return re.sub(r"([^\W\d_])[\u00ad] ?", r"\1", title).strip()


def _names_below(lines: Sequence[PrintedLine]) -> tuple[tuple[Author, ...], bool]:
    found, is_sure = list[str](), False
    for line in lines:
        if _ENDS_NAMES.match(line.text):
            break
        parts = [part for part in line.text.split("\t") if part.strip()]
        names = [_names_in(part) for part in parts if not _PLACE.search(part)]
        if not all(names):
            if found:
                break
            continue
        found += (name for some in names for name in some)
        is_sure = is_sure or len(found) > 1 or (bool(found) and len(names) < len(parts))
    return people_in(" and ".join(dict.fromkeys(found))), is_sure and bool(found)


def _names_in(text: str) -> list[str]:
    """The people whom a line names; none if it has anything else."""
    parts = [
        " ".join(each.split()) for each in _BETWEEN.split(_MARKS.sub(" ", text)) if each and each.strip()
    ]
    named = [_as_name(each.strip(" .()")) for each in parts]
    return named if all(named) else []


def _as_name(text: str) -> str:
    words = text.split()
    if not 2 <= len(words) <= 5 or words[-1].endswith("."):
        return ""
    capital = [word for word in words if word.casefold() not in _PARTICLES or word[:1].isupper()]
    if len(capital) < 2 or not all(_NAME.fullmatch(word) for word in capital):
        return ""
    return " ".join(word.title() if word.isupper() and len(word) > 2 else word for word in words)


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
    lines, page = front_lines(first), _read_title_page(read.front)
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
