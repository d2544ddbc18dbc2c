"""A text read once: its paragraphs and sentences, their words, and what is quoted in them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import regex

from penwright.domain.text.paragraphs import paragraph_spans
from penwright.domain.text.words import UNSPACED

_UNUSUAL = regex.compile(rf"[\p{{M}}{UNSPACED}]")
_ANY_WORD = regex.compile(
    rf"[{UNSPACED}]\p{{M}}*|[[\p{{L}}\p{{N}}]--[{UNSPACED}]][[\p{{L}}\p{{M}}\p{{N}}]--[{UNSPACED}]]*"
    r"(?:['’][\p{L}\p{M}]+)*",
    regex.V1,
)
_PLAIN_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
"""Finds the same words five times as fast in a text without combining marks and the scripts above."""
_SENTENCE = regex.compile(r"[^.!?…。！？؟।\n]*(?:\n(?!\s*\n)[^.!?…。！？؟।\n]*)*[.!?…。！？؟।]*")
_SPEECH = regex.compile(
    r"“[^”]*”?|\"[^\"]*\"?|«[^»]*»?|»[^«]*«?|„[^“”]*[“”]?|「[^」]*」?|『[^』]*』?"
    r"|(?<!\w)‘(?:[^’]|’(?=\w))*’?|\A[—–]\s?.+",
    regex.DOTALL,
)
_SET_APART = regex.compile(r"\s*(?:>.*|([*_]{1,3})[^*_]+\1\W*)", regex.DOTALL)
"""A block quote, or a paragraph that is emphasised whole: a letter, a song, a sign."""
_VERSE_LINE = 50
"""Characters of the longest line of verse; prose with fixed line ends has longer ones."""
_QUOTED = 0.9


class Word(NamedTuple):
    """One word and its place in the text, in code points."""

    written: str
    folded: str
    """The word without upper and lower case, its apostrophes straight."""
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, its place, and its words."""

    text: str
    start: int
    words: tuple[Word, ...]
    speech: tuple[tuple[int, int], ...]
    """From where to where something is quoted, in the paragraph's own code points."""

    @property
    def end(self) -> int:
        """Its end in the whole text."""
        return self.start + len(self.text)

    @property
    def is_heading(self) -> bool:
        """Whether it is a heading."""
        return self.text.lstrip().startswith("#")

    @property
    def is_quotation(self) -> bool:
        """Whether all of it is somebody's words that may well stand twice: a letter, a song, verse."""
        longest = max((end - start for start, end in self.speech), default=0)
        whole = longest >= _QUOTED * len(self.text.strip())
        return self.is_verse or whole or _SET_APART.fullmatch(self.text) is not None

    @property
    def is_verse(self) -> bool:
        """Whether it is verse: lines, none of them long."""
        lines = self.text.strip().splitlines()
        return len(lines) > 1 and max(map(len, lines)) <= _VERSE_LINE

    def narrated(self) -> Iterator[Word]:
        """Its words outside of speech."""
        for word in self.words:
            at = word.start - self.start
            if not any(start <= at < end for start, end in self.speech):
                yield word


def read(text: str) -> tuple[Paragraph, ...]:
    """Divide a text into its paragraphs."""
    word = _ANY_WORD if _UNUSUAL.search(text) else _PLAIN_WORD
    return tuple(_paragraph(text[start:end], start, word) for start, end in paragraph_spans(text))


def sentences(paragraph: Paragraph) -> Iterator[tuple[Word, ...]]:
    """The words of each sentence of a paragraph."""
    ends = [found.end() + paragraph.start for found in _SENTENCE.finditer(paragraph.text)]
    words, at = paragraph.words, 0
    for end in ends:
        first = at
        while at < len(words) and words[at].start < end:
            at += 1
        if at > first:
            yield words[first:at]


def runs(words: Sequence[Word], length: int) -> Iterator[tuple[str, ...]]:
    """Each run of so many words, in lower case."""
    folded = [word.folded for word in words]
    for at in range(len(folded) - length + 1):
        yield tuple(folded[at : at + length])


def _paragraph(text: str, start: int, word: "re.Pattern[str] | regex.Pattern[str]") -> Paragraph:
    words = tuple(
        Word(found[0], found[0].casefold().replace("’", "'"), start + found.start(), start + found.end())
        for found in word.finditer(text)
    )
    return Paragraph(text, start, words, tuple(found.span() for found in _SPEECH.finditer(text)))
