"""Titles of works: their words without markup, and how alike two of them are."""

import html
import re
import unicodedata
from collections.abc import Iterator

from rapidfuzz import fuzz

from schemas.scholarly import NoticeKind

_TAG = re.compile(r"</?[A-Za-z][\w:.-]*(?:\s[^<>]*)?/?>")
_LATEX = re.compile(r"\\[A-Za-z]+\*?\s*|\\[^A-Za-z]|[{}$]")
_WORD = re.compile(r"[^\W_]+")
_LONGEST_WORD = 50
_SHORTEST_MAIN = 2
"""Words of a title without its subtitle that can still name a work."""
_SUBTITLE = re.compile(r"(?:\s*:\s+|\s+[-\u2013\u2014]+\s+|(?<=\?)\s+)")
_STANDING = re.compile(
    r"^\s*[\[(]?\s*(?:(?P<retraction>retracted(?:\s+(?:article|paper|chapter))?)"
    r"|(?P<withdrawal>withdrawn(?:\s+(?:article|paper|chapter))?|(?:temporary\s+)?removal|removed)"
    r"|(?P<concern>expression\s+of\s+concern))\s*(?:[\])]\s*:?|:|\s[-\u2013\u2014]\s)\s*(?=\S)",
    re.IGNORECASE,
)
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "&": " and "}
)
_SPELLINGS = (
    (re.compile(r"is(ation|ations|e|ed|es|ing)$"), r"iz\1"),
    (re.compile(r"(?<=\w{3})our(?=s?$|ed$|ing$|al$|able$)"), "or"),
    (re.compile(r"(?<=\w{2})tre(?=s?$)"), "ter"),
    (re.compile(r"(?<=\w)[ao]e(?=\w{3})|^[ao]e(?=\w{3})"), "e"),
    (re.compile(r"(?<=\w{2})ll(?=(?:ed|ing|er|ers)$)"), "l"),
)
"""British and American spellings, brought to one; both sides of a comparison go through them."""


def likeness(one: str, other: str) -> float:
    """Return how alike two titles are, 0 to 1: token-sort ratio of their words.

    Markup, case, diacritics, spelling of the two Englishes, notes such as ``RETRACTED:``, and a subtitle that
    only one of them has make no difference.
    """
    if same_words(one, other) or same_words(other, one):
        return 1.0
    pairs = _pairs(one, other)
    return max((fuzz.token_sort_ratio(" ".join(a), " ".join(b)) / 100 for a, b in pairs), default=0.0)


def same_words(claimed: str, recorded: str) -> bool:
    """Whether two titles have the same words in the same order; hyphens and joined words do not count.

    A subtitle of the record may be missing in the claim; one that only the claim has makes it another title.
    """
    ours = words(claimed)
    return any(_same(ours, words(each)) for each in _shortenings(recorded))


def added_subtitle(claimed: str, recorded: str) -> str:
    """Return the subtitle of a claim whose title is otherwise that of a record without one; empty if none."""
    main = _main(claimed)
    if _main(recorded) or len(words(main)) < _SHORTEST_MAIN or not same_words(main, recorded):
        return ""
    return plain(claimed)[len(main) :].strip(" :-\u2013\u2014")


def words(title: str) -> tuple[str, ...]:
    """Return the words of a title, as they are compared."""
    return tuple(_spelled(word) for word in _WORD.findall(folded(_STANDING.sub("", plain(title)))))


def search_words(title: str) -> tuple[str, ...]:
    """Return words to search for, in lower case and at most 15: those of four letters, or all if none has."""
    found = tuple(word[:_LONGEST_WORD] for word in _WORD.findall(plain(title).lower()))
    long = tuple(word for word in found if len(word) > 3 or not word.isalpha())
    return (long or found)[:15]


def plain(text: str) -> str:
    """Return ``text`` without HTML, XML and LaTeX markup, on one line."""
    return " ".join(_LATEX.sub("", unmarked(text)).split())


def unmarked(text: str) -> str:
    """Return ``text`` without HTML and XML markup, on one line."""
    return " ".join(without_tags(unescaped(text)).split())


def unescaped(text: str) -> str:
    """Return ``text`` with the signs that HTML names."""
    return html.unescape(html.unescape(text))  # registries hold titles that were escaped twice


def without_tags(text: str) -> str:
    """Return ``text`` without tags of HTML and XML, blanks as they are."""
    return _TAG.sub("", text)


def folded(text: str) -> str:
    """Return ``text`` in lower case without diacritics; Greek letters become their names."""
    lower = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    return "".join(_greek(each) for each in lower if not unicodedata.combining(each))


def notice_in(title: str) -> NoticeKind | None:
    """Return what a publisher put before the title about its standing; None if nothing."""
    match = _STANDING.match(plain(title))
    found: dict[str, NoticeKind] = {
        "retraction": "retraction",
        "withdrawal": "withdrawal",
        "concern": "concern",
    }
    return next((found[name] for name, text in match.groupdict().items() if text), None) if match else None


def _same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return bool(one) and "".join(one) == "".join(other)


def _pairs(one: str, other: str) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """The words of both; and without the subtitle, if only one title has one."""
    yield words(one), words(other)
    one_main, other_main = _main(one), _main(other)
    if bool(one_main) != bool(other_main):
        yield words(one_main or one), words(other_main or other)


def _main(title: str) -> str:
    """The title without its subtitle; empty if it has none."""
    parts = _SUBTITLE.split(_STANDING.sub("", plain(title)), maxsplit=1)
    return parts[0] if len(parts) == 2 and all(part.strip() for part in parts) else ""


def _shortenings(title: str) -> Iterator[str]:
    """The title, and as it is without its subtitles."""
    whole = _STANDING.sub("", plain(title))
    yield whole
    yield from (whole[: each.start()] for each in _SUBTITLE.finditer(whole))


def _spelled(word: str) -> str:
    if len(word) < 5:
        return word
    for pattern, spelling in _SPELLINGS:
        word = pattern.sub(spelling, word)
    return word


def _greek(letter: str) -> str:
    if not "\u0370" <= letter <= "\u03ff":
        return letter
    name = unicodedata.name(letter, "").rpartition(" LETTER ")[2]
    return name.lower().removeprefix("final ") or letter
