"""Headings of a Markdown text: `# The Boat`, or a line underlined with `===` or `---`."""

import re
from collections.abc import Iterator, Sequence

from penwright.domain.book.importing.plain_headings import CONTENTS_TITLE, heading_like, key_of
from penwright.domain.book.importing.values import Candidate

_MARKED = re.compile(r" {0,3}(?P<signs>#{1,6})[ \t]+(?P<title>\S.*?)[ \t]*#*[ \t]*")
_UNDERLINE = re.compile(r" {0,3}(?:={3,}|-{3,})[ \t]*")
_FENCE = re.compile(r" {0,3}(?P<signs>```+|~~~+)")
_ATTRIBUTES = re.compile(r"[ \t]*\{[#.][^{}]*\}$")


def marked_headings(lines: Sequence[str]) -> list[Candidate]:
    """Return the headings that are chapters, parts or sections beside them, in text order."""
    found = list(all_headings(lines))
    levels = _chapter_levels(found, lines)
    said = next((index for index, (_, _, title, _) in enumerate(found) if _says_chapter(title)), 0)
    return [
        _candidate(first, end, title, level, levels, before=index < said)
        for index, (first, end, title, level) in enumerate(found)
        if level <= max(levels)
    ]


def all_headings(lines: Sequence[str]) -> Iterator[tuple[int, int, str, int]]:
    """Yield first line, line after the last, title and level of every heading outside of code."""
    fence = ""
    for index, line in enumerate(lines):
        opened = _FENCE.match(line)
        if opened and (not fence or opened["signs"].startswith(fence)):
            fence = "" if fence else opened["signs"]
        elif fence:
            continue
        elif match := _MARKED.fullmatch(line):
            yield index, index + 1, _ATTRIBUTES.sub("", match["title"]), len(match["signs"])
        elif _is_underlined(lines, index):
            yield index, index + 2, line.strip(), 1 if "=" in lines[index + 1] else 2


def _is_underlined(lines: Sequence[str], index: int) -> bool:
    """Whether the line is a paragraph of its own, but for the underline after it."""
    text = lines[index].strip()
    alone = text and (index == 0 or not lines[index - 1].strip()) and index + 1 < len(lines)
    if not alone or not _UNDERLINE.fullmatch(lines[index + 1]) or len(text) > 120:
        return False
    return "=" in lines[index + 1] or text[-1] not in '.!?,;:”"’'


def _chapter_levels(found: Sequence[tuple[int, int, str, int]], lines: Sequence[str]) -> tuple[int, ...]:
    """Return the levels of chapters: where headings say so; else the first that has text; else 1 and 2."""
    said = [level for _, _, title, level in found if _says_chapter(title)]
    if said:
        return (max(set(said), key=said.count),)
    starts = [first for first, *_ in found] + [len(lines)]
    written = [
        level
        for (_, end, _, level), following in zip(found, starts[1:], strict=True)
        if any(line.strip() for line in lines[end:following])
    ]
    if written.count(1) > 1:
        return (1,)
    return (1, 2) if {1, 2} & set(written) else (min(written, default=1),)


def _candidate(
    first: int, end: int, title: str, level: int, chapters: tuple[int, ...], *, before: bool
) -> Candidate:
    """``before``: a heading before the first that calls itself a chapter; it is a title, a preface, …"""
    said = heading_like(title)
    kind = said if said in ("part", "section") else "chapter" if level in chapters else "part"
    if kind == "chapter" and (before or CONTENTS_TITLE.fullmatch(title)):
        kind = "section"
    return Candidate(first, end, title, kind, key_of(title), level=level)


def _says_chapter(title: str) -> bool:
    return heading_like(title) == "chapter"
