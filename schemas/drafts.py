"""Texts that people type into a page and have not saved yet: drafts of files, and their changes."""

from datetime import datetime
from typing import Literal

from schemas.base import BlobRef, OpId, Value
from schemas.patching import ConflictPlace

# A number keeps so many units of the text; a list drops its first item's units and brings its further items,
# joined by line ends. Units are those of UTF-16.
ChangeSet = tuple[int | tuple[int | str, ...], ...]
"""A change of a whole text, as CodeMirror writes it in JSON."""


class Draft(Value):
    """A file as people left it in the editor."""

    draft_id: str
    work: str
    """Id of the book or novel."""
    path: str
    """Of a book the file, of a novel the scene's name."""
    version: int
    """The number of changes so far."""
    saved_version: int
    """The version whose text the work has; less than ``version``: words are unsaved."""
    base: str
    """Revision of the work's file that the draft last agreed with; empty: there was no file."""
    base_text: BlobRef
    text: BlobRef
    """The text at ``text_version``; later changes are to be applied to it."""
    text_version: int
    disputes: tuple["Dispute", ...] = ()
    state: Literal["open", "closed"] = "open"
    changed_at: datetime
    changed_by: str = ""
    """The person of the last change that a person made."""

    @property
    def unsaved(self) -> bool:
        """Whether it holds words that the work does not have."""
        return self.version > self.saved_version


class Dispute(Value):
    """A passage that a person and another writer changed; the draft has the person's words."""

    number: int
    place: ConflictPlace


class NewDraft(Value):
    """A file that a person begins to edit."""

    draft_id: str
    work: str
    path: str
    base: str
    text: BlobRef


class Rebased(Value):
    """The work's file that a draft agrees with from now on."""

    base: str
    base_text: BlobRef
    disputes: tuple[ConflictPlace, ...] = ()
    """Conflicts that could not be merged, added to those that stand."""


class DraftChange(Value):
    """One change of a draft."""

    draft_id: str
    version: int
    """Of the text that it was made to; the text after it has the next one."""
    op_id: OpId
    changes: ChangeSet
    author: str
    kind: Literal["person", "machine"] = "person"
    """``machine``: it brings what the work's file has become meanwhile."""


class AppendChange(DraftChange):
    """A change to be kept, with what goes into the same transaction."""

    rebased: Rebased | None = None
    text: BlobRef | None = None
    """The text after the change, kept now and then so that few changes have to be applied again."""
    saved: bool = False
    """Whether the text after the change is the one that the work has."""


class Appended(Value):
    """A change is kept."""

    version: int
    """Of the text after it."""
    replayed: bool = False
    """The same operation was kept before."""


class Missed(Value):
    """A change was made to a text that others had changed; nothing is kept."""

    version: int
    """The newest."""
    changes: tuple[DraftChange, ...]
    """Those since the version that was named, oldest first."""
