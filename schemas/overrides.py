"""Overrides: replacements for texts of an agent, without changing its code."""

from typing import Literal

from schemas.agent import SkippedOverride
from schemas.base import Value

OverrideField = Literal["body", "summary", "description", "param", "example"]
"""Body and summary of a section; description of a tool; description of one of its parameters; one of its
examples, as JSON. Names, types and structure cannot be overridden."""


class Override(Value):
    """A new text for one field, and the digest of the text that it replaces."""

    path: str
    """``a/b``, ``a/b:tool``, ``a/b:tool.param`` or ``a/b:tool#1``."""
    field: OverrideField
    expected: str
    """SHA-256, in hex, of the replaced text as UTF-8."""
    text: str


class OverrideSet(Value):
    """The overrides of one agent under one tag."""

    namespace: str
    key: str
    tag: str
    """1–64 of ``a-z0-9._-``, beginning with a letter or digit."""
    overrides: tuple[Override, ...] = ()
    unread: tuple[SkippedOverride, ...] = ()
    """Entries of its file that are none; such a set is not written."""


class ResolvedText(Value):
    """An override that is in effect."""

    path: str
    field: OverrideField
    text: str


class ResolvedOverrides(Value):
    """An override set applied to one version of an agent; a run pins it by its digest."""

    texts: tuple[ResolvedText, ...] = ()
    """Those that change a text, ordered by path and field."""
    skipped: tuple[SkippedOverride, ...] = ()
    digest: str = ""
    """Digest of ``texts``; empty if there are none."""
