"""Count words: runs of characters other than white space, without HTML comments and inline citations.

Scripts that put no space between words have other rules: each Chinese or Japanese character is a word, as its
readers count; of Thai, Lao, Khmer, Burmese and Tibetan five signs are taken for one, which is an estimate.
"""

import re
from collections.abc import Iterator

from penwright.domain.text.counted import counted
from penwright.domain.text.inline_citations import without_whole_citations
from penwright.domain.text.languages import language_tag
from schemas.base import LengthUnit

_CHARACTERS = (
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\uff66-\uff9d\U00020000-\U0003ffff"
)
"""Chinese and Japanese."""
_RUN_TOGETHER = "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff"
"""Thai and Lao, Tibetan, Burmese, Khmer."""
UNSPACED = f"{_CHARACTERS}{_RUN_TOGETHER}"
"""Letters of scripts without space between words, as ranges for a class of a pattern."""
_ANY_UNSPACED = re.compile(f"[{UNSPACED}]")
_OTHER = rf"[^\W_{UNSPACED}]+"
_PIECE = re.compile(rf"[{_CHARACTERS}]|[{_RUN_TOGETHER}]{{1,5}}|{_OTHER}(?:['’.,-]{_OTHER})*")
"""A word within a run of characters of which one is of such a script."""
_ESTIMATED = re.compile(f"[{_RUN_TOGETHER}]")
_SIGN = re.compile(r"\w")
_COUNTED_IN_CHARACTERS = frozenset({"zh", "ja"})
_WIDE_SPACES = (
    "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_WORD_OR_SPACE = bytes(0x20 if byte in b"\t\n\x0b\x0c\r " else 0x78 for byte in range(256))
"""Maps every byte to a blank or an x. ``str.split`` also splits at U+001C to U+001F, which we do not."""


def count_words(text: str) -> int:
    """Count the words that a reader sees: headings count, comments and citations ``[[@…{…}]]`` do not."""
    return _count(without_comments(without_whole_citations(text)))


def split_words(text: str) -> list[str]:
    """Return the words of a text without comments, with the signs that stand at them.

    In a script without spaces each word stands alone, and signs between them are left out.
    """
    if text.isascii() or not _ANY_UNSPACED.search(text):
        return text.split()
    return [word for run in text.split() for word in _words_of_run(run)]


def is_unspaced(text: str) -> bool:
    """Whether most of the words of a text are single signs of a script without spaces."""
    signs = len(_ANY_UNSPACED.findall(text))
    return 2 * signs > len(split_words(text)) if signs else False


def is_estimated(text: str) -> bool:
    """Whether most words of a text are in a script whose words we only estimate."""
    return 2 * len(_ESTIMATED.findall(text)) > len(_SIGN.findall(text))


def unit_of(language: str) -> LengthUnit:
    """Return the unit of lengths of a text in this language, in English.

    Args:
        language: as ``Config.yml`` names it.
    """
    return "characters" if language_tag(language).partition("-")[0] in _COUNTED_IN_CHARACTERS else "words"


def told_length(number: int, unit: LengthUnit) -> str:
    """Return ``1 word``, ``1,200 words``, ``1,200 characters``."""
    return counted(number, unit.removesuffix("s"))


def _count(visible: str) -> int:
    if not visible.isascii():
        for space in _WIDE_SPACES:
            visible = visible.replace(space, " ")
        if _ANY_UNSPACED.search(visible):
            return len(split_words(visible))
    signs = visible.encode("utf-8", "surrogatepass").translate(_WORD_OR_SPACE)
    return signs.count(b" x") + signs.startswith(b"x")


def _words_of_run(run: str) -> list[str]:
    return _PIECE.findall(run) if _ANY_UNSPACED.search(run) else [run]


def without_comments(text: str) -> str:
    """Return ``text`` without its HTML comments; an unclosed comment is text."""
    kept: list[str] = []
    position = 0
    for start, end in comments(text):
        kept.append(text[position:start])
        position = end
    kept.append(text[position:])
    return "".join(kept)


def comments(text: str) -> Iterator[tuple[int, int]]:
    """From where to where each HTML comment stands."""
    position = 0
    while (start := text.find("<!--", position)) >= 0 and (end := text.find("-->", start + 2)) >= 0:
        position = end + 3
        yield start, position
