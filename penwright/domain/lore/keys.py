"""Keys as people write them: plain texts, and regular expressions as ``/pattern/flags``."""

from typing import NamedTuple

import regex

from penwright.domain.lore.javascript import as_python
from penwright.domain.lore.words import exact, folded

LONGEST_PLAIN = 200
LONGEST_EXPRESSION = 500
"""Characters of a key; a longer one is never found, and the entry's verdict says so."""
_SHAPE = regex.compile(r"/(?P<pattern>(?:\\.|[^/\\])+)/(?P<flags>[dgimsuvy]*)", regex.DOTALL)
_FLAGS = {"i": regex.IGNORECASE, "m": regex.MULTILINE, "s": regex.DOTALL}
"""Meaning of the flags; the other flags of JavaScript change nothing here."""


class Key(NamedTuple):
    """One key of an entry."""

    text: str
    """As written."""
    needle: str = ""
    """Of a plain key: what is looked for in texts of the same form."""
    folds: bool = True
    """Of a plain key: whether upper and lower case are the same."""
    whole: bool = True
    """Of a plain key: whether it must be whole words."""
    slot: int = -1
    """Of a plain key: its number in the index of the book."""
    pattern: "regex.Pattern[str] | None" = None
    fault: str = ""
    """Reason why it can never be found."""


def read_key(text: str, *, case_sensitive: bool, whole_words: bool) -> Key | None:
    """Read one key; None if there is nothing to look for.

    What is not written as an expression of JavaScript is plain text: ``/home/user``, ``and/or``. An
    expression has its own flags; case and whole words do not apply to it.
    """
    if shape := _SHAPE.fullmatch(text.strip()):
        return _expression(text, shape["pattern"], shape["flags"])
    needle = exact(text)
    if len(needle) > LONGEST_PLAIN:
        return Key(text, fault=f"is longer than {LONGEST_PLAIN} characters")
    if not case_sensitive:
        needle = folded(needle)
    return Key(text, needle, folds=not case_sensitive, whole=whole_words) if needle else None


def _expression(text: str, pattern: str, letters: str) -> Key:
    if len(pattern) > LONGEST_EXPRESSION:
        return Key(text, fault=f"is longer than {LONGEST_EXPRESSION} characters")
    flags = regex.VERSION0
    for letter in letters:
        flags |= _FLAGS.get(letter, regex.VERSION0)
    try:
        return Key(text, pattern=regex.compile(as_python(pattern), flags))
    except (regex.error, ValueError, OverflowError, LookupError, RecursionError) as error:
        return Key(text, fault=f"is no regular expression: {error}")
