"""Port of what people type and have not saved yet."""

from datetime import datetime
from typing import Protocol

from schemas.drafts import AppendChange, Appended, Draft, DraftChange, Missed, NewDraft, Rebased


class Drafts(Protocol):
    """Drafts of files, with each change that was made to them.

    All but ``open``, ``of`` and ``unsaved_since`` raise ``NotFound`` ``unknown-draft``.
    """

    def open(self, new: NewDraft) -> Draft:
        """Return the open draft of that work's file; the new one if there is none."""
        ...

    def read(self, draft_id: str) -> Draft:
        """Return it, open or closed."""
        ...

    def of(self, work: str) -> tuple[Draft, ...]:
        """Return the open drafts of a work, by path."""
        ...

    def unsaved_since(self, before: datetime, *, limit: int = 100) -> tuple[Draft, ...]:
        """Return open drafts with unsaved words whose last change was made then or earlier, oldest first."""
        ...

    def append(self, request: AppendChange) -> Appended | Missed:
        """Keep a change made to the newest version; the caller has checked that it can be applied.

        Raises:
            Refused: ``draft-closed``.
        """
        ...

    def changes(self, draft_id: str, since: int) -> tuple[DraftChange, ...]:
        """Return the changes made to version ``since`` and later ones, oldest first."""
        ...

    def changes_from(self, draft_id: str, at: datetime) -> tuple[DraftChange, ...]:
        """Return the changes that were made then or later, oldest first."""
        ...

    def mark_saved(self, draft_id: str, version: int, rebased: Rebased) -> Draft:
        """Note that the work has the text of ``version`` as ``rebased``. Idempotent."""
        ...

    def drop_dispute(self, draft_id: str, number: int) -> Draft:
        """Drop a dispute that a person decided. Idempotent."""
        ...

    def close(self, draft_id: str) -> Draft:
        """End the draft; its changes are kept until they are pruned. Idempotent."""
        ...
