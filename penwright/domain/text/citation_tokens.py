"""Parts of a manuscript that are not prose: citations, code, maths, comments, addresses.

One pass from left to right; what opens first wins, so that a backtick in a title is not code, and a citation
in code is not a citation. Linear in the text: no closing sign is looked for twice.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

TokenKind = Literal["citation", "broken", "marker", "textual", "code", "maths", "comment", "address"]
"""``broken``: begins as a citation does and does not end as one. ``marker``: ``[@key]``, as pandoc has it.
``textual``: ``@key`` or ``-@key`` outside brackets, or behind other words inside them."""


@dataclass(frozen=True, slots=True)
class Token:
    """One such part."""

    kind: TokenKind
    start: int
    end: int
    block: bool = False
    """Whether it is a block of its own, such as fenced code."""


_OPENING = re.compile(
    r"(?P<fence>^[ ]{0,3}(?:`{3,}(?=[^`\n]*$)|~{3,}))"
    r"|(?P<citation>\[\[@)"
    r"|(?P<marker>\[-?@[^\]\[\n]{1,500}\])"
    r"|(?P<textual>(?<![\w\\@])-?@(?:\{[^{}\n]{1,500}\}|\w+(?:[:.#$%&+?<>~/-]\w+)*))"
    r"|(?P<ticks>`+)"
    r"|(?P<comment><!--)"
    r"|(?P<escape>\\[\\$`])"
    r"|(?P<display>\$\$|\\\[)"
    r"|(?P<maths>\$(?=[^\s$])|\\\()"
    r"|(?P<environment>\\begin\{(?:equation|align|gather|multline|verbatim|lstlisting|tabular)\*?\})"
    r"|(?P<address>\bhttps?://[^\s<>\"]{1,2000}|\b10\.\d{4,9}/[^\s<>\"]{1,2000})",
    re.MULTILINE,
)
_TRAILING = ".,;:!?'\"”’)]}*_。，！？"
_HEAD = re.compile(r"\[\[@[A-Za-z]+\s*\{")
BRACE = r"(?<!\\)[{}]"
"""A brace of an entry: as bibtexparser reads them, one behind a backslash is a sign of the value."""
_STRUCTURE = re.compile(rf"{BRACE}|\[\[@|\n[ \t]*\n")
_TAIL = re.compile(r"\s*\]\]")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_LONGEST_MATHS = 1_000
"""Characters of one formula inside a line; two prices in one paragraph are none."""


def tokens_of(text: str) -> tuple[Token, ...]:
    """Every such part of ``text``, in order, none inside another."""
    return tuple(_tokens(text))


def _tokens(text: str) -> Iterator[Token]:
    search, at = _Search(text), 0
    while found := _OPENING.search(text, at):
        token = search.token(found)
        at = found.end() if token is None else token.end
        if token is not None:
            yield token


@dataclass(slots=True)
class _Search:
    """Looks for the ends of what has begun."""

    text: str
    known: dict[str, int] = field(default_factory=dict)
    """By closing sign: where it comes next, as last looked for; so each place is looked at once."""

    def token(self, found: re.Match[str]) -> Token | None:
        """Read the token that begins with ``found``; None if it is plain text."""
        start, sign = found.start(), found[0]
        match found.lastgroup:
            case "citation":
                return citation_at(self.text, start)
            case "marker" | "textual" as kind:
                return Token(kind, start, found.end())
            case "address":
                return Token("address", start, start + len(_without_trailing(sign)))
            case "fence":
                return Token("code", start, self._fence_end(found), block=True)
            case "ticks":
                return self._code(found)
            case "maths":
                return self._formula(found)
            case "comment":
                return self._closed(found, "comment", "-->")
            case "display":
                return self._closed(found, "maths", "$$" if sign == "$$" else "\\]")
            case "environment":
                return self._closed(found, "maths", sign.replace("begin", "end", 1))
            case _:
                return None

    def _next(self, sign: str, pattern: re.Pattern[str], at: int) -> int:
        """Find ``pattern`` from ``at`` on; an offset after the text if it does not come."""
        if self.known.get(sign, -1) < at:
            found = pattern.search(self.text, at)
            self.known[sign] = found.start() if found else len(self.text) + 1
        return self.known[sign]

    def _closed(self, found: re.Match[str], kind: TokenKind, sign: str) -> Token | None:
        stop = self._next(sign, re.compile(re.escape(sign)), found.end())
        if stop > len(self.text):
            return None
        return Token(kind, found.start(), stop + len(sign), block=self._begins_line(found.start()))

    def _begins_line(self, start: int) -> bool:
        before = self.text[max(0, start - 4) : start].rstrip(" ")
        return not before or before.endswith("\n")

    def _code(self, found: re.Match[str]) -> Token | None:
        """Code inside a line ends with as many backticks, within its paragraph."""
        ticks = found[0]
        stop = self._next(ticks, re.compile(rf"(?<!`){ticks}(?!`)"), found.end())
        if stop > self._paragraph_end(found.end()):
            return None
        return Token("code", found.start(), stop + len(ticks))

    def _formula(self, found: re.Match[str]) -> Token | None:
        """A formula inside a line; a dollar closes it unless a space precedes or a digit follows."""
        sign = "$" if found[0] == "$" else "\\)"
        stop = self._next(f"formula {sign}", _FORMULA_ENDS[sign], found.end())
        limit = min(self._paragraph_end(found.end()), found.end() + _LONGEST_MATHS)
        if stop > limit or "[[@" in self.text[found.end() : stop]:
            return None
        return Token("maths", found.start(), stop + len(sign))

    def _paragraph_end(self, at: int) -> int:
        return min(len(self.text), self._next("paragraph", _BLANK_LINE, at))

    def _fence_end(self, found: re.Match[str]) -> int:
        """A fence ends with one at least as long, or with the text."""
        sign = found[0].strip()
        closing = re.compile(rf"^ {{0,3}}{re.escape(sign[0])}{{{len(sign)},}}[ \t]*$", re.MULTILINE)
        end = closing.search(self.text, found.end())
        return end.end() if end else len(self.text)


_FORMULA_ENDS = {"$": re.compile(r"(?<![\s\\$])\$(?![\d$])"), "\\)": re.compile(r"\\\)")}


def citation_at(text: str, start: int) -> Token:
    """The citation that begins at ``start`` with ``[[@``, or where it is broken off."""
    head = _HEAD.match(text, start)
    if head is None:
        return Token("broken", start, _broken_end(text, start))
    depth, at = 1, head.end()
    while found := _STRUCTURE.search(text, at):
        if found[0] not in "{}":
            break
        depth += 1 if found[0] == "{" else -1
        at = found.end()
        if depth == 0:
            tail = _TAIL.match(text, at)
            return Token("citation", start, tail.end()) if tail else Token("broken", start, at)
    return Token("broken", start, _broken_end(text, start))


def _broken_end(text: str, start: int) -> int:
    """Find the end of a broken citation: its closing brackets, or its line's end, or the next one."""
    following = text.find("[[@", start + 3)
    behind = len(text) if following < 0 else following
    line_end = text.find("\n", start, behind)
    limit = behind if line_end < 0 else line_end
    closed = text.find("]]", start, limit)
    return closed + 2 if closed >= 0 else limit


def _without_trailing(address: str) -> str:
    """An address without the signs that end its sentence; a bracket stays if it was opened inside."""
    while address and address[-1] in _TRAILING:
        opening = {")": "(", "]": "[", "}": "{"}.get(address[-1])
        if opening and address.count(opening) >= address.count(address[-1]):
            break
        address = address[:-1]
    return address
