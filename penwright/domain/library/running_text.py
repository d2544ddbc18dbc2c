"""Running text, made of the lines of pages."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})
_HYPHENS = "-\u00ad\u2010"
_DIVIDED = re.compile(rf"([^\W\d_]{{2,}})[{_HYPHENS}]$")
_RANGE = re.compile(r"\d[-\u2010-\u2013]$")
_REST = re.compile(r"[^\W\d_]+")
_SOFT = "\u00ad"


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a source."""

    title: str
    text: str
    starts: tuple[tuple[int, int], ...] = ()
    """Offset in the text and number of each page that begins there; empty: the source has no pages."""

    def page_at(self, offset: int) -> int | None:
        """Return the page on which that place of the text stands; None if the source has none."""
        if not self.starts:
            return None
        return self.starts[max(bisect_right(self.starts, (offset, 1 << 30)) - 1, 0)][1]


def plain_line(line: str) -> str:
    """Return a line with single blanks, and letters for ligatures."""
    return " ".join(line.translate(_LIGATURES).replace("\0", "").split())


def words_in(lines: Sequence[str]) -> frozenset[str]:
    """Return the words that stand undivided in lines, those with a hyphen too, in small letters."""
    return frozenset(re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)*", "\n".join(lines).casefold()))


def joined(title: str, lines: Sequence[tuple[int, str]], known: frozenset[str]) -> Section:
    """Return a section of lines, each with the number of its page; words that a line end divides are mended.

    ``known``: the words of the whole source. Where they have a divided word with its hyphen only, it stays.
    """
    parts, starts, length = list[str](), list[tuple[int, int]](), 0
    for page, line in lines:
        between = _between(parts[-1], line, known) if parts else ""
        if between is None:  # the hyphen goes
            parts[-1], length, between = parts[-1][:-1], length - 1, ""
        if not starts or starts[-1][1] != page:
            starts.append((length + len(between), page))
        parts.append(between + line)
        length += len(between) + len(line)
    text = "".join(parts)
    return Section(title, text.replace(_SOFT, ""), _without_soft(text, starts))


def _between(last: str, line: str, known: frozenset[str]) -> str | None:
    """The signs between two lines: a blank, or nothing inside a word or range; None: the hyphen goes."""
    if line[0].isdigit() and _RANGE.search(last):
        return ""
    divided, rest = _DIVIDED.search(last), _REST.match(line)
    if divided is None or rest is None or not line[0].islower():
        return " "
    whole, with_hyphen = divided[1] + rest[0], f"{divided[1]}-{rest[0]}"
    keeps = last[-1] != _SOFT and with_hyphen.casefold() in known and whole.casefold() not in known
    return "" if keeps else None


def _without_soft(text: str, starts: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """The starts as they are without soft hyphens."""
    return tuple((at - text.count(_SOFT, 0, at), page) for at, page in starts)
