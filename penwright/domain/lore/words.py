"""Texts in the form in which keys are looked for, and where words end in any script."""

from unicodedata import normalize

import regex

_UNSPACED = "".join(
    rf"\p{{{script}}}"
    for script in (
        *("Han", "Hiragana", "Katakana", "Bopomofo", "Hangul"),
        *("Thai", "Lao", "Khmer", "Myanmar", "Tibetan"),
    )
)
"""Scripts that put no space between words, or write particles to them: any occurrence counts as a word."""
_TWO_OF_A_WORD = regex.compile(rf"(?V1)[[\p{{L}}\p{{M}}\p{{N}}]--[{_UNSPACED}]]{{2}}")


def exact(text: str) -> str:
    """The text composed, each run of white space as one space, apostrophes straight."""
    composed = text if text.isascii() else normalize("NFC", text).replace("’", "'").replace("ʼ", "'")
    return " ".join(composed.split())


def folded(text: str) -> str:
    """``exact`` without upper and lower case; ``text`` is exact already."""
    return text.lower() if text.isascii() else normalize("NFC", text.casefold())


def is_whole(text: str, start: int, end: int) -> bool:
    """Whether no word goes on over the edges of a passage.

    Letters, marks and digits of one word belong together; an underscore or an apostrophe ends a word, as
    in ``_Rose_`` and ``Rose's``.
    """
    return not (_joined(text, start) or _joined(text, end))


def _joined(text: str, at: int) -> bool:
    """Whether the characters before and behind a place belong to one word."""
    if not 0 < at < len(text):
        return False
    before, behind = text[at - 1], text[at]
    if before.isascii() and behind.isascii():
        return before.isalnum() and behind.isalnum()
    return _TWO_OF_A_WORD.match(text, at - 1, at + 1) is not None
