"""Patterns of paths and of words, none of which can run away."""

import unicodedata
from fnmatch import fnmatchcase

import regex  # type: ignore[import-untyped]  # unlike re, it can give up on a pattern that runs away

from penwright.errors import UsageMistake

_LONGEST_PATTERN = 500


def path_pattern(pattern: str) -> tuple[str, ...]:
    """A glob taken apart; one that ends in ``**`` means the files below, not the folder."""
    parts = unicodedata.normalize("NFC", pattern.removeprefix("./").strip("/")).split("/")
    if not any(parts) or len(pattern) > _LONGEST_PATTERN or ".." in parts:
        raise UsageMistake("bad-pattern", f"{pattern[:200]!r} is no pattern of paths; try '**/*.md'")
    return (*parts, "*") if parts[-1] == "**" else tuple(parts)


def fits(path: str, parts: tuple[str, ...]) -> bool:
    """Whether a path matches: all ways to read the pattern are followed at once, so none can run away."""
    alive = _open({0}, parts)
    for name in unicodedata.normalize("NFC", path).split("/"):
        alive = _open({_beyond(at, parts, name) for at in alive} - {-1}, parts)
    return len(parts) in alive


def _beyond(at: int, parts: tuple[str, ...], name: str) -> int:
    """Where one way to read the pattern stands behind a name; -1 if it ends there."""
    if at == len(parts):
        return -1
    if parts[at] == "**":
        return at
    return at + 1 if fnmatchcase(name, parts[at]) else -1


def _open(alive: set[int], parts: tuple[str, ...]) -> set[int]:
    """``**`` also stands for no folder at all."""
    for at in sorted(alive):
        while at < len(parts) and parts[at] == "**":
            at += 1
            alive.add(at)
    return alive


def words_rule(wanted: str, *, plain: bool) -> "regex.Pattern[str]":
    if not wanted or len(wanted) > _LONGEST_PATTERN:
        raise UsageMistake("bad-pattern", f"search for 1 to {_LONGEST_PATTERN} characters")
    try:
        return regex.compile(regex.escape(wanted) if plain else wanted, regex.IGNORECASE | regex.MULTILINE)
    except regex.error as error:
        raise UsageMistake(
            "bad-pattern", f"{wanted!r} is no pattern: {error}; search for plain words"
        ) from None
