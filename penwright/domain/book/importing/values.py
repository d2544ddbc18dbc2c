"""A source text, read: its lines, its sections, and what its author should know."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from penwright.domain.text.languages import language_by_script
from penwright.domain.text.words import count_words

_LINE_A_PARAGRAPH = frozenset({"Chinese", "Japanese", "Korean"})
_FEW_BLANK = 0.25
"""Blank lines for each other line, under which they divide chapters rather than paragraphs."""
SectionKind = Literal["front", "part", "chapter", "section"]
"""``front`` stands before the story; ``section`` is a prologue, an epilogue or the like."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Lines that may be a heading."""

    first: int
    """Index of its first line."""
    end: int
    """Index after its last line."""
    title: str
    """Its words in one line, without heading marks."""
    kind: Literal["part", "chapter", "section"]
    key: str
    """Equal for a heading and its entry in the list of contents."""
    level: int = 0
    """1 to 6 for a heading in Markdown; 0 in plain text."""
    number: int = 0
    """The number that it gives itself; 0 if it has none that we can read."""
    wraps: bool = False
    """It goes on in lines that stay below it as they are: only its first line becomes a heading."""

    @property
    def marked_end(self) -> int:
        """Index after the lines that become the heading of the book."""
        return self.first + 1 if self.wraps else self.end


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the text up to the next one. The front matter comes first and may have no heading."""

    kind: SectionKind
    title: str
    line: int
    """Line of the source text where it begins, counted from 1."""
    heading_lines: int
    text: str
    """Its lines as they are, with the heading."""
    number: int = 0
    """Chapters are counted from 1; everything else is 0."""
    gets_mark: bool = False
    """The book has its heading in Markdown, whose mark counts as a word there."""

    @property
    def body(self) -> str:
        return "\n".join(self.text.split("\n")[self.heading_lines :]).strip()

    @property
    def words(self) -> int:
        """As the book counts them."""
        return count_words(self.text) + self.gets_mark


@dataclass(frozen=True, slots=True)
class Chapter:
    """One chapter of a source text, without its heading."""

    heading: str
    text: str

    @property
    def words(self) -> int:
        return count_words(self.text)


@dataclass(frozen=True)
class SourceText:
    """A source text, read."""

    lines: tuple[str, ...]
    """As they are in the file, without line ends."""
    sections: tuple[Section, ...]
    headings: tuple[Candidate, ...]
    """Headings from the first chapter on; the front matter keeps its lines as they are."""
    notes: tuple[str, ...] = ()
    """Changes, and lines left although it looks like a heading; for the author."""

    @cached_property
    def language(self) -> str:
        """By its script; empty if that does not tell."""
        return language_by_script("\n".join(self.lines))

    @cached_property
    def has_a_line_a_paragraph(self) -> bool:
        """Whether its lines are paragraphs, without a blank line between, as many Chinese texts have them."""
        told = [line for line in self.lines if line.strip()]
        blank = len(self.lines) - len(told)
        return self.language in _LINE_A_PARAGRAPH and blank < _FEW_BLANK * len(told)

    @property
    def chapters(self) -> tuple[Chapter, ...]:
        return tuple(
            Chapter(section.title, section.body) for section in self.sections if section.kind == "chapter"
        )

    @property
    def words(self) -> int:
        return sum(section.words for section in self.sections)
