"""The blocks of a manuscript, Markdown or LaTeX, with their offsets and the heading above each."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from penwright.domain.text.blocks import front_matter_end, heading_of
from penwright.domain.text.citation_tokens import Token

PassageKind = Literal["prose", "heading", "table", "command", "front-matter"]
"""``prose``: paragraphs, quotes, footnotes and items of lists. ``command``: lines of LaTeX without prose."""


@dataclass(frozen=True, slots=True)
class Passage:
    """One block; code, display maths and comments that stand alone are in none."""

    kind: PassageKind
    start: int
    """After the mark of a list or quote."""
    end: int
    section: str
    """Title of the nearest heading above it, its own for a heading."""


_LATEX_HEADING = re.compile(
    r"[ \t]*\\(?:part|chapter|(?:sub){0,2}section|paragraph)\*?(?:\[[^\]\n]*\])?\{([^\n]*)\}[ \t]*$"
)
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*$")
_COMMAND = re.compile(
    r"[ \t]*(?:\\(?:begin|end|label|maketitle|tableofcontents|usepackage|documentclass|input|include"
    r"|bibliography|bibliographystyle|centering|includegraphics|newpage|clearpage)\b.*|%.*)$"
)
_MARK = re.compile(
    r"[ \t]*(?:(?:>[ \t]?)+|(?:[-+*]|\d{1,9}[.)])[ \t]+|\[\^[^\]\s]+\]:[ \t]*|\\item(?:\[[^\]\n]*\])?[ \t]*)"
)
_TABLE = re.compile(r" {0,3}\|")
_RULE = re.compile(r"[\W_]*$")
_CONTENT = re.compile(r"\w", re.UNICODE)


def passages_of(text: str, tokens: Sequence[Token]) -> tuple[Passage, ...]:
    """The blocks of ``text`` in order; ``tokens`` are all of its tokens."""
    return tuple(_Reader(text, tokens).passages())


class _Reader:
    def __init__(self, text: str, tokens: Sequence[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.next_token = 0
        self.section = ""
        self.open: tuple[int, int] | None = None
        """Start and end of the paragraph that the next line may continue."""

    def passages(self) -> Iterator[Passage]:
        front = front_matter_end(self.text)
        if front:
            yield Passage("front-matter", 0, front, "")
        at = front
        while at < len(self.text):
            start, at = at, self._line_end(at)
            yield from self._line(start, at)
            at += 1
        yield from self._closed()

    def _line_end(self, start: int) -> int:
        """The end of the line; of a token that goes on in further lines, of its last one."""
        end = self._newline(start)
        while self.next_token < len(self.tokens) and self.tokens[self.next_token].start < end:
            token = self.tokens[self.next_token]
            self.next_token += 1
            if token.end > end:
                end = self._newline(token.end)
        return end

    def _newline(self, at: int) -> int:
        end = self.text.find("\n", at)
        return len(self.text) if end < 0 else end

    def _line(self, start: int, end: int) -> Iterator[Passage]:
        line = self.text[start:end]
        if not line.strip() or self._is_block(start, end):
            yield from self._closed()
        elif (title := _title(line)) is not None:
            yield from self._closed()
            self.section = title
            yield Passage("heading", start, end, title)
        elif self.open is not None and _UNDERLINE.match(line) and "\n" not in self._open_text():
            yield self._underlined()
        elif _TABLE.match(line):
            yield from self._alone("table", start, end)
        elif _COMMAND.match(line) or _RULE.match(line):
            yield from self._alone("command", start, end)
        else:
            yield from self._prose(start, end)

    def _is_block(self, start: int, end: int) -> bool:
        """Whether the lines are nothing but a token that is a block."""
        token = self.tokens[self.next_token - 1] if self.next_token else None
        if token is None or not token.block or token.end <= start:
            return False
        before, after = self.text[start : max(start, token.start)], self.text[token.end : end]
        return not before.strip() and not _CONTENT.search(after)

    def _alone(self, kind: PassageKind, start: int, end: int) -> Iterator[Passage]:
        yield from self._closed()
        yield Passage(kind, start, end, self.section)

    def _prose(self, start: int, end: int) -> Iterator[Passage]:
        mark = _MARK.match(self.text, start, end)
        continues = self.open is not None and (mark is None or _is_quote(mark))
        if continues and self.open is not None:
            self.open = self.open[0], end
            return
        yield from self._closed()
        self.open = (mark.end() if mark else start), end

    def _open_text(self) -> str:
        assert self.open is not None, "asked only while a paragraph is open"
        return self.text[self.open[0] : self.open[1]]

    def _underlined(self) -> Passage:
        assert self.open is not None, "asked only while a paragraph is open"
        self.section = self._open_text().strip()
        start, end = self.open
        self.open = None
        return Passage("heading", start, end, self.section)

    def _closed(self) -> Iterator[Passage]:
        if self.open is not None:
            start, end = self.open
            self.open = None
            yield Passage("prose", start, end, self.section)


def _is_quote(mark: re.Match[str]) -> bool:
    return mark[0].strip().startswith(">")


def _title(line: str) -> str | None:
    """The title of a heading line; None for every other line."""
    found = heading_of(line)
    if found is not None:
        return found[1]
    latex = _LATEX_HEADING.match(line)
    return latex[1].strip() if latex else None
