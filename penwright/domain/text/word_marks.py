"""Marks in a Markdown text that become comments and tracked changes of a DOCX."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from penwright.domain.text.comparing.passage_pairs import paired
from penwright.domain.text.paragraphs import paragraphs

# Noncharacters of Unicode, which no text has, between brackets, beside which emphasis opens and closes.
# ``marks.lua`` reads them.
_COMMENT, _CHANGE = "\u2e28\ufdd1", "\u2e28\ufdd3"
_CLOSE, _OVER = "\ufdd2\u2e29", "\u2e28\ufdd4\u2e29"
INK = "INK"
"""The author of notes, in Word."""
_NOTE = re.compile(f"{_COMMENT}[0-9a-f]*{_CLOSE}")
_BODY = re.compile(r"(?P<head>#{1,6}[ \t]+)?(?P<words>[^\s].*)", re.DOTALL)
_NO_WORDS = re.compile(r"(?:[-+*>|]|\d{1,9}[.)])(?:\s|$)|[|`~\[<]|(?:[*_-][ \t]*){3,}$|[ \t]")
_MARKED_UP = re.compile(r"[*_`\[\]<\\~]")
_WORD = re.compile(r"\s*\S+")


@dataclass(frozen=True, slots=True)
class Compared:
    """A text with tracked changes."""

    text: str
    places: int
    """Passages with a tracked change."""
    unmarked: int
    """Passages that changed and stand as they are now: lists, tables, verse, code."""


def comment_mark(author: str, date: str, text: str) -> str:
    """A comment at the place of the mark."""
    return f"{_COMMENT}{_hex(author, date, text)}{_CLOSE}"


def with_changes_since(before: str, now: str, author: str, date: str) -> Compared:
    """Return ``now`` with what changed since ``before`` as tracked changes of words, or else of passages."""
    old, noted = [_NOTE.sub("", each) for each in paragraphs(before)], paragraphs(now)
    new = [_NOTE.sub("", each) for each in noted]
    notes = ["".join(_NOTE.findall(each)) for each in noted]
    marks = _Marks(author, date)
    pieces: list[str] = []
    for kind, start, end, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            pieces += [new[at] + notes[at] for at in range(first, last)]
            continue
        for olds, news in paired(old, new, range(start, end), range(first, last)):
            made = [*marks.changed([old[at] for at in olds], [new[at] for at in news])]
            if made and news:
                made[-1] += notes[news.start]
            pieces += made
    return Compared("\n\n".join(pieces) + "\n", marks.places, marks.unmarked)


class _Marks:
    """Marks changes, and counts them."""

    def __init__(self, author: str, date: str) -> None:
        self._by = (author, date)
        self.places = self.unmarked = 0

    def changed(self, olds: Sequence[str], news: Sequence[str]) -> Iterator[str]:
        """A paragraph that became another; without either, it came or went."""
        one, other = (next(map(_body, each), None) for each in (olds, news))
        if one is not None and other is not None and one["head"] == other["head"]:
            self.places += 1
            yield (other["head"] or "") + "".join(self._words(one["words"], other["words"]))
        elif olds and news and one is None and other is None:
            self.unmarked += 1
            yield from news
        else:
            yield from self.whole("deletion", olds)
            yield from self.whole("insertion", news)

    def whole(self, kind: str, passages: Sequence[str]) -> Iterator[str]:
        """Paragraphs that came or went; of those that cannot be marked, what is there now."""
        for each in passages:
            found = _body(each)
            if found is not None:
                self.places += 1
                yield (found["head"] or "") + self._mark(kind, found["words"])
            else:
                self.unmarked += 1
                if kind == "insertion":
                    yield each

    def _words(self, old: str, new: str) -> Iterator[str]:
        if _MARKED_UP.search(old + new):
            yield self._mark("deletion", old) + self._mark("insertion", new)
            return
        before, after = _WORD.findall(old), _WORD.findall(new)
        for kind, start, end, first, last in SequenceMatcher(
            None, before, after, autojunk=False
        ).get_opcodes():
            gone, come = "".join(before[start:end]), "".join(after[first:last])
            if kind == "equal":
                yield come
            else:
                yield self._mark("deletion", gone) + self._mark("insertion", come)

    def _mark(self, kind: str, words: str) -> str:
        return f"{_CHANGE}{_hex(kind, *self._by)}{_CLOSE}{words}{_OVER}" if words else ""


def _body(passage: str) -> re.Match[str] | None:
    """A heading or paragraph of words; None of a list, a table, verse, code or a scene break."""
    return None if _NO_WORDS.match(passage) else _BODY.fullmatch(passage)


def _hex(*said: str) -> str:
    return "\x1f".join(said).encode().hex()
