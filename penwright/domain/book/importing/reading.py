"""Read a source text: its front matter, its chapters, and every line of both."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from penwright.domain.book.importing.chapters_at import headings_at, other_levels
from penwright.domain.book.importing.contents import Sorted, listed_headings, sort_out
from penwright.domain.book.importing.marked_headings import marked_headings
from penwright.domain.book.importing.numerals import NUMBER
from penwright.domain.book.importing.plain_headings import counted_headings, plain_headings
from penwright.domain.book.importing.values import Candidate, Section, SourceText
from penwright.domain.text.ink_comments import parse_comments
from penwright.domain.text.paging import PAGE_LINE

_LOOKS_LIKE_ONE = re.compile(rf"\W*chapter\s+{NUMBER}", re.IGNORECASE)
_MOST_NOTES = 12
_BEGINS_A_STORY = ("prologue", "prolog", "prólogo", "interlude")


def read_source(text: str, chapters_at: str = "") -> SourceText:
    """Find the sections of a text. Without any heading, all of it is one chapter.

    ``chapters_at``: where chapters begin, if a person says it; see ``headings_at``, also for what it raises.
    """
    lines = tuple(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    sorted_out = sort_out(lines, headings_at(lines, chapters_at)) if chapters_at else _best(lines)
    heads = sorted_out.headings if _chapters(sorted_out) else _numbered_parts(sorted_out.headings)
    start = next((index for index, each in enumerate(heads) if _begins_the_book(each)), None)
    if start is None:
        (section,) = _sections(lines, (), (Candidate(0, 0, "Chapter 1", "chapter", ""),))
        notes = (*_notes(text, lines, sorted_out, ()), *other_levels(lines, ()))
        return SourceText(lines, (section,), (), notes)
    front, body = tuple(heads[:start]), tuple(heads[start:])
    sections = tuple(_sections(lines, front, body))
    other = () if chapters_at else other_levels(lines, body)
    return SourceText(lines, sections, body, (*_notes(text, lines, sorted_out, body), *other))


def _best(lines: Sequence[str]) -> Sorted:
    """Return the headings of whichever form finds most chapters; Markdown counts first."""
    tries = [sort_out(lines, marked_headings(lines)), sort_out(lines, _with_listed(lines))]
    best = max(tries, key=_chapters)
    if _chapters(best):
        return best
    counted = sort_out(lines, counted_headings(lines))
    return counted if _chapters(counted) else max(tries, key=lambda each: len(each.headings))


def _with_listed(lines: Sequence[str]) -> list[Candidate]:
    """Return what looks like a heading and what a list of contents names."""
    plain = plain_headings(lines)
    taken = {each.first for each in plain}
    listed = [each for each in listed_headings(lines) if each.first not in taken]
    if not any(each.kind == "chapter" for each in plain) and len(listed) > 1:
        listed = [Candidate(each.first, each.end, each.title, "chapter", each.key) for each in listed]
    return sorted([*plain, *listed], key=lambda each: each.first)


def _chapters(sorted_out: Sorted) -> int:
    return sum(each.kind == "chapter" for each in sorted_out.headings)


def _numbered_parts(heads: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return parts as chapters, where a text has no chapters."""
    return tuple(replace(each, kind="chapter") if each.kind == "part" else each for each in heads)


def _begins_the_book(head: Candidate) -> bool:
    """Whether the story begins here: what stands before it stays as it is."""
    return head.kind in ("part", "chapter") or head.key.startswith(_BEGINS_A_STORY)


def _sections(
    lines: Sequence[str], front: Sequence[Candidate], body: Sequence[Candidate]
) -> Iterator[Section]:
    heads = [*front, *body]
    if heads[0].first and any(line.strip() for line in lines[: heads[0].first]):
        yield Section("front", "", 1, 0, "\n".join(lines[: heads[0].first]))
    number = 0
    ends = [each.first for each in heads[1:]] + [len(lines)]
    for index, (head, end) in enumerate(zip(heads, ends, strict=True)):
        kind = "front" if index < len(front) else head.kind
        number += kind == "chapter"
        yield Section(
            kind=kind,
            title=head.title,
            line=head.first + 1,
            heading_lines=head.end - head.first,
            text="\n".join(lines[head.first : end]),
            number=number if kind == "chapter" else 0,
            gets_mark=index >= len(front) and not head.level and head.end > head.first,
        )


def _notes(text: str, lines: Sequence[str], sorted_out: Sorted, body: Sequence[Candidate]) -> tuple[str, ...]:
    """Return what the author should know before the import."""
    notes = [*_joined(body), *_out_of_order(body), *_empty(sorted_out.empty), *_like(lines, sorted_out, body)]
    if "\r" in text:
        notes.append("line ends of another system (CR) become plain ones")
    if pages := sum(PAGE_LINE.fullmatch(line) is not None for line in lines):
        notes.append(f"{pages} page markers are left out; the book gets its own")
    if instructions := [each for each in parse_comments(text) if each.kind == "instruction"]:
        notes.append(
            f"{len(instructions)} INK notes stay in the text, the first in line {instructions[0].line}"
        )
    return tuple(notes)


def _joined(body: Sequence[Candidate]) -> Iterator[str]:
    for each in body:
        if each.wraps:
            yield (
                f"line {each.first + 1}: the title goes on in the next line, which stays below the heading; "
                f"join them in the book if you like: {each.title}"
            )
        elif each.end - each.first > 1:
            yield f"lines {each.first + 1} to {each.end} become one heading: {each.title}"


def _out_of_order(body: Sequence[Candidate]) -> list[str]:
    found, before = [], 0
    for each in body:
        if each.kind == "chapter" and each.number:
            if each.number not in (before + 1, 1):
                found.append(f"line {each.first + 1}: {each.title!r} comes after chapter {before}")
            before = each.number
    return _few(found, "headings out of order")


def _empty(empty: Sequence[Candidate]) -> list[str]:
    found = [
        f"line {each.first + 1}: {each.title!r} has no text after it, so it is no chapter" for each in empty
    ]
    return _few(found, "headings without text")


def _like(lines: Sequence[str], sorted_out: Sorted, body: Sequence[Candidate]) -> list[str]:
    """Name lines in the story that begin like a heading and are none."""
    heads = [*sorted_out.headings, *sorted_out.empty]
    taken = {index for each in heads for index in range(each.first, each.end)}
    start = body[0].first if body else 0
    found = [
        f"line {index + 1} begins like a heading and stays in the text: {lines[index].strip()[:60]!r}"
        for index in range(start, len(lines))
        if index not in taken and _LOOKS_LIKE_ONE.match(lines[index])
    ]
    return _few(found, "lines that begin like a heading")


def _few(notes: list[str], what: str) -> list[str]:
    more = len(notes) - _MOST_NOTES
    return notes if more <= 0 else [*notes[:_MOST_NOTES], f"and {more} more {what}"]
