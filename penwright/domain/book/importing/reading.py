"""Read a source text: its front matter, its chapters, and every line of both."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

import regex

from penwright.domain.book.importing.contents import Sorted, listed_headings, sort_out
from penwright.domain.book.importing.marked_headings import all_headings, marked_headings
from penwright.domain.book.importing.plain_headings import (
    NUMBER,
    bared,
    counted_headings,
    heading_like,
    key_of,
    plain_headings,
)
from penwright.domain.book.importing.values import Candidate, Section, SourceText
from penwright.domain.text.counted import counted
from penwright.domain.text.ink_comments import parse_comments
from penwright.domain.text.paging import PAGE_LINE
from penwright.errors import UsageMistake

_LOOKS_LIKE_ONE = re.compile(rf"\W*chapter\s+{NUMBER}", re.IGNORECASE)
_MOST_NOTES = 12
_BEGINS_A_STORY = ("prologue", "prolog", "prólogo", "interlude")

_LEVELS = "123456"
_PATIENCE_S = 2.0
_SHOWN = 3
_MOST_OF_LINES = 0.9
"""That can be headings of chapters."""


def read_source(text: str, chapters_at: str = "") -> SourceText:
    """Find the sections of a text. Without any heading, all of it is one chapter.

    ``chapters_at``: where chapters begin, if a person says it; see ``_headings_at``, also for what it raises.
    """
    lines = tuple(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    sorted_out = sort_out(lines, _headings_at(lines, chapters_at)) if chapters_at else _best(lines)
    heads = sorted_out.headings if _chapters(sorted_out) else _numbered_parts(sorted_out.headings)
    start = next((index for index, each in enumerate(heads) if _begins_the_book(each)), None)
    if start is None:
        (section,) = _sections(lines, (), (Candidate(0, 0, "Chapter 1", "chapter", ""),))
        notes = (*_notes(text, lines, sorted_out, ()), *_other_levels(lines, ()))
        return SourceText(lines, (section,), (), notes)
    front, body = tuple(heads[:start]), tuple(heads[start:])
    sections = tuple(_sections(lines, front, body))
    other = () if chapters_at else _other_levels(lines, body)
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


def _headings_at(lines: Sequence[str], at: str) -> list[Candidate]:
    """Return the headings of a text whose chapters begin at ``at``, in text order.

    Args:
        at: ``1`` to ``6``, a level of headings in Markdown, above which headings are parts; or a regular
            expression, which a line fits from its first word on, without marks of headings and emphasis.

    Raises:
        UsageMistake: ``bad-pattern``; ``no-such-chapters`` if nothing in the text is like that.
    """
    is_level = at in {*_LEVELS}
    found = [*_of_level(lines, int(at))] if is_level else _of_pattern(lines, at)
    if not any(each.kind == "chapter" for each in found):
        what = f"no heading of level {at}" if is_level else f"no line that begins like {at!r}"
        raise UsageMistake(
            "no-such-chapters",
            f"the text has {what}",
            hint="leave `--chapters-at` out to see the chapters that are found without it",
        )
    return found


def _other_levels(lines: Sequence[str], taken: Sequence[Candidate]) -> tuple[str, ...]:
    """A sentence for each level of headings that could be the one of chapters, and was not taken.

    Where chapters call themselves chapters, there is none.
    """
    chapters = [each for each in taken if each.kind == "chapter"]
    if any(heading_like(each.title) == "chapter" for each in chapters):
        return ()
    chosen = {each.level for each in chapters}
    levels: dict[int, list[str]] = {}
    for _, _, title, level in all_headings(lines):
        levels.setdefault(level, []).append(title)
    return tuple(
        f"{counted(len(titles), 'heading')} of level {level} ({_first_titles(titles)}): "
        f"`--chapters-at {level}` makes chapters of them"
        for level, titles in sorted(levels.items())
        if level not in chosen and len(titles) > 1
    )


def _of_level(lines: Sequence[str], level: int) -> Iterator[Candidate]:
    for first, end, title, own in all_headings(lines):
        if own <= level:
            yield Candidate(first, end, title, _kind(title, own, level), key_of(title), level=own)


def _kind(title: str, own: int, level: int) -> Literal["part", "chapter", "section"]:
    named = heading_like(title)
    return "part" if own < level or named == "part" else "section" if named == "section" else "chapter"


def _of_pattern(lines: Sequence[str], pattern: str) -> list[Candidate]:
    try:
        wanted = regex.compile(pattern)
        taken = [index for index, line in enumerate(lines) if _fits(wanted, line)]
    except (regex.error, TimeoutError) as error:
        said = "takes too long" if isinstance(error, TimeoutError) else f"is no regular expression: {error}"
        raise _bad(pattern, said) from None
    full = sum(bool(line.strip()) for line in lines)
    if wanted.match("") or len(taken) > max(1, _MOST_OF_LINES * full):
        raise _bad(
            pattern, f"fits {len(taken):,} of {full:,} lines: nothing would be left to stand in chapters"
        )
    chapters = [
        Candidate(index, index + 1, title, "chapter", key_of(title), level=len(signs))
        for index in taken
        for signs, title in [_split(lines[index])]
    ]
    parts = (each for each in plain_headings(lines) if each.kind != "chapter" and each.first not in taken)
    return sorted([*chapters, *parts], key=lambda each: each.first)


def _bad(pattern: str, why: str) -> UsageMistake:
    hint = r"such as 'Scene \d+', or a level of headings from 1 to 6"
    return UsageMistake("bad-pattern", f"{pattern!r} {why}", hint=hint)


def _fits(wanted: "regex.Pattern[str]", line: str) -> bool:
    title = _split(line)[1]
    return bool(title) and wanted.match(title, timeout=_PATIENCE_S) is not None


def _split(line: str) -> tuple[str, str]:
    """The marks of a heading, and its words."""
    text = line.strip()
    signs = text[: len(text) - len(text.lstrip("#"))]
    marked = len(signs) <= max(map(int, _LEVELS)) and text[len(signs) :].startswith((" ", "\t"))
    return (signs, bared(text[len(signs) :].rstrip("# "))) if marked else ("", bared(text))


def _first_titles(titles: Sequence[str]) -> str:
    return ", ".join(titles[:_SHOWN]) + (", …" if len(titles) > _SHOWN else "")
