"""Names of authors: when two of them name one person."""

import re
import unicodedata
from itertools import product

from rapidfuzz import fuzz

from penwright.domain.citations.titles import folded, plain
from schemas.scholarly import Author

_WORD = re.compile(r"[^\W_]+")
_PARTICLES = frozenset(
    {
        *(
            "al",
            "af",
            "av",
            "bin",
            "d",
            "da",
            "das",
            "de",
            "del",
            "della",
            "den",
            "der",
            "di",
            "do",
            "dos",
            "du",
        ),
        *("el", "la", "le", "los", "of", "ten", "ter", "van", "vom", "von", "zu", "zum", "zur", "y"),
    }
)
_TWO_LETTERS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
_SUFFIXES = frozenset({"jr", "junior", "sr", "ii", "iii", "iv"})
_MOST_INITIALS = 4
_ALIKE = 70
"""Likeness in per cent of two given names that may be one in two spellings, such as Jon and John."""
ET_AL = frozenset({"others", "et al", "et al."})
"""Family names that stand for authors who are not named."""


def named(authors: tuple[Author, ...]) -> tuple[Author, ...]:
    """Return the authors without empty ones and "et al."."""
    return tuple(each for each in authors if surname(each) and each.family.strip().casefold() not in ET_AL)


def surname(author: Author) -> str:
    """Return a surname as it is shown; of an author without one, the whole name."""
    return (author.family or author.given).strip()


def same_person(one: Author, other: Author) -> bool:
    """Whether two authors have one surname, and neither initials nor given names that contradict.

    An author without given names contradicts no author of that surname.
    """
    return same_surname(one, other) and _same_given(one, other)


def same_surname(one: Author, other: Author) -> bool:
    """Whether two authors have one surname; particles, diacritics and a second surname do not count."""
    return any(_agree(a, b) for a in _forms(surname(one)) for b in _forms(surname(other)))


def _agree(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    short, long = sorted((one, other), key=len)
    return bool(short) and (
        short == long
        or "".join(short) == "".join(long)
        or short == long[: len(short)]
        or short == long[-len(short) :]
    )


def _forms(name: str) -> tuple[tuple[str, ...], ...]:
    """The words of a surname, with umlauts as one letter and as two, without particles and with them."""
    lower = unicodedata.normalize("NFC", plain(name).casefold())
    found = [_WORD.findall(folded(form)) for form in (lower, lower.translate(_TWO_LETTERS))]
    return tuple(dict.fromkeys(form for each in found for form in (_without_particles(each), tuple(each))))


def _without_particles(parts: list[str]) -> tuple[str, ...]:
    kept = tuple(part for part in parts if part not in _PARTICLES)
    return kept or tuple(parts)


def _same_given(one: Author, other: Author) -> bool:
    ours, theirs = _given(one), _given(other)
    return any(_same_names(a, b) for a, b in product(_readings(ours), _readings(theirs)))


def _given(author: Author) -> list[str]:
    """The given names; none if they stand for the whole name."""
    words = plain(author.given).split() if author.family.strip() else []
    return [each for each in words if each not in _PARTICLES and not is_suffix(each)]


def _readings(given: list[str]) -> tuple[tuple[str, ...], ...]:
    """The given names in lower case; once more with ``JR`` as two initials."""
    parts = [each for word in given for each in _WORD.findall(word)]
    split = [sign for part in parts for sign in (part if _are_initials(part) else [part])]
    return tuple(tuple(filter(None, map(folded, each))) for each in (parts, split))


def _are_initials(word: str) -> bool:
    return word.isupper() and len(word) <= _MOST_INITIALS


def _same_names(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    if all(map(_same_name, one, other)):
        return True
    called, names = (one, other) if len(one) <= len(other) else (other, one)
    return len(called) == 1 and len(called[0]) > 1 and called[0] in names


def _same_name(one: str, other: str) -> bool:
    """Whether one is the initial or beginning of the other, or both are one name in two spellings."""
    short, long = sorted((one, other), key=len)
    return long.startswith(short) or (short[0] == long[0] and len(short) > 1 and _is_alike(short, long))


def _is_alike(one: str, other: str) -> bool:
    return fuzz.ratio(one, other) >= _ALIKE


def is_suffix(word: str) -> bool:
    """Whether a word is one that stands behind a name, such as ``Jr.``."""
    return word.strip(".,").casefold() in _SUFFIXES


def whole_name(name: str) -> Author:
    """Return the author of a name in one piece, ``Given Family`` or ``Family, Given``.

    Small particles before the last word belong to the surname, and ``Jr.`` behind it; a name of one word is a
    surname.
    """
    family, comma, given = (part.strip() for part in name.partition(","))
    if comma and family:
        return Author(family=family, given=given)
    parts = name.split()
    start = max(len(parts) - 1, 0)
    while start > 0 and is_suffix(parts[start]):
        start -= 1
    while start > 0 and parts[start - 1] in _PARTICLES:
        start -= 1
    return Author(family=" ".join(parts[start:]), given=" ".join(parts[:start]))
