"""Patterns of paths: git's wildmatch, anchored at the top of the workspace. ``docs/globs.md`` specifies them.

No pattern can run away: what follows a ``*`` or ``**``, except the last one, is taken where it first fits.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

_STAR, _ONE_OR_MORE = "[^/]*", "[^/]+"
_SIGN = re.compile(r"\\.|\*+|\[[!^]?\]?(?:\[:[^]:]*:\]|\\.|[^]\\])*\]|.", re.DOTALL)
"""An escaped character, a run of stars, a list in brackets, or any one character."""
_LISTED = re.compile(r"\[:([^]:]*):\]|(\\.|.)(?:-(\\.|.))?", re.DOTALL)
"""A class, one character of a list, or a range."""
_CLASSES: Mapping[str, str] = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": r"\ \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": r"\x21-\x7e",
    "lower": "a-z",
    "print": r"\x20-\x7e",
    "punct": r"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    "space": r"\ \t\n\v\f\r",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}
"""Ranges that the classes of a list stand for, such as ``[[:digit:]]``."""


@dataclass(frozen=True, slots=True)
class Glob:
    """One pattern, compiled."""

    pattern: str
    _parts: tuple[str, ...]
    """Each part as a regular expression, ``**`` as it is."""
    _rule: re.Pattern[str]

    @classmethod
    def of(cls, pattern: str) -> "Glob":
        """Compile ``pattern``; one that cannot be read as wildmatch matches itself."""
        parts = tuple(part if part == "**" else _name(part) for part in _parts(pattern))
        return cls(pattern, parts, re.compile(_joined(parts), re.DOTALL))

    def matches(self, path: str) -> bool:
        """Whether the whole of ``path`` fits."""
        return self._rule.fullmatch(path) is not None

    def may_hold(self, folder: str) -> bool:
        """Whether a path below ``folder`` (without slash at its end) could fit."""
        for at, name in enumerate(folder.split("/")):
            part = self._parts[min(at, len(self._parts) - 1)]
            if part == "**":
                return True
            if at >= len(self._parts) - 1 or not re.fullmatch(part, name, re.DOTALL):
                return False
        return True


@dataclass(frozen=True, slots=True)
class Globs:
    """Several patterns, any of which may fit."""

    each: tuple[Glob, ...]
    _rule: re.Pattern[str]
    """All of them in one, because a folder may hold thousands of names."""

    @classmethod
    def of(cls, patterns: Iterable[str]) -> "Globs":
        each = tuple(Glob.of(pattern) for pattern in patterns)
        rule = "|".join(f"(?:{glob._rule.pattern})" for glob in each)
        return cls(each, re.compile(rule or r"(?!)", re.DOTALL))

    def __contains__(self, path: str) -> bool:
        return self._rule.fullmatch(path) is not None

    def first(self, path: str) -> str | None:
        """The first pattern that fits, as it was written."""
        return next((glob.pattern for glob in self.each if glob.matches(path)), None)

    def may_hold(self, folder: str) -> bool:
        """Whether a path below ``folder`` (without slash at its end) could fit."""
        return any(glob.may_hold(folder) for glob in self.each)


def matches(pattern: str, path: str) -> bool:
    """Whether the whole of ``path`` fits ``pattern``; for more than one path, keep a ``Glob``."""
    return Glob.of(pattern).matches(path)


def only(path: str) -> str:
    """Return the glob that fits ``path`` and nothing else."""
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in path)


def _parts(pattern: str) -> Sequence[str]:
    parts = pattern.removeprefix("./").removeprefix("/").split("/")
    if len(parts) > 1 and not parts[-1]:
        parts[-1] = "**"
    return [part for part, before in zip(parts, ["", *parts], strict=False) if (part, before) != ("**", "**")]


def _name(part: str) -> str:
    """One part of a pattern as a regular expression for one name."""
    if part and not part.strip("*"):
        return _ONE_OR_MORE
    pieces = [""]
    for sign in _SIGN.findall(part):
        if sign[0] == "*":
            pieces.append("")
        else:
            pieces[-1] += _sign(sign)
    try:
        re.compile("".join(pieces))
    except re.error:  # A range such as ``[z-a]``, or a class that does not exist.
        return re.escape(part)
    return _sought_once(pieces, _STAR) if part else r"(?!)"


def _sign(sign: str) -> str:
    """One sign, other than stars, as a regular expression."""
    if sign == "?":
        return "[^/]"
    if len(sign) > 2 and sign[0] == "[":
        return _list_of(sign[1:-1])
    return re.escape(sign[1:] if len(sign) > 1 else sign)


def _list_of(content: str) -> str:
    """Turn the content of brackets into a regular expression for one character, which is never a slash."""
    negated = content[0] in "!^"
    ranges = _LISTED.findall(content[negated:])
    listed = "".join(_CLASSES.get(name, "z-a") if name else _range(ends) for name, *ends in ranges)
    return f"(?!/)[{'^' if negated else ''}{listed}]"


def _range(ends: Sequence[str]) -> str:
    return "-".join(re.escape(end[-1]) for end in ends if end)


def _sought_once(pieces: Sequence[str], between: str) -> str:
    """``pieces`` with ``between`` among them; all but the last are taken where they first fit."""
    first, *others = pieces
    if not others:
        return first
    return "".join([first, *(f"(?>{between}?{piece})" for piece in others[:-1]), between, others[-1]])


def _joined(parts: Sequence[str]) -> str:
    """A pattern's parts as a regular expression for paths."""
    groups: list[list[str]] = [[]]
    for part in parts:
        if part == "**":
            groups.append([])
        else:
            groups[-1].append(part)
    *front, last = groups
    if not front:
        return "/".join(last)
    pieces = ["".join(f"{part}/" for part in group) for group in front]
    if not last:
        return _sought_once(pieces, "(?:[^/]+/)*") + ".+"
    return _sought_once([*pieces, "/".join(last)], "(?:[^/]+/)*")
