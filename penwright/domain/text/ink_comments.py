"""The only parser of INK comments: the author's instructions, the engine's markers, notes about conflicts,
and malformed ones.

Comments inside code fences and inline code are text. Spans are positions in the original text; its line ends
are not normalized. Of an unclosed comment only the opening counts as comment, so no text is lost.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from penwright.domain.text import conflict_notes

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Comment:
    """One INK comment."""

    kind: Literal["instruction", "marker", "conflict", "malformed"]
    start: int
    end: int
    line: int
    """Counted from 1."""
    text: str
    """The instruction, the marker's name such as ``NEW:START``, what a note about a conflict says, or advice
    on how to fix the comment."""


@dataclass(frozen=True, slots=True)
class Marked:
    """The parts of a text that are not prose."""

    comments: tuple[Comment, ...]
    opaque: tuple[Span, ...]
    """Code and comments that are not INK's; blank lines do not divide them."""
    loose_fences: tuple[int, ...] = ()
    """Lines, counted from 1, of unclosed fences: text now, but code once a later fence closes them."""


_TOKEN = re.compile(r"[<`~](?:(?<=<)!--|(?<=`)`*|(?<=~)~~+)")
"""``<!--``, backticks, or a fence of tildes; beginning with a character set makes the search fast."""
_HEAD = re.compile(r"<!--\s*INK\s*[:\uff1a]", re.IGNORECASE)
_NO_COLON = re.compile(r"<!--\s*INK(?=\s|[;,.=]|[-\u2013\u2014]\s)", re.IGNORECASE)
_SLIPS = "IKN|NIK|INKK|IINK|INNK|INKS|IMK|IBK|IHK|IJK|INJ|INL|INM|INC|LNK|1NK|UNK|ONK|JNK|KNK"
"""INK with one key hit wrongly, twice or too late; no word or abbreviation that a comment may begin with."""
_MISSPELT = re.compile(rf"<!--\s*({_SLIPS})\s*[:\uff1a]")
_NO_COMMENT = re.compile(
    r"(?:<[ ]?!?[ ]?[-\u2013\u2014]{1,3}|&lt;!--|<!?|\[)[ \t]*INK[ \t]*[:\uff1a](?=[ \t]*\S)"
)
"""A note whose opening is not that of a comment, such as one whose hyphens an editor has made a dash."""
_EDGE = r"(NEW|REWORKED|ORIGINAL)\s*:\s*(START|END)"
_EDGE_LINE = rf"^ {{0,3}}<!--\s*INK\s*:\s*{_EDGE}\s*-->[ \t\r]*$"
_MARKER = re.compile(
    rf"\s*(?:{_EDGE}|(CHAPTER)\s*:\s*([0-9]{{1,6}})|(README)\s*:\s*(CHAPTERS))\s*",
    re.IGNORECASE,
)
_MOST_LOOSE = 5
"""Unclosed fences that are reported."""
_PARAGRAPH_END = re.compile(r"\n(?:[ \t\r]*(?=\n)| {0,3}(?=<!--))")
"""A blank line, or a comment at the start of a line: in Markdown, inline code ends before either."""


def parse_comments(text: str) -> tuple[Comment, ...]:
    """Return every INK comment, in text order."""
    return parse_marked(text).comments


def parse_marked(text: str) -> Marked:
    """Return every INK comment, and the spans of code and other comments."""
    return _Parser(text).parse()


class _Parser:
    """Parses one text in one pass."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._comments: list[Comment] = []
        self._opaque: list[Span] = []
        self._loose: list[int] = []
        self._unclosable: dict[str, tuple[int, int]] = {}
        """By sign, (length, position): fences of this length or longer are unclosed before that position."""
        self._paragraph_end = 0
        self._arrow = text.find("-->")
        self._counted_to = 0
        self._line = 1
        self._open_until = 0
        """Where the last comment that is not INK's and has an INK comment in it ends for a reader."""

    def parse(self) -> Marked:
        position = 0
        while token := _TOKEN.search(self._text, position):
            position = self._comment(token.start()) if token[0] == "<!--" else self._code(token)
        loose = tuple(self._text.count("\n", 0, start) + 1 for start in self._loose[:_MOST_LOOSE])
        comments = self._comments
        if strays := self._strays():
            comments = sorted([*comments, *strays], key=lambda comment: comment.start)
        return Marked(tuple(comments), tuple(self._opaque), loose)

    def _strays(self) -> list[Comment]:
        """Notes that do not begin as a comment does: to a reader of the book they would be text."""
        return [
            Comment(
                "malformed",
                found.start(),
                found.end(),
                self._text.count("\n", 0, found.start()) + 1,
                f"{found[0]!r} does not begin a comment; write <!-- INK: what you want -->, or delete it",
            )
            for found in self._outside_of_marks(_NO_COMMENT.finditer(self._text))
        ]

    def _outside_of_marks(self, matches: Iterable[re.Match[str]]) -> Iterator[re.Match[str]]:
        """The matches, in text order, that begin outside of comments and code."""
        marks = iter(sorted([*((each.start, each.end) for each in self._comments), *self._opaque]))
        covered, upcoming = 0, next(marks, None)
        for match in matches:
            while upcoming is not None and upcoming[0] <= match.start():
                covered, upcoming = max(covered, upcoming[1]), next(marks, None)
            if match.start() >= covered:
                yield match

    def _code(self, token: re.Match[str]) -> int:
        end = self._fence_end(token) if len(token[0]) >= 3 else None
        if end is None and token[0][0] == "`":
            end = self._inline_end(token)
        if end is None:
            return token.end()
        self._opaque.append((token.start(), end))
        return end

    def _fence_end(self, token: re.Match[str]) -> int | None:
        """Return where the fence that opens here ends; None if unclosed, so that it cannot hide the rest.

        An engine marker before the end also makes it unclosed: the texts around a marker are separate.
        """
        text, sign, length = self._text, token[0][0], len(token[0])
        line_start = text.rfind("\n", 0, token.start()) + 1
        indent = text[line_start : token.start()]
        line_end = text.find("\n", token.end())
        if line_end < 0 or len(indent) > 3 or indent.strip(" ") or "`" in text[token.end() : line_end]:
            return None
        shortest, until = self._unclosable.get(sign, (0, 0))
        if length >= shortest and token.start() < until:
            self._loose.append(token.start())
            return None
        closing = re.compile(
            rf"^ {{0,3}}{sign}{{{length},}}[ \t\r]*$|{_EDGE_LINE}", re.MULTILINE | re.IGNORECASE
        )
        found = closing.search(text, line_end + 1)
        if found is None or found[1]:
            self._unclosable[sign] = (length, found.start() if found else len(text))
            self._loose.append(token.start())
            return None
        return found.end()

    def _inline_end(self, token: re.Match[str]) -> int | None:
        """Return where inline code ends: as many backticks as it began with, in the same paragraph."""
        if token.end() > self._paragraph_end:
            found = _PARAGRAPH_END.search(self._text, token.end())
            self._paragraph_end = found.start() if found else len(self._text)
        closing = re.compile(rf"(?<!`)`{{{len(token[0])}}}(?!`)")
        found = closing.search(self._text, token.end(), self._paragraph_end)
        return found.end() if found else None

    def _comment(self, start: int) -> int:
        text = self._text
        end = self._next_arrow(start + 2)
        head = _HEAD.match(text, start)
        inner = text.find("<!--", start + 4, end) if end >= 0 else text.find("<!--", start + 4)
        if head is None:
            return self._foreign(start, end, inner)
        if (marker_end := self._marker(start, head.end(), end)) is not None:
            return marker_end
        if end < 0 or inner >= 0:
            return self._malformed(
                start, head.end(), "the INK comment is not closed; end it with --> before the next one"
            )
        asked = text[head.end() : end].strip()
        if not asked:
            return self._malformed(
                start, end + 3, "the INK comment asks for nothing; write what you want or delete it"
            )
        if conflict_notes.START.match(text, start):
            return self._add("conflict", start, end + 3, asked)
        if start < self._open_until:
            return self._malformed(
                start, end + 3, "the INK note is nested in another comment; close the comment before it"
            )
        return self._add("instruction", start, end + 3, asked)

    def _next_arrow(self, position: int) -> int:
        """Return the next ``-->``, or -1; cached, so that many openings cost one search."""
        if 0 <= self._arrow < position:
            self._arrow = self._text.find("-->", position)
        return self._arrow

    def _foreign(self, start: int, end: int, inner: int) -> int:
        """Take a foreign comment; malformed if only its colon is missing or it contains an INK comment."""
        text = self._text
        if end < 0 or (inner >= 0 and _HEAD.match(text, inner)):
            self._open_until = end
            return self._malformed(start, start + 4, "the comment is not closed; end it with -->")
        if slip := _MISSPELT.match(text, start):
            return self._malformed(
                start,
                end + 3,
                f"an instruction begins with INK, not {slip[1]}; correct the word or delete it",
            )
        if _NO_COLON.match(text, start):
            return self._malformed(
                start, end + 3, "an instruction begins with INK and a colon; add the colon or delete it"
            )
        self._opaque.append((start, end + 3))
        return end + 3

    def _marker(self, start: int, head_end: int, end: int) -> int | None:
        """Take an engine marker and return its end: at its arrow or, without one, at the end of its line."""
        found = _MARKER.match(self._text, head_end)
        if found is None:
            return None
        name = ":".join(part.upper() for part in found.groups() if part)
        if found.end() == end:
            return self._add("marker", start, end + 3, name)
        body = self._text[head_end : found.end()]
        lost = body.find("\n", len(body) - len(body.lstrip()))
        if lost < 0 and found.end() < len(self._text):
            return None
        line_end = head_end + lost if lost >= 0 else found.end()
        return self._add("marker", start, head_end + len(self._text[head_end:line_end].rstrip()), name)

    def _malformed(self, start: int, end: int, advice: str) -> int:
        return self._add("malformed", start, end, advice)

    def _add(
        self,
        kind: Literal["instruction", "marker", "conflict", "malformed"],
        start: int,
        end: int,
        text: str,
    ) -> int:
        self._line += self._text.count("\n", self._counted_to, start)
        self._counted_to = start
        self._comments.append(Comment(kind, start, end, self._line, text))
        return end
