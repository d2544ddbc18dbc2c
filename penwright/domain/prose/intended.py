"""Findings that the author means as they stand, told apart from those that are left."""

import unicodedata
from collections.abc import Collection, Sequence
from typing import get_args

from schemas.prose import ContinuityRule, Finding, Intended, Rule

_BETWEEN_QUOTES: frozenset[Rule] = frozenset({"echo", "loop", "name-slip", *get_args(ContinuityRule)})
"""Rules whose other side is a quote too; that of the others is a measure, which each session changes."""


def decision_on(finding: Finding) -> Intended:
    """The decision that is kept when an author says that a finding is intended."""
    return decision(finding.rule, finding.quote, finding.other)


def decision(rule: Rule, quote: str, other: str = "") -> Intended:
    """A decision with its quotes on one line; equal however an author has set them."""
    return Intended(rule=rule, quote=as_line(quote), other=as_line(other) if rule in _BETWEEN_QUOTES else "")


def parted(
    found: Sequence[Finding], intended: Collection[Intended]
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """The findings that are left, and those that are intended; one without a quote never is.

    Args:
        intended: as ``decision`` makes them.
    """
    silent = [bool(each.quote) and decision_on(each) in intended for each in found]
    pairs = tuple(zip(found, silent, strict=True))
    return tuple(each for each, yes in pairs if not yes), tuple(each for each, yes in pairs if yes)


def as_line(text: str) -> str:
    """A quote on one line, as decisions keep and compare it."""
    return " ".join(unicodedata.normalize("NFC", text).split())
