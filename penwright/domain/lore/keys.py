"""Keys as people write them: plain texts, and JavaScript's regular expressions as ``/pattern/flags``."""

from typing import NamedTuple

import regex

from penwright.domain.lore.words import exact, folded

_TOKEN = regex.compile(
    r"\\u\{(?P<code>[0-9A-Fa-f]{1,8})\}"
    r"|\\u(?P<high>[dD][89abAB][0-9A-Fa-f]{2})\\u(?P<low>[dD][c-fC-F][0-9A-Fa-f]{2})"
    r"|\\k<(?P<name>\w+)>"
    r"|\\c(?P<control>[A-Za-z])"
    r"|\\(?P<sign>.)"
    r"|(?P<any>\[\^\])|(?P<none>\[\])"
    r"|(?P<set>\[\^?(?:\\.|[^\]\\])+\])"
    r"|.",
    regex.DOTALL,
)
_MEANT = frozenset("dDwWsSbBnrtfvxucpP")
"""Letters that mean something behind a backslash; every other one means itself there."""


def as_python(pattern: str) -> str:
    """Return a pattern that finds the same; of JavaScript's own is ``[^]``, ``\\u{1F600}``, ``\\k<name>``.

    Raises:
        ValueError: there is no such character.
    """
    return str(_TOKEN.sub(_translated, pattern))


def _translated(found: "regex.Match[str]") -> str:
    if found["code"]:
        return regex.escape(chr(int(found["code"], 16)))
    if found["high"]:
        pair = 0x10000 + ((int(found["high"], 16) - 0xD800) << 10) + int(found["low"], 16) - 0xDC00
        return regex.escape(chr(pair))
    if found["name"]:
        return f"(?P={found['name']})"
    if found["control"]:
        return regex.escape(chr(ord(found["control"]) % 32))
    if sign := found["sign"]:
        return sign if sign.isascii() and sign.isalpha() and sign not in _MEANT else found[0]
    if found["any"] or found["none"]:
        return r"[\s\S]" if found["any"] else "(?!)"
    return _set(found["set"]) if found["set"] else found[0]


def _set(text: str) -> str:
    """A set; a bracket that stands open within one is a sign of it."""
    head = 2 if text.startswith("[^") else 1
    within = _TOKEN.sub(lambda each: r"\[" if each[0] == "[" else _translated(each), text[head:-1])
    return f"{text[:head]}{within}]"


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
