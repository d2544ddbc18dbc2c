"""Scopes of intents: path globs, ``path#heading`` selectors, and ``!`` excludes.

The order of the patterns does not matter, and no wins over yes. A selector owns a section of a file: a
change is inside when everything outside the section is the same text before and after. Where the section
cannot be found the answer is no, never the whole file.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from penwright.domain.text.globs import Glob

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_SLASH = "\x1f"
"""Replaces a slash inside a heading."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of a scope."""

    written: str
    path: Glob
    heading: str | None


@dataclass(frozen=True, slots=True)
class Scope:
    """The patterns of one intent."""

    includes: tuple[Pattern, ...]
    excludes: tuple[Pattern, ...]

    @classmethod
    def of(cls, patterns: Sequence[str]) -> "Scope":
        """Sort the lines of ``owned_scope`` into what is owned and what is taken out."""
        lines = [line.strip() for line in patterns if line.strip()]
        return cls(
            includes=tuple(_pattern(line) for line in lines if not line.startswith("!")),
            excludes=tuple(_pattern(line[1:].strip(), line) for line in lines if line.startswith("!")),
        )

    @property
    def empty(self) -> bool:
        """Nothing is owned, so nothing may be written."""
        return not self.includes

    def may_own(self, path: str) -> bool:
        """Whether some part of ``path`` may be owned, as far as its name tells."""
        return any(each.path.matches(path) for each in self.includes) and not any(
            each.heading is None and each.path.matches(path) for each in self.excludes
        )

    def by_name(self, path: str) -> str | None:
        """The pattern that owns ``path`` whatever is in it; None if that depends on its text."""
        if any(each.path.matches(path) for each in self.excludes):
            return None
        return next((e.written for e in self.includes if e.heading is None and e.path.matches(path)), None)

    def allows(self, path: str, before: bytes | None, after: bytes | None) -> str | None:
        """The pattern that allows this change of ``path``; None if none does, or if that is unknown."""
        taken = [each for each in self.excludes if each.path.matches(path)]
        if any(each.heading is None or not _untouched(each.heading, before, after) for each in taken):
            return None
        owned = [each for each in self.includes if each.path.matches(path)]
        whole = next((each.written for each in owned if each.heading is None), None)
        if whole is not None:
            return whole
        return next((each.written for each in owned if _inside(each.heading or "", before, after)), None)


def _pattern(line: str, written: str | None = None) -> Pattern:
    path, marked, heading = line.partition("#")
    return Pattern(written or line, Glob.of(literal(path)), heading if marked else None)


def _inside(selector: str, before: bytes | None, after: bytes | None) -> bool:
    """Whether nothing but the text of the selected section differs."""
    old, new = _split(selector, before), _split(selector, after)
    return old is not None and new is not None and old.outside == new.outside


def _untouched(selector: str, before: bytes | None, after: bytes | None) -> bool:
    """Whether the selected section is the same before and after; one that is nowhere is."""
    old, new = _split(selector, before), _split(selector, after)
    if old is None and new is None:
        return all(content is None or _text(content) is not None for content in (before, after))
    return old is not None and new is not None and old.inside == new.inside


@dataclass(frozen=True, slots=True)
class _Split:
    """A text's lines inside and outside a section; the section's own heading is outside, and so stays."""

    inside: tuple[str, ...]
    outside: tuple[str, ...]


def _split(selector: str, content: bytes | None) -> _Split | None:
    """None when there is no such section, or no text."""
    text = None if content is None else _text(content)
    if text is None:
        return None
    inside: list[str] = []
    outside: list[str] = []
    found = within = False
    trail: list[tuple[int, str]] = []
    for line, heading in _lines(text):
        if heading is not None:
            trail = [each for each in trail if each[0] < heading[0]] + [heading]
            titles = [title for _, title in trail]
            begins = _selected(selector.removesuffix("/**"), titles)
            below = selector.endswith("/**") and _is_below(selector.removesuffix("/**"), titles)
            found, within = found or begins, begins or below
            (inside if below and not begins else outside).append(line)
        else:
            (inside if within else outside).append(line)
    return _Split(tuple(inside), tuple(outside)) if found else None


def _lines(text: str) -> list[tuple[str, tuple[int, str] | None]]:
    """Each line, and the heading it is; a line in a code fence is none."""
    lines: list[tuple[str, tuple[int, str] | None]] = []
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or line.strip().startswith(fence)):
            fence = "" if fence else mark[1]
        found = None if fence or mark else _HEADING.fullmatch(line.rstrip("\r"))
        lines.append((line, (len(found[1]), found[2]) if found else None))
    return lines


def _selected(selector: str, titles: Sequence[str]) -> bool:
    """Whether the headings down to here end as the selector says.

    It may begin at any heading: the title of the book above a chapter need not be named.
    """
    rule = _heading_rule(selector)
    named = [title.replace("/", _SLASH) for title in titles]
    return any(rule.fullmatch("/".join(named[at:])) for at in range(len(named)))


def _is_below(selector: str, titles: Sequence[str]) -> bool:
    return any(_selected(selector, titles[:depth]) for depth in range(1, len(titles)))


def _heading_rule(selector: str) -> re.Pattern[str]:
    parts = [literal(part).replace("/", _SLASH) for part in selector.split("/")]
    return re.compile("/".join(map(_title_rule, parts)), re.DOTALL)


def literal(part: str) -> str:
    """A part with the signs that mean something in a pattern written as ``%23`` (#), ``%2F`` and ``%25``."""
    return part.replace("%23", "#").replace("%2F", "/").replace("%25", "%")


def _title_rule(part: str) -> str:
    """One heading of a selector, in which only ``*`` and ``?`` are special."""
    signs = {"*": "[^/]*", "?": "[^/]"}
    return "".join(signs.get(sign, re.escape(sign)) for sign in re.sub(r"\*+", "*", part))


def _text(content: bytes) -> str | None:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None
