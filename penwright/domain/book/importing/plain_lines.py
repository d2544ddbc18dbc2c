"""A text file as Markdown in which every line reads as it stands in the file."""

import re
from collections.abc import Sequence
from dataclasses import replace

from penwright.domain.book.importing.reading import read_source
from penwright.domain.book.importing.values import SourceText
from penwright.domain.text.ink_comments import parse_comments
from penwright.domain.text.markdown_escapes import escaped_inline, escaped_line, is_scene_break
from penwright.domain.text.paging import PAGE_LINE

_MARKER = re.compile(r"\\\[(-?@[\w{])")
"""Begins a citation, escaped."""


def as_plain_lines(source: SourceText) -> SourceText:
    """Return the text with its lines escaped.

    Headings stay headings, scene breaks stay scene breaks (``* * *``, ``---``, a lone ``#``), and INK notes
    notes. Where chapters are headings in Markdown, all such headings are.
    """
    marked = any(head.level for head in source.headings)
    heads = {head.first: head for head in source.headings}
    covered = {index for head in heads.values() for index in range(head.first, head.marked_end)}
    kept = _notes(source.lines)
    lines = [
        line
        if index in kept or (marked and (index in covered or _is_heading(line)))
        else escaped_inline(line)
        if index in covered
        else _escaped(source.lines, index)
        for index, line in enumerate(source.lines)
    ]
    titled = (
        head if head.level else replace(head, title=escaped_inline(head.title)) for head in heads.values()
    )
    return replace(source, lines=tuple(lines), headings=tuple(titled))


def as_plain_text(text: str) -> str:
    """Return the text with its lines escaped, but for citations: ``[@key]``, and lines with ``[[@…]]``."""
    source = read_source(text)
    escaped = as_plain_lines(source).lines
    pairs = zip(source.lines, escaped, strict=True)
    return "\n".join(line if "[[@" in line else _MARKER.sub(r"[\1", plain) for line, plain in pairs)


def _escaped(lines: Sequence[str], index: int) -> str:
    line, before, after = lines[index], lines[index - 1 : index], lines[index + 1 : index + 2]
    alone = not "".join((*before, *after)).strip()
    if PAGE_LINE.fullmatch(line) or (alone and (is_scene_break(line) or line.strip() == "#")):
        return line
    return escaped_line(line)


def _is_heading(line: str) -> bool:
    text = line.strip()
    return (
        text.startswith("#") and bool(text.lstrip("#").strip()) and text.lstrip("#").startswith((" ", "\t"))
    )


def _notes(lines: Sequence[str]) -> frozenset[int]:
    """The lines with INK notes."""
    text = "\n".join(lines)
    return frozenset(
        number
        for each in parse_comments(text)
        if each.kind != "malformed"
        for number in range(each.line - 1, each.line + text.count("\n", each.start, each.end))
    )
