"""Chapters where a person says that they begin: at headings of a level, or at lines of a pattern."""

from collections.abc import Iterator, Sequence
from typing import Literal

import regex

from penwright.domain.book.importing.marked_headings import all_headings
from penwright.domain.book.importing.plain_headings import bared, heading_like, key_of, plain_headings
from penwright.domain.book.importing.values import Candidate
from penwright.domain.text.counted import counted
from penwright.errors import UsageMistake

_LEVELS = "123456"
_PATIENCE_S = 2.0
_SHOWN = 3
_MOST_OF_LINES = 0.9
"""That can be headings of chapters."""


def headings_at(lines: Sequence[str], at: str) -> list[Candidate]:
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


def other_levels(lines: Sequence[str], taken: Sequence[Candidate]) -> tuple[str, ...]:
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
        f"{counted(len(titles), 'heading')} of level {level} ({_few(titles)}): `--chapters-at {level}` makes "
        "chapters of them"
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


def _few(titles: Sequence[str]) -> str:
    return ", ".join(titles[:_SHOWN]) + (", …" if len(titles) > _SHOWN else "")
