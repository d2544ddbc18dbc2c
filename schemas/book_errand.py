"""Errands: one change of a book outside a session, under the same workflow id."""

from typing import Literal

from schemas.base import BookId, CommitSha, Effect, Value
from schemas.book import AdvanceReport, CompleteReport
from schemas.book_session import Advanced, BookRequest, BookSessionResult, Completed
from schemas.book_text import BookEdited, TextEdit
from schemas.control import PipelineState
from schemas.workspace import Pushed, Workspace


class BookErrandInput(Value):
    """Advance, complete, rollback, undo, reset or edit a book that has no running session."""

    book_id: BookId
    workspace: Workspace
    session: str
    kind: Literal[
        "advance", "complete", "rollback", "undo", "reset", "edit", "accept-remote", "restore-session"
    ]
    target: str | None = None
    """Tag to roll back to, or archive ref to bring back; None means the last one."""
    listed: str = ""
    """Digest of the plan that was shown, if one was; refused once the book has changed since."""
    early: bool = False
    by_agent: bool = False
    """See ``CompleteBook.by_agent``."""
    edits: tuple[TextEdit, ...] = ()
    """Of an edit: what a person typed."""
    who: str = ""
    """Of an edit: the person."""
    repo_queue: str = "penwright-repo"


class EditBook(BookRequest):
    """Save what a person typed, made from known revisions, as one commit of theirs."""

    edits: tuple[TextEdit, ...]
    who: str = ""


class RestoreBook(BookRequest):
    """Roll back, undo a rollback, reset, or decide on a session that the remote lost.

    What is discarded is archived first.
    """

    kind: Literal["rollback", "undo", "reset", "accept-remote", "restore-session"]
    target: str | None = None
    listed: str = ""
    """See ``BookErrandInput.listed``."""


class RestoreReport(Value):
    """Output of ``rollback``, ``rollback --undo`` and ``reset``."""

    status: Literal["rolled_back", "restored", "reset", "accepted", "published"]
    target: str
    archive: str
    discarded_commits: int
    saved_unsaved: tuple[str, ...] = ()
    kept_commits: int = 0
    gone_with: tuple[str, ...] = ()
    """As in ``Restored``."""
    commit: CommitSha
    """The tip of the branch at the end."""
    push: str = ""
    warnings: tuple[str, ...] = ()
    """Warnings of what was to follow from it and did not."""


class FinishBook(Value):
    """Delete the schedule of a book that an errand sealed, and notify people."""

    effect: Effect
    result: BookSessionResult
    """As of a session that sealed it."""


class BookErrandState(PipelineState):
    """State of an errand."""

    advanced: Advanced | None = None
    completed: Completed | None = None
    restored: RestoreReport | None = None
    edited: BookEdited | None = None
    finished: bool = False
    """``FinishBook`` was taken, or cannot be."""
    pushed: Pushed | None = None


class BookErrandResult(Value):
    """One of the reports, as its errand asks."""

    advance: AdvanceReport | None = None
    completion: CompleteReport | None = None
    restore: RestoreReport | None = None
    edit: BookEdited | None = None
    push: str = ""
