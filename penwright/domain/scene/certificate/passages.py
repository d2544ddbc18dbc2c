"""Passages of texts: runs of a few words, by which a text is known again wherever it was put."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

RUN = 4
"""Words of a passage; a text of fewer words is one passage."""
_WORD = re.compile(r"\w+")
_MACRO = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_LONGEST = 160
"""Characters of an excerpt."""
Passage = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text, without case and marks, and where they stand in it."""

    text: str
    words: tuple[str, ...]
    spans: tuple[tuple[int, int], ...]

    def at(self, place: int, length: int) -> Passage | None:
        """Return the passage that begins with this word; None where the text ends before."""
        found = self.words[place : place + length]
        return found if len(found) == length else None

    def excerpt(self, first: int, last: int) -> str:
        """Return the text from one word to another, cut where it is long."""
        found = self.text[self.spans[first][0] : self.spans[last][1]]
        return found if len(found) <= _LONGEST else f"{found[:_LONGEST].rstrip()} …"


def words_of(text: str) -> Words:
    """Return the words of a text."""
    found = tuple(_WORD.finditer(text))
    return Words(text, tuple(each[0].casefold() for each in found), tuple(each.span() for each in found))


def passages(text: str) -> Iterator[Passage]:
    """Return the passages of a text; a macro, which prompts have filled in, ends one."""
    for part in _MACRO.split(text):
        words = words_of(part).words
        if len(words) < RUN:
            yield from [words] if words else []
        for place in range(len(words) - RUN + 1):
            yield words[place : place + RUN]


# Any: the value of any field.
def strings(value: Any, *, without: frozenset[str]) -> Iterator[str]:
    """Return every text in a value as it is dumped, but those of fields with these names."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, each in value.items():
            if name not in without:
                yield from strings(each, without=without)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from strings(each, without=without)
