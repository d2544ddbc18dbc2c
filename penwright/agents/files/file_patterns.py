"""Patterns of paths and of words, none of which can run away."""

import unicodedata

import regex  # unlike re, it can give up on a pattern that runs away

from penwright.domain.text.globs import Glob
from penwright.errors import UsageMistake

_LONGEST_PATTERN = 500


def path_pattern(pattern: str) -> Glob:
    """A glob for paths in Unicode's composed form; raises ``UsageMistake`` ``bad-pattern``."""
    composed = unicodedata.normalize("NFC", pattern)
    if not composed.strip("./") or len(pattern) > _LONGEST_PATTERN or ".." in composed.split("/"):
        raise UsageMistake("bad-pattern", f"{pattern[:200]!r} is no pattern of paths; try '**/*.md'")
    return Glob.of(composed)


def words_rule(wanted: str, *, plain: bool) -> "regex.Pattern[str]":
    if not wanted or len(wanted) > _LONGEST_PATTERN:
        raise UsageMistake("bad-pattern", f"search for 1 to {_LONGEST_PATTERN} characters")
    try:
        return regex.compile(regex.escape(wanted) if plain else wanted, regex.IGNORECASE | regex.MULTILINE)
    except regex.error as error:
        raise UsageMistake(
            "bad-pattern", f"{wanted!r} is no pattern: {error}; search for plain words"
        ) from None
