"""The book session: what goes in, the orders it gives, what comes back, and its state."""

from typing import Literal

from pydantic import JsonValue

from schemas.base import BlobRef, BookId, Cause, CommitSha, Effect, Value
from schemas.book import AdvanceReport, BookFigures, ClosedReport, CompleteReport
from schemas.continuity import ContinuityInput
from schemas.control import ApprovableState
from schemas.intents import (
    Approval,
    ApprovalDecision,
    ApprovalNeed,
    ApprovalRequest,
    IntentPin,
)
from schemas.outside_session import DeliverProse, OutsideInput, OutsideState, SessionProse
from schemas.workspace import Pushed, Workspace, WorkspaceRequest


class RewriteOrder(Value):
    """A person's order to have a passage of the validated book rewritten."""

    chapter: int = 0
    """0: the passage before the first note of the author's in the book, which is the instruction."""
    instruction: str = ""
    passage: str = ""
    """Words of the paragraph that is meant; empty: the whole chapter, or ``lines``."""
    lines: tuple[int, int] | None = None
    """First and last line of the paragraphs that are meant, in the file of the book."""


class Rewrite(Value):
    """A passage of the validated book that is being rewritten."""

    chapter: int
    instruction: str
    passage: BlobRef
    """Exactly the text that is replaced."""
    occurrence: int = 0
    """Occurrences of the same text before it."""
    occurrences: int = 1
    """All of them in the book."""
    note: str = ""
    """The author's note at the end of the passage, which the rewrite answers; empty without one."""


class BookSessionInput(OutsideInput):
    """One session of one book. The workflow id is ``book/<book-id>``."""

    book_id: BookId
    workspace: Workspace
    origin: str = ""
    """The book that this one is a copy of, until that is recorded; empty: it is none."""
    intent: str = ""
    """The intent to write under; empty: the first in progress that owns the review file."""
    repo_queue: str = "penwright-repo"
    """Task queue of the host whose disk holds the workspace."""
    model_queue: str = "penwright-models"
    schedule_id: str | None = None
    """The schedule that started this session; deleted when the book is complete."""
    pause_after: int = 0
    """Refusals in a row after which that schedule pauses, as it does at a failure; 0: never."""
    override_tag: str = ""
    """Tag of the override set of its agents, before those of their profiles; empty: as the profiles say."""
    rewrite: RewriteOrder | None = None
    """The session rewrites a passage of the book and writes nothing else; None: it goes on with the book."""
    state: "BookSessionState | None" = None
    """Carried over by continue-as-new."""


class BookRequest(WorkspaceRequest):
    """Common fields of every request to change a book."""

    subject: BookId


class OpenSession(BookRequest):
    """Take the book: sync, human edits, snapshot tag, lock file, payload."""

    writer: str
    who: str = ""
    """See ``BookSessionInput.who``."""
    intent: str = ""
    """See ``BookSessionInput.intent``."""
    origin: str = ""
    """See ``BookSessionInput.origin``."""
    rewrite: RewriteOrder | None = None
    """See ``BookSessionInput.rewrite``."""


class Opened(Value):
    """The verdict of the opening, and the payload by reference."""

    verdict: Literal["open", "killed", "already-running", "sealed", "refused", "reviewed"]
    """``reviewed``: the last prose of a finished book has had its round; the session only seals it."""
    session: str = ""
    """The session that is open; shown only to the caller that opened it."""
    tip: CommitSha | None = None
    payload: BlobRef | None = None
    """A ``schemas.book.SessionPayload`` as JSON."""
    index: BlobRef | None = None
    """A ``schemas.prose.BookIndex`` as JSON, of the book and the prose that waits; None if prose is not
    checked."""
    snapshot_tag: str = ""
    words_wanted: int = 0
    timeout_minutes: int = 60
    rework_only: bool = False
    chapter_close_suggested: bool = False
    """Whether the chapter is full and the next one has an outline."""
    chapter_to_plan: int = 0
    """Number of the chapter that is to get an outline from the planner; 0: none."""
    pin: IntentPin | None = None
    """The intent this session works for, as it was worded when the session opened."""
    warnings: tuple[str, ...] = ()
    """Those of the payload: what the author should know."""
    figures: BookFigures | None = None
    """The book as the session found it."""
    code: str = ""
    """Error code when refused."""
    message: str = ""
    remote_silent: bool = False
    """The remote gave no answer in time."""
    reads: bool = False
    """The book is read for its continuity."""
    rewrite: Rewrite | None = None
    """The passage that was ordered, as it was found."""
    may_push: bool = True
    """Whether a push moves nothing here; not so after a refusal that left the remote's commits unmerged."""


class PlanChapter(Value):
    """Have the planner's agent make the outline of a chapter that has none."""

    payload: BlobRef
    chapter: int


class ChapterPlan(Value):
    """The answer of the planner."""

    chapter: int
    outline: BlobRef | None = None
    """Markdown; None if there is none that can be used."""
    why_none: str = ""
    code: str = ""
    """Error code of that reason."""
    model: str = ""
    """As in ``trailers.MODEL``."""
    overrides: str = ""
    """See ``SessionProse.overrides``."""
    cost_micros: int = 0
    unknown_prices: int = 0


class SaveOutline(BookRequest):
    """Put a chapter's outline into the book, or a proposal of it, as the book's settings say."""

    plan: ChapterPlan
    payload: BlobRef | None = None
    """The session's payload, to be brought up to date; None outside sessions."""
    premise: BlobRef | None = None
    """Premise of the whole book, given by a person."""


class OutlineSaved(Value):
    """The place of the outline, and the session's payload with it."""

    path: str = ""
    """Empty if it was not saved."""
    warning: str = ""
    """A notice for the author: a proposal waits, or why nothing was saved."""
    code: str = ""
    """Error code of a denial; empty if there was none."""
    commit: CommitSha | None = None
    payload: BlobRef | None = None
    """None if nothing of it has changed."""
    chapter_close_suggested: bool = False
    """As ``Opened.chapter_close_suggested``, now."""


class WriteProse(Value):
    """Have the writer's agent write this session's prose."""

    payload: BlobRef
    index: BlobRef | None = None
    """See ``Opened.index``."""


class Brief(Value):
    """The writer's prompt for a session, by reference, and how much it may answer."""

    task: BlobRef
    """The user's message: the book's material and this session's numbers."""
    params: dict[str, JsonValue]
    """Of the agent's sections, by name of their type."""
    turn_tokens: int
    """Output of one turn."""
    context_tokens: int | None = None
    """The most of a prompt with its answer; None in sessions that began before it was told."""
    human_edits: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    """About the prompt."""
    awaits_editor: bool = False
    """Whether an editor reads the prose that comes of it."""


class EditProse(Value):
    """Have the session's editor read the draft, and take its edits if they leave it no worse."""

    payload: BlobRef
    index: BlobRef
    """See ``Opened.index``."""
    written: SessionProse


class CloseSession(BookRequest):
    """Put the prose into the book: one commit."""

    written: SessionProse
    snapshot_tag: str
    pin: IntentPin | None = None
    approval: Approval | None = None
    warnings: tuple[str, ...] = ()
    """Those of the opening, for the Changelog."""
    rewrite: Rewrite | None = None
    """The passage that the prose replaces, once a person has approved it."""


class Closed(Value):
    """The session is in the book; or, when it ``asks``, it will be as soon as a person allows it."""

    commit: CommitSha
    report: ClosedReport
    figures: BookFigures | None = None
    """The book with this session's prose."""
    asks: ApprovalNeed | None = None
    """Nothing is committed yet: the gate denied the close, and a person may allow it."""


class AnnounceApproval(BookRequest):
    """Record that approval was asked for, or how that was decided; tell people who should decide."""

    request: ApprovalRequest
    decision: ApprovalDecision | None = None
    """None: it was only asked for."""


class AdvanceChapter(BookRequest):
    """Move on to the next chapter's outline."""

    payload: BlobRef | None = None
    """The session's payload, to be brought up to date; None outside a session."""


class Advanced(Value):
    """Whether the chapter moved; ``payload`` is the session payload with the new outline in it."""

    report: AdvanceReport
    commit: CommitSha | None = None
    payload: BlobRef | None = None
    denial: Cause | None = None
    """A denial that the outside agent may answer with a corrected call."""


class CompleteBook(BookRequest):
    """Seal the book if nothing is open in it."""

    early: bool = False
    """Seal even below the target range; a person's explicit wish."""
    pin: IntentPin | None = None
    """The intent of the session that seals, which must own what moves; None: a person seals."""
    by_agent: bool = False
    """An outside agent seals, under the intent that a session would have."""
    approval: Approval | None = None


class Completed(Value):
    """Whether the book was sealed; or, when it ``asks``, that it will be as soon as a person allows it."""

    report: CompleteReport
    commit: CommitSha | None = None
    figures: BookFigures | None = None
    """The sealed book; None unless it was sealed now."""
    asks: ApprovalNeed | None = None
    """Nothing is committed yet: the gate denied the sealing, and a person may allow it."""


class ReleaseBook(BookRequest):
    """Release the book without prose: remove the lock in a commit."""

    reason: str
    code: str = ""
    """Code of the failure that ended the session, if it failed."""
    message: str = ""
    intent: str = ""
    """The intent it wrote under."""
    prose: BlobRef | None = None
    """Prose that could not be closed; kept in the book as a file of its own under ``Review/``."""


class Released(Value):
    """The lock is gone; absent commit means there was none."""

    commit: CommitSha | None = None
    recovered: str = ""
    """Path of the file with the prose that could not be closed; empty without such prose."""


class PushBook(BookRequest):
    """Bring the remote up to date."""

    remote_silent: bool = False
    """The remote kept silent when this session opened: it is not asked again, and the push is pending."""


class EndSession(Value):
    """Record the ending, notify the people who asked for it, delete the schedule of a finished book."""

    effect: Effect
    result: "BookSessionResult"
    schedule_id: str | None = None
    to_read: ContinuityInput | None = None
    """The run that is to read what is new; None if nothing is."""


class BookSessionState(ApprovableState, OutsideState):
    """State of a session; only the folds change it."""

    opened: Opened | None = None
    plan: ChapterPlan | None = None
    outline: OutlineSaved | None = None
    advance_asked: bool = False
    advances: tuple[Advanced, ...] = ()
    written: SessionProse | None = None
    awaits_editor: bool = False
    """Whether an editor has yet to read what was written."""
    closed: Closed | None = None
    pushed: Pushed | None = None
    """The last push; a later commit sets it back to None."""
    completed: Completed | None = None
    released: Released | None = None


class BookSessionResult(Value):
    """Result of a session: never silence."""

    outcome: Literal["completed", "closed", "stopped", "refused", "failed"]
    """``completed``: the book is sealed. ``closed``: a normal session."""
    book_id: BookId
    session: str
    code: str = ""
    message: str = ""
    stopped_by: str = ""
    report: ClosedReport | None = None
    completion: CompleteReport | None = None
    snapshot_tag: str = ""
    commit: CommitSha | None = None
    push: str = ""
    cost_micros: int = 0
    unknown_prices: int = 0
    prose: BlobRef | None = None
    """Prose as it was delivered."""
    kept_prose: BlobRef | None = None
    """Prose that reached no file of the book; the next session puts it under ``Review/``."""
    recovered: str = ""
    """Path of the file with the prose that could not be closed; empty without such prose."""
    push_reason: str = ""
    """Reason why the remote did not take it, if it did not."""
    model: str = ""
    """Model that wrote the prose; empty for an outside agent, or if nothing was written."""
    warnings: tuple[str, ...] = ()
    """Warnings for the author, from the opening and the close, each once."""
    rewritten_chapter: int = 0
    """Chapter of which it rewrote a passage, or was to; 0: it went on with the book."""


class ScheduledSessionResult(BookSessionResult):
    """Result of a scheduled run."""

    refusals: int = 0
    """Refused runs in a row, this one included; the next run reads it."""


class SchedulePaused(Value):
    """Notify people that a schedule has paused itself."""

    effect: Effect
    book_id: BookId
    message: str


# What only a book takes of an outside agent; for the rest see ``schemas.outside_session``.


class AdvanceRequest(Value):
    """``advance-chapter`` by an outside agent."""

    session: str = ""
    """See ``DeliverProse.session``."""
    place: str = ""
    """See ``OpenRequest.place``."""


OutsideMessage = DeliverProse | AdvanceRequest


class SelectIntent(Value):
    """Look the intent up at the tip; nothing is changed."""

    subject: BookId
    workspace: Workspace
    intent: str


BookSessionInput.model_rebuild()
BookSessionState.model_rebuild()
EndSession.model_rebuild()
