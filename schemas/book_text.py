"""Texts of a book that a person changed outside a session, and what became of them."""

from typing import Literal

from schemas.base import BlobRef, CommitSha, Value
from schemas.patching import ConflictPlace


class TextEdit(Value):
    """The whole new text of one file, made from the text that ``base`` names."""

    path: str
    base: str = ""
    """Git blob id that the editor showed when typing began; empty: there was no file."""
    text: BlobRef
    """UTF-8."""
    removed: bool = False
    """The file goes; ``text`` is empty."""


class EditedText(Value):
    """A file as it stands now."""

    path: str
    revision: str
    """Git blob id; the next edit's base."""
    text: BlobRef
    words: int


class BookEdited(Value):
    """Result of a person's edits, which are saved all together or not at all."""

    outcome: Literal["saved", "merged", "unchanged", "conflict", "refused"]
    """``merged``: a text had moved on, and both sides' changes are in it. ``conflict``: both changed one
    place of ``path``, or its base is unknown (``unknown-base``). ``refused``: ``code`` says why. Only
    ``saved`` and ``merged`` commit."""
    files: tuple[EditedText, ...] = ()
    path: str = ""
    """The file in conflict, or the one that was refused."""
    places: tuple[ConflictPlace, ...] = ()
    also: tuple[str, ...] = ()
    """Other files that took words, since the passages in which they were typed had been moved there."""
    """Of a conflict: the passages that both changed."""
    emptied: dict[str, int] = {}
    """Files that held words and hold none any more, and how many of them stand in no other file."""
    commit: CommitSha | None = None
    code: str = ""
    message: str = ""
    push: str = ""
    """``pushed``, ``pending``, or empty if there was nothing to push."""
    warnings: tuple[str, ...] = ()
    """Warnings of what was to follow from the change and did not."""
