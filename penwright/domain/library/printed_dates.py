"""The year of a work and its identifiers, as its first page prints them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from penwright.domain.citations import identifiers
from penwright.domain.citations.sentences import is_reference_heading

_EDGE = 6
"""Lines at the top and at the bottom of a page in which its journal stands."""
_LONGEST = 200
_YEAR = r"(?P<year>1[5-9]\d\d|20\d\d)(?!\d)"
_MONTH = (
    r"(?:jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|février|mar(?:ch|s)?|märz|apr(?:il)?|avril|may|mai|june?|juni"
    r"|juin|july?|juli|juillet|aug(?:ust)?|août|sept?(?:ember|embre)?|o[ck]t(?:ober|obre)?|nov(?:ember|embre)?"
    r"|de[cz](?:ember)?|décembre|spring|summer|autumn|fall|winter)"
)
_DATE = (
    rf"(?:\d{{1,2}}[./-]\d{{1,2}}[./-]|(?:\d{{1,2}}(?:st|nd|rd|th)?\.?[\s-]+)?{_MONTH}\.?,?[\s-]+"
    rf"(?:\d{{1,2}}(?:st|nd|rd|th)?,?\s+)?)?{_YEAR}"
)
_BEGINS = r"(?:^\W*|[;,|·•.(]\s*)"
_PUBLISHED = re.compile(
    rf"{_BEGINS}(?:first\s+|article\s+|date\s+of\s+)?"
    r"(?:published|(?:this\s+version\s+)?posted|publication(?:\s+date)?|available\s+online|epub|veröffentlicht|erschienen|publiée?)"
    rf"(?:\s+(?:online|electronically|in\s+print|first|on|in|am|le))*\s*:?\s*{_DATE}",
    re.IGNORECASE,
)
_ACCEPTED = re.compile(
    rf"{_BEGINS}(?:received|accepted|approved|submitted|revised|angenommen|accepté)\b\s*:?\s*{_DATE}",
    re.IGNORECASE,
)
_COPYRIGHT = re.compile(
    r"(?:©|\(c\)|\bcopyright\b|\bcopr\.)(?:[^\d\n]{0,60}?)(?:(?:1[5-9]|20)\d\d\s*[-–,]\s*)?" + _YEAR,
    re.IGNORECASE,
)
_STAMP = re.compile(
    r"arxiv:\s*(?P<id>[a-z.-]*/?[\d.]+)(?:v\d+)?\s*(?:\[[\w.-]+\])?(?:\s+\d{1,2}\s+[a-z]{3,9}\.?\s+"
    + _YEAR
    + ")?",
    re.IGNORECASE,
)
_JOURNAL = re.compile(
    r"\bvol(?:ume)?\b|\breport\b|\bworking paper\b|\bno\.\s*\d|\bissue\b|\bpp?\.\s*\d|\bpages\s+\d"
    r"|\b\d{4};\s*\d|\bjahrgang\b|\bheft\b|\bmonthly\b|\bquarterly\b|\bmagazine\b"
    r"|\d\s*\(\d{1,4}(?:[-–]\d+)?\)"
    r"|\d+\s*[:,]\s*e?\d+\s*[-–]\s*e?\d+|\bproceedings\b|\bproc\.|\bjournal\b|\btransactions\b|\bconference\b"
    r"|\bworkshop\b|\bsymposium\b|\bannals\b|\bbulletin\b|\bletters\b|\breview\b",
    re.IGNORECASE,
)
_PROSE = re.compile(
    r"(?<![^\s(])(?!(?:the|and|for|vol|volume|pages|http\S*|www\S*)\b)[a-z]{3,}(?=[\s.,;)]|$)"
)
_MOST_PROSE = 2
"""Words in small letters of a line that is no sentence."""
_AT_PLACE = re.compile(
    rf"(?:\(|,\s*|:\s*|\b){_DATE}(?=\s*(?:\)|[,;:.|·•]|$|\d|no|num|vol|page))", re.IGNORECASE
)
_ALONE = re.compile(rf"\W*{_DATE}\W*", re.IGNORECASE)
_LOOKED_AT = re.compile(
    r"\b(?:accessed|downloaded|retrieved|printed|visited|abgerufen|consulté)\b", re.IGNORECASE
)
_DOI = re.compile(r"(?:doi\s*[:.]?\s*|doi\.org/|/doi/|(?<![\w/.]))(10\.\d{4,9}/[^\s\"<>]+)", re.IGNORECASE)
_DIVIDED = re.compile(r"(?:doi\.org/|10\.\d{4,9}/|10\.\d{4,9}/\S+[-_./(])$", re.IGNORECASE)
"""A DOI that goes on in the next line."""
_OTHER_WORK = re.compile(
    r"\b(?:comment(?:ary)?\s+on|reply\s+to|response\s+to|correction\s+to|erratum|supplement\w*|data(?:set)?s?\b"
    r"|zenodo|dryad|figshare|osf\.io)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Dated:
    """A year, and how it is known."""

    year: int
    why: str
    is_sure: bool


@dataclass(frozen=True, slots=True)
class Identified:
    """Identifiers of the work itself that its first page names."""

    doi: str = ""
    other_dois: tuple[str, ...] = ()
    arxiv: str = ""


def front_lines(text: str) -> tuple[str, ...]:
    """Return the lines of a first page, up to its list of references."""
    lines = [" ".join(each.split()) for each in text.split("\n")]
    kept = list[str]()
    for line in (each for each in lines if each):
        if is_reference_heading(line):
            break
        kept.append(line)
    return tuple(kept)


def year_of(lines: Sequence[str], page: int = 1) -> Dated | None:
    """Return the year that a first page prints; None if it prints none that says when the work appeared.

    Args:
        page: number of the page, for people.
    """
    # A place of publication is a line by itself; what a reader's program printed says when it was read.
    said = [each for each in lines if not _LOOKED_AT.search(each)]
    strong = [*_found(_PUBLISHED, said), *_in_journal(said), *_found(_COPYRIGHT, said)]
    if strong:
        return _agreed(strong, page)
    if stamped := _stamped(said):
        return stamped
    weak = [*_found(_ACCEPTED, said), *_standing_alone(said)]
    return Dated(weak[0][0], f"page {page} has “{weak[0][1]}”", False) if weak else None


def identified(lines: Sequence[str]) -> Identified:
    """Return the identifiers of the work; those of other works that a page names are left out."""
    found = dict.fromkeys(each for each in _dois(lines) if each)
    first = next(iter(found), "")
    own = next(filter(None, (_arxiv(each) for each in lines)), "")
    edges = (identifiers.arxiv_in(each) for each in _edges(lines))
    others = tuple(each for each in found if each != first)
    return Identified(first, others, own or next(filter(None, edges), ""))


def _agreed(found: Sequence[tuple[int, str]], page: int) -> Dated:
    year, line = found[0]
    if other := next((each for each in found if abs(each[0] - year) > 1), None):
        return Dated(year, f"page {page} has “{line}”, and “{other[1]}”", False)
    return Dated(year, f"page {page} has “{line}”", True)


def _found(pattern: re.Pattern[str], lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    for line in lines:
        if found := pattern.search(line[:_LONGEST]):
            yield int(found["year"]), _short(found[0])


def _in_journal(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    for line in _edges(lines):
        if len(line) > _LONGEST or not _JOURNAL.search(line) or _ACCEPTED.search(line):
            continue
        if len(_PROSE.findall(line)) > _MOST_PROSE:
            continue
        if found := _AT_PLACE.search(line):
            yield int(found["year"]), _short(line)


def _standing_alone(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    for line in (*lines[: 2 * _EDGE], *lines[-_EDGE:]):
        if found := _ALONE.fullmatch(line):
            yield int(found["year"]), _short(line)


def _stamped(lines: Sequence[str]) -> Dated | None:
    for line in lines:
        found = _STAMP.search(line)
        if found and identifiers.arxiv(found["id"]):
            number = found["id"].rpartition("/")[2]
            year = int(found["year"] or 0) or _submitted(number)
            return Dated(year, f"the stamp of arXiv, “{_short(found[0])}”", True)
    return None


def _submitted(number: str) -> int:
    """The year in which an arXiv id was given: the first two digits, from 1991 on."""
    digits = int(number[:2])
    return 1900 + digits if digits > 90 else 2000 + digits


def _arxiv(line: str) -> str:
    found = _STAMP.search(line)
    return identifiers.arxiv(found["id"]) if found and ("[" in found[0] or found["year"]) else ""


def _dois(lines: Sequence[str]) -> Iterator[str]:
    for at, one in enumerate(lines):
        behind = lines[at + 1].split()[0] if at + 1 < len(lines) else ""
        line = one + behind if _DIVIDED.search(one) else one
        if _OTHER_WORK.search(line):
            continue
        for found in _DOI.finditer(line):
            yield identifiers.doi(found[1].rstrip(").,;]"))


def _edges(lines: Sequence[str]) -> Sequence[str]:
    return lines if len(lines) <= 2 * _EDGE else (*lines[:_EDGE], *lines[-_EDGE:])


def _short(text: str) -> str:
    said = text.strip(" ;,|·•.")
    return said if len(said) <= 60 else f"{said[:59].rstrip()}…"
