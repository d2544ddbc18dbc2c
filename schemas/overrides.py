"""Texts of an agent that people replace without touching its code."""

from typing import Literal

from schemas.agent import SkippedOverride
from schemas.base import Value

OverrideField = Literal["body", "summary", "description", "param", "example"]
"""Body and summary of a section; description of a tool; description of one of its parameters; one of its
examples, as JSON. Names, types and structure are no texts."""


class Override(Value):
    """Another text for one field, and the digest of the text it was written against."""

    path: str
    """``a/b``, ``a/b:tool``, ``a/b:tool.param`` or ``a/b:tool#1``."""
    field: OverrideField
    expected: str
    """SHA-256 of the text it replaces, as UTF-8, in hex."""
    text: str


class OverrideSet(Value):
    """What one tag says of one agent."""

    namespace: str
    key: str
    tag: str
    """1–64 of ``a-z0-9._-``, beginning with a letter or digit."""
    overrides: tuple[Override, ...] = ()


class ResolvedText(Value):
    """A text that takes effect."""

    path: str
    field: OverrideField
    text: str


class ResolvedOverrides(Value):
    """What an override set comes to for one version of an agent; a run pins it by its digest."""

    texts: tuple[ResolvedText, ...] = ()
    """Those that change something, by path and field."""
    skipped: tuple[SkippedOverride, ...] = ()
    digest: str = ""
    """Of ``texts``; empty when there are none."""
