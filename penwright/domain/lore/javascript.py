"""Regular expressions of JavaScript, as those of Python's ``regex``."""

import regex

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
