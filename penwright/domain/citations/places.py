"""Comparison of places of publication: equal names of journals or books, equal volumes, equal page ranges."""

import re
from typing import Final

from penwright.domain.citations.titles import folded, plain

_WORD = re.compile(r"[^\W_]+")
_BRACKETED = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_SUBTITLE = re.compile(r"\s*[:=]\s+|\s+[-\u2013\u2014]+\s+")
_SMALL: Final = frozenset(
    {
        *("the", "of", "and", "in", "for", "on", "an", "to", "de", "du", "des", "la", "le", "les"),
        *("der", "die", "das", "und", "fur", "et", "el", "del", "y", "di", "della", "e", "och"),
    }
)
_CONTRACTED: Final = {
    "natl": ("national",),
    "intl": ("international",),
    "jpn": ("japan", "japanese"),
    "dtsch": ("deutsche", "deutsches"),
    "ztg": ("zeitung",),
}
"""Abbreviations of the ISO 4 list that are no beginning of their word."""
_COUNTRY: Final = (("united", "states", "america"), ("u", "s", "a"), ("usa",))
_MEETING = re.compile(r"proceedings|proc|annual|\d{4}|\d+(?:st|nd|rd|th)")
_PREPRINTS: Final = frozenset(("arxiv", "corr"))
_LETTERS_OF_A_NAME: Final = 3
"""Fewest letters that can stand for a whole name, such as ``JCO``."""
_VOLUME_WORDS: Final = frozenset(("vol", "volume", "v", "bd", "band", "t", "tome", "no", "nr"))
_PAGE_WORDS = re.compile(r"^\s*(?:pp?|pages?|pgs?|s)\.?\s+(?=\w)|^\s*pp?\.?\s*(?=\d)", re.IGNORECASE)
_PAGE = re.compile(r"[^\W_]*\d[^\W_]*|\b[ivxlcdm]+\b")
_LETTER = re.compile(r"\D")
_DASH = re.compile(r"\s*[-\u2010-\u2015\u2212]+\s*")
_ROMAN = re.compile(r"(?=.)m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_VALUES: Final = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}


def same_container(claimed: str, recorded: str) -> bool:
    """Whether two names are one journal, proceedings or book.

    Each word may be cut (``J. Clin. Oncol.``), and a name may be its initials (``JCO``); a name of one word
    must be whole, for ``Cell`` is not ``Cells``. What the record alone has behind a colon or in brackets does
    not count.
    """
    ours = _words(claimed)
    shorter = _SUBTITLE.split(plain(recorded))[0]
    return any(
        _one_name(ours, _words(each)) or _initials(ours, _words(each, whole=True))
        for each in dict.fromkeys((recorded, _BRACKETED.sub("", recorded), shorter, _in_brackets(recorded)))
    ) or _initials(_words(recorded), _words(claimed, whole=True))


def is_preprint_server(container: str) -> bool:
    """Whether a name such as ``arXiv preprint arXiv:1706.03762`` says arXiv, not a journal."""
    return next(iter(_WORD.findall(folded(container))), "") in _PREPRINTS


def same_volume(claimed: str, recorded: str) -> bool:
    """Whether two volumes are one; an issue in brackets and Roman figures do not count."""
    ours, theirs = _numbers(claimed), _numbers(recorded)
    return bool(ours) and bool(theirs) and (ours[0] in theirs or theirs[0] in ours)


def same_pages(claimed: str, recorded: str) -> bool:
    """Whether two ranges have one first page and, if both have a last one, one last page (``436-44``)."""
    (first, last), (first_there, last_there) = _range(claimed), _range(recorded)
    if not first or first != first_there:
        return False
    return not last or not last_there or last == last_there


def _words(name: str, *, whole: bool = False) -> tuple[str, ...]:
    found = tuple(each for each in _WORD.findall(folded(plain(name))) if each not in _SMALL)
    kept = found if whole else tuple(each for each in found if not _MEETING.fullmatch(each))
    tail = next((each for each in _COUNTRY if kept[-len(each) :] == each), ())
    return (kept[: -len(tail)] if tail else kept) or found


def _one_name(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    if "".join(one) == "".join(other):
        return bool(one)
    return len(one) == len(other) > 1 and all(map(_cut, one, other))


def _cut(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return long.startswith(short) or long in _CONTRACTED.get(short, ())


def _initials(short: tuple[str, ...], name: tuple[str, ...]) -> bool:
    """Whether a name of one word is the initials of the other."""
    letters = short[0] if len(short) == 1 else ""
    return len(letters) >= _LETTERS_OF_A_NAME and letters == "".join(word[0] for word in name)


def _in_brackets(name: str) -> str:
    """Find the short names that a record gives, such as ``(CVPR)``."""
    return " ".join(re.findall(r"\(([A-Z][\w-]+)\)\s*$", name))


def _numbers(volume: str) -> tuple[str, ...]:
    found = (each for each in _WORD.findall(folded(plain(volume))) if each not in _VOLUME_WORDS)
    return tuple(_arabic(each) for each in found)


def _range(pages: str) -> tuple[str, str]:
    """First page, and the digits of the last one in full; empty where there is none."""
    parts = _DASH.split(_PAGE_WORDS.sub("", plain(pages)), maxsplit=1)
    found = [_PAGE.search(folded(part)) for part in parts]
    first, last = (_arabic(each[0]) if each else "" for each in (*found, None)[:2])
    digits, end = (_LETTER.sub("", each) for each in (first, last))
    return first, digits[: len(digits) - len(end)] + end if end else ""


def _arabic(number: str) -> str:
    """A number without leading zeros; Roman figures as Arabic ones."""
    if not _ROMAN.fullmatch(number):
        return re.sub(r"(?<!\d)0+(?=\d)", "", number)
    values = [_VALUES[sign] for sign in number]
    following = (*values[1:], 0)
    return str(sum(-own if own < next_ else own for own, next_ in zip(values, following, strict=True)))
