"""Keys of citations: surname, year and the title's first significant word, in lower-case ASCII.

``smith2020deep``; a work of unknown year has ``nd``. When another work has the key, a letter follows the
year: ``smith2020adeep``. A key never changes once it stands in a text.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator
from itertools import count

from penwright.domain.citations.titles import unmarked
from schemas.scholarly import Reference

_VALID = re.compile(r"[a-z][a-z0-9]*")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_NOT_ASCII = re.compile(r"[^a-z0-9]+")
_LETTERS = str.maketrans(
    {
        **{"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ħ": "h"},
        **{"ı": "i", "ŋ": "n", "ŧ": "t", "ə": "e"},
    }
)
_INSIGNIFICANT = frozenset(
    {
        *("a", "an", "the", "and", "or", "of", "on", "in", "for", "to", "with", "from", "by", "at", "as"),
        *("is", "are", "do", "does", "how", "what", "why", "when", "can", "toward", "towards", "into"),
        *("der", "die", "das", "den", "dem", "des", "ein", "eine", "einer", "und", "zu", "zur", "zum", "von"),
        *("über", "im", "le", "la", "les", "l", "un", "une", "du", "de", "et", "sur", "pour", "el", "los"),
        *("las", "y", "en", "il", "lo", "gli", "i", "di", "o", "os", "as", "da", "do", "dos"),
    }
)
_LONGEST_PART = 40
NO_YEAR = "nd"
NO_NAME = "anon"


def is_key(text: str) -> bool:
    """Whether ``text`` is a key as this house writes them."""
    return _VALID.fullmatch(text) is not None


def key_for(work: Reference, taken: Collection[str]) -> str:
    """A key for ``work`` that is not in ``taken``."""
    name, year, word = (
        _name(work),
        str(work.year) if work.year else NO_YEAR,
        _first_word(unmarked(work.title)),
    )
    return next(key for suffix in _suffixes() if (key := f"{name}{year}{suffix}{word}") not in taken)


def key_with_suffix(key: str, number: int) -> str:
    """A key that already stands somewhere, made different: letters after it, ``a`` for 1."""
    return f"{key}{_letters(number)}"


def _suffixes() -> Iterator[str]:
    """Nothing, a to z, then aa to az and so on."""
    yield ""
    yield from map(_letters, count(1))


def _letters(number: int) -> str:
    letters = ""
    while number:
        number, rest = divmod(number - 1, 26)
        letters = chr(ord("a") + rest) + letters
    return letters


def _name(work: Reference) -> str:
    first = next((each.family or each.given for each in work.people), "")
    return _ascii(first).lstrip("0123456789")[:_LONGEST_PART] or NO_NAME


def _first_word(title: str) -> str:
    words = _WORD.findall(unmarked(title).casefold())
    plain = ((word, _ascii(word)) for word in words)
    kept = (ascii_ for word, ascii_ in plain if word not in _INSIGNIFICANT and ascii_)
    return next(kept, "")[:_LONGEST_PART]


def _ascii(text: str) -> str:
    """Lower-case ASCII letters and digits; what has no such form is left out."""
    plain = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS))
    return _NOT_ASCII.sub("", plain)
