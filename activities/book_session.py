"""Activities of the book session and its errands in a workspace: each change is one commit."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeVar

from temporalio import activity

from activities.books.editing import BookEditor
from activities.books.opening import BookOpening
from activities.books.reading import BookReader
from activities.books.run_log import BookRunLog
from activities.publishing import (
    Done,
    Planned,
    Publisher,
    agent_trailer,
    in_one_repository,
    part_of,
    refusal,
)
from activities.trace_reading import keep_anchors
from activities.work_lore import WorkLore
from penwright.domain.book.advancing import advance_chapter, advanced_payload
from penwright.domain.book.closing import Closing, close_book
from penwright.domain.book.completing import complete_book
from penwright.domain.book.files.layout import (
    ENGINE_WRITTEN,
    KNOWN,
    LOCK,
    RESET_NAMES,
    REVIEW,
    SESSION_PATTERNS,
)
from penwright.domain.book.intents import select_for
from penwright.domain.book.opening import may_leave_chapter
from penwright.domain.book.planning import plan_outline, with_outline
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.book.releasing import release_book
from penwright.domain.book.resetting import RESET_TEXTS, reset_book
from penwright.domain.book.rewriting.closing import TO_BE_READ, close_rewrite
from penwright.domain.book.session_lessons import LESSON_FILES, lesson_of
from penwright.domain.book.session_warnings import not_planned
from penwright.domain.book.status import book_figures
from penwright.domain.book.view import BookView, read_book
from penwright.domain.trace.source import TraceAnchors
from penwright.domain.trailers import AUTHORSHIP, MODEL, OVERRIDES
from penwright.errors import BrokenBook, RemoteUnavailable
from penwright.ports.blobs import Blobs
from penwright.ports.records import Records
from penwright.ports.workspaces import Workspaces
from schemas.base import BlobRef
from schemas.book import BookFigures, SessionPayload
from schemas.book_errand import EditBook, RestoreBook, RestoreReport
from schemas.book_session import (
    AdvanceChapter,
    Advanced,
    BookRequest,
    Closed,
    CloseSession,
    CompleteBook,
    Completed,
    Opened,
    OpenSession,
    OutlineSaved,
    PushBook,
    ReleaseBook,
    Released,
    SaveOutline,
    SelectIntent,
)
from schemas.book_text import BookEdited
from schemas.intents import Selected
from schemas.workspace import SILENT, Contributor, Pushed, Restored

Committed = TypeVar("Committed", Closed, Advanced, Completed, Released, RestoreReport, OutlineSaved)


_DONE: Final[Mapping[str, Literal["rolled_back", "restored", "accepted", "published"]]] = {
    "rollback": "rolled_back",
    "undo": "restored",
    "accept-remote": "accepted",
    "restore-session": "published",
}


@dataclass(frozen=True)
class BookActivities:
    """Activities for one host's repositories. They finish what they began, even if the worker shuts down."""

    workspaces: Workspaces
    blobs: Blobs
    records: Records
    owner: str
    """Names this engine in lock files."""
    trace: TraceAnchors | None = None
    """Parsed texts, for the histories of intents."""
    host: str = ""
    """Names this machine in lock files, for people."""
    lore: WorkLore = field(default_factory=WorkLore)

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def open_session(self, request: OpenSession) -> Opened:
        """Sync, save the author's edits, tag, lock, push the lock, and gather the payload.

        Of several engines that open one remote at once, the one whose lock arrives first has the book; the
        others take theirs back and find it locked.
        """
        opened = self._opening.open(request)
        self._run_log.opened(request, opened)
        self._note_lore(request, opened.payload if opened.verdict == "open" else None, "opened")
        return opened

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def select_intent(self, request: SelectIntent) -> Selected:
        """The handshake: what an intent asks now, and what was done for it."""
        snapshot = self.workspaces.snapshot(request.workspace, SESSION_PATTERNS)
        return self._reader.selected(request, read_book(snapshot))

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def close_session(self, request: CloseSession) -> Closed:
        """Put the prose into the book, and what was validated into the full book.

        What the gate denies and a person may allow comes back with what there is to allow.
        """
        done = self._publisher.found(request, Closed) or self._close(request)
        if done.denial is not None:
            if done.denial.asks is None:
                raise refusal(done.denial)
            return done.outcome.model_copy(update={"asks": done.denial.asks})
        closed = _at_commit(done)
        self._run_log.closed(request, closed)
        return closed

    def _close(self, request: CloseSession) -> Done[Closed]:
        """Under the approval, if there is one, and without it when nothing needs it any more."""
        prose = self.blobs.get(request.written.prose).decode()
        self._save_human_edits(request, request.approval.id if request.approval else "")
        done = self._publisher.attempt(
            request, Closed, "close", Contributor.MODEL, lambda: self._plan_close(request, prose)
        )
        asks = done.denial.asks if done.denial else None
        if request.approval is None or asks is None or asks.codes:
            return done
        return self._close(request.model_copy(update={"approval": None}))

    def _plan_close(self, request: CloseSession, prose: str) -> Planned[Closed]:
        view = self._reader.view(request.workspace, request.effect.issued_at)
        closing = self._closing(request, view, prose)
        model = request.written.model
        declared = request.written.authorship
        trailers = (
            *(((MODEL, model),) if model else ()),
            *(((OVERRIDES, request.written.overrides),) if request.written.overrides else ()),
            *(((AUTHORSHIP, declared),) if declared else ()),
            *agent_trailer(request.written.who),
        )
        report = closing.report
        figures = book_figures(view).model_copy(
            update={
                "words": report.total_word_count,
                "waiting": report.waiting_word_count,
                "sessions_left": closing.pace.sessions_left,
            }
        )
        outcome = Closed(commit=view.tip, report=report, figures=figures)
        return Planned(
            outcome,
            closing.operations,
            closing.message,
            trailers,
            pin=request.pin,
            approval=request.approval,
            to_be_read=TO_BE_READ if request.rewrite is not None else "",
        )

    def _closing(self, request: CloseSession, view: BookView, prose: str) -> Closing:
        """Changes by the close of a session or of a rewrite."""
        written = request.written
        if request.rewrite is not None:
            return close_rewrite(
                view,
                self._reader.book_text(request.workspace, view),
                request.rewrite,
                self.blobs.get(request.rewrite.passage).decode(),
                session=request.session,
                prose=prose,
                now=request.effect.issued_at,
                human_edits=written.human_edits,
                snapshot_tag=request.snapshot_tag,
                model=written.model,
                warnings=request.warnings,
            )
        return close_book(
            view,
            session=request.session,
            prose=prose,
            summary=written.summary,
            now=request.effect.issued_at,
            human_edits=written.human_edits,
            snapshot_tag=request.snapshot_tag,
            model=written.model,
            warnings=request.warnings,
            left_out=written.warnings,
            craft=written.craft,
        )

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def advance_chapter(self, request: AdvanceChapter) -> Advanced:
        """Move to the next chapter if it has an outline; the payload follows it."""
        done = self._publisher.found(request, Advanced)
        if done is None:
            self._save_human_edits(request)
            done = self._publisher.commit(
                request, Advanced, "advance", Contributor.ENGINE, lambda: self._plan_advance(request)
            )
        advanced = _at_commit(done)
        self._run_log.advanced(request, advanced)
        self._note_lore(request, advanced.payload, "advanced")
        return advanced

    def _plan_advance(self, request: AdvanceChapter) -> Planned[Advanced]:
        view = self._reader.view(request.workspace, request.effect.issued_at)
        moving = advance_chapter(view)
        payload = None
        if request.payload is not None and moving.operations:
            payload = self._kept(request, advanced_payload(self._reader.payload(request.payload), view))
        outcome = Advanced(report=moving.report, payload=payload)
        return Planned(outcome, moving.operations, moving.message)

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def save_outline(self, request: SaveOutline) -> OutlineSaved:
        """Commit the planner's outline or proposal; what the gate denies is told, and nothing is changed."""
        done = self._publisher.found(request, OutlineSaved)
        if done is None:
            self._save_human_edits(request)
            done = self._publisher.attempt(
                request, OutlineSaved, "plan", Contributor.MODEL, lambda: self._plan_outline(request)
            )
        if done.denial is not None:
            said = not_planned(request.plan.chapter, done.denial.message)
            return OutlineSaved(warning=said, code=refusal(done.denial).code)
        saved = _at_commit(done)
        if saved.payload is not None:
            self._note_lore(request, saved.payload, "opened")
        return saved

    def _plan_outline(self, request: SaveOutline) -> Planned[OutlineSaved]:
        view = self._reader.view(request.workspace, request.effect.issued_at)
        assert request.plan.outline is not None, "there is an outline to save"
        premise = self.blobs.get(request.premise).decode() if request.premise else ""
        outline = self.blobs.get(request.plan.outline).decode()
        plan = plan_outline(view, request.plan.chapter, outline, premise=premise)
        if not plan.operations:
            return Planned(OutlineSaved(warning=plan.warning))
        outcome = OutlineSaved(path=plan.path, warning=plan.warning)
        if request.payload is not None:
            payload = with_outline(self._reader.payload(request.payload), view, plan)
            changes = {
                "payload": self._kept(request, payload),
                "chapter_close_suggested": may_leave_chapter(payload),
            }
            outcome = outcome.model_copy(update=changes)
        told = ((MODEL, request.plan.model), (OVERRIDES, request.plan.overrides))
        trailers = tuple((name, value) for name, value in told if value)
        pin = select_for(view, plan.path).pin
        return Planned(outcome, plan.operations, plan.message, trailers, pin=pin)

    def _kept(self, request: BookRequest, payload: SessionPayload) -> BlobRef:
        """The payload, stored with the lore of the outlines that it has now."""
        return self._reader.keep(self.lore.in_session(request.subject, payload))

    def _note_lore(self, request: BookRequest, kept: BlobRef | None, stage: str) -> None:
        """Record what the lorebooks tell the session of a stored payload."""
        if kept is None or (told := (payload := self._reader.payload(kept)).lore) is None:
            return
        at = self.blobs.put(told.model_dump_json().encode())
        self._run_log.lore(request, payload.config.current_chapter, told, at, stage=stage)

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def complete_book(self, request: CompleteBook) -> Completed:
        """Seal the book if nothing is open in it.

        What the gate denies and a person may allow comes back with what there is to allow.
        """
        done = self._publisher.found(request, Completed) or self._complete(request)
        if done.denial is not None:
            if done.denial.asks is None or request.by_agent:
                raise refusal(done.denial)
            waiting = done.outcome.report.model_copy(
                update={"status": "not_ready", "message": f"{done.denial.message}; a person may allow it"}
            )
            return Completed(report=waiting, asks=done.denial.asks)
        completed = _at_commit(done)
        self._run_log.completed(request, completed)
        return completed

    def _complete(self, request: CompleteBook) -> Done[Completed]:
        """Under the approval, if there is one, and without it when nothing needs it any more."""
        self.workspaces.check(request.workspace)
        self._save_human_edits(request, request.approval.id if request.approval else "")
        done = self._publisher.attempt(
            request, Completed, "complete", Contributor.ENGINE, lambda: self._plan_completion(request)
        )
        asks = done.denial.asks if done.denial else None
        if request.approval is None or asks is None or asks.codes:
            return done
        return self._complete(request.model_copy(update={"approval": None}))

    def _plan_completion(self, request: CompleteBook) -> Planned[Completed]:
        view = self._reader.view(request.workspace, request.effect.issued_at)
        sealing = complete_book(
            view,
            session=request.session,
            owner=self.owner,
            now=request.effect.issued_at,
            early=request.early,
        )
        report = sealing.report
        changes = {"words": report.total_word_count, "waiting": 0, "sealed": True, "sessions_left": 0}
        figures = book_figures(view).model_copy(update=changes) if report.status == "complete" else None
        outcome = Completed(report=report, figures=figures)
        pin = select_for(view, REVIEW).pin if request.by_agent and sealing.operations else request.pin
        return Planned(outcome, sealing.operations, sealing.message, pin=pin, approval=request.approval)

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def edit_book(self, request: EditBook) -> BookEdited:
        """Save what a person typed; what others changed meanwhile is merged, or named as a conflict."""
        edited = BookEditor(self._publisher, self._save_human_edits).edit(request)
        self._run_log.edited(request, edited, self._figures(request) if edited.commit else None)
        return edited

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def release_book(self, request: ReleaseBook) -> Released:
        """Give the book back; prose that could not be closed stays in it as a file of its own."""
        done = self._publisher.found(request, Released)
        if done is None:
            done = self._publisher.commit(
                request, Released, "release", Contributor.ENGINE, lambda: self._plan_release(request)
            )
        released = _at_commit(done)
        self._run_log.released(request, released)
        return released

    def _plan_release(self, request: ReleaseBook) -> Planned[Released]:
        prose = self.blobs.get(request.prose).decode() if request.prose else None
        releasing = release_book(
            self.workspaces.snapshot(request.workspace, (LOCK, *LESSON_FILES)),
            session=request.session,
            reason=request.reason,
            prose=prose,
            now=request.effect.issued_at,
            lesson=lesson_of(
                request.code, request.message, intent=request.intent, at=request.effect.issued_at
            ),
        )
        return Planned(Released(recovered=releasing.recovered), releasing.operations, releasing.message)

    def _pushed(self, request: PushBook) -> Pushed:
        if not request.remote_silent:
            return self.workspaces.push(request.workspace, request.effect)
        reason = "the remote kept silent when the session opened; the next session asks it again"
        return Pushed(outcome="pending", code=SILENT, reason=reason)

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def push_book(self, request: PushBook) -> Pushed:
        """Bring the remote up to date, without force except after a rollback, and then by lease."""
        try:
            pushed = self._pushed(request)
        except RemoteUnavailable as late:
            self._run_log.not_pushed(request, late)
            raise
        self.workspaces.maintain(request.workspace)
        keep_anchors(self.workspaces, self.trace, request.workspace, request.subject)
        self._run_log.pushed(request, pushed)
        return pushed

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def restore_book(self, request: RestoreBook) -> RestoreReport:
        """Roll back, undo that, or reset; everything set aside is archived first."""
        self.workspaces.check(request.workspace)
        report = self._reset(request) if request.kind == "reset" else self._restore(request)
        self._run_log.restored(request, report, self._figures(request))
        return report

    def _figures(self, request: BookRequest) -> BookFigures | None:
        """The book as it is now; None after a reset, which leaves no book."""
        try:
            return book_figures(self._reader.view(request.workspace, request.effect.issued_at))
        except BrokenBook:
            return None

    def _restore(self, request: RestoreBook) -> RestoreReport:
        restored = self._taken_back(request)
        return RestoreReport(
            status=_DONE[request.kind],
            target=restored.target,
            archive=restored.archive,
            discarded_commits=restored.discarded_commits,
            saved_unsaved=restored.saved_unsaved,
            kept_commits=restored.kept_commits,
            gone_with=restored.gone_with,
            commit=restored.tip,
        )

    def _taken_back(self, request: RestoreBook) -> Restored:
        if request.kind in ("accept-remote", "restore-session"):
            return self.workspaces.settle_lost(
                request.workspace,
                request.effect,
                accept=request.kind == "accept-remote",
                known=KNOWN,
                listed=request.listed,
            )
        return self.workspaces.restore(
            request.workspace,
            request.effect,
            target=request.target,
            undo=request.kind == "undo",
            known=KNOWN,
            listed=request.listed,
        )

    def _reset(self, request: RestoreBook) -> RestoreReport:
        """A reset is a commit on top: only unsaved edits and old tags need setting aside."""
        done = self._publisher.found(request, RestoreReport)
        if done is None:
            archived = self.workspaces.archive(
                request.workspace, part_of(request.effect, "archive"), known=KNOWN
            )
            draft = RestoreReport(
                status="reset",
                target="",
                archive=archived.archive,
                discarded_commits=0,
                saved_unsaved=archived.saved_unsaved,
                commit=archived.tip,
            )
            self._save_human_edits(request)
            done = self._publisher.commit(
                request, RestoreReport, "reset", Contributor.ENGINE, lambda: self._plan_reset(request, draft)
            )
        return _at_commit(done)

    def _plan_reset(self, request: RestoreBook, draft: RestoreReport) -> Planned[RestoreReport]:
        snapshot = self.workspaces.snapshot(request.workspace, RESET_TEXTS, names=RESET_NAMES)
        lock = snapshot.files[LOCK].text if LOCK in snapshot.files else None
        resetting = reset_book(
            snapshot,
            now=request.effect.issued_at,
            owner=self.owner,
            lock_committed=self._reader.lock_committed(request.workspace, lock),
        )
        return Planned(draft, resetting.operations, resetting.message)

    @property
    def _reader(self) -> BookReader:
        return BookReader(self.workspaces, self.blobs)

    @property
    def _opening(self) -> BookOpening:
        return BookOpening(self._publisher, self._reader, self.records, self.owner, self.host, self.lore)

    @property
    def _publisher(self) -> Publisher:
        return Publisher(self.workspaces, self.blobs, BOOK_PROFILE)

    @property
    def _run_log(self) -> BookRunLog:
        return BookRunLog(self.records)

    def _save_human_edits(self, request: BookRequest, occasion: str = "") -> None:
        """Commit what the author left unsaved during the session as theirs, before our commit.

        A request that is repeated after a person had time to edit names the ``occasion``.
        """
        part = f"human/{occasion}" if occasion else "human"
        effect = part_of(request.effect, part)
        left = self._reader.unreadable_edits(request.workspace, effect)
        self.workspaces.save_human_edits(
            request.workspace, effect, known=KNOWN, engine=ENGINE_WRITTEN, left=left
        )


def _at_commit(done: Done[Committed]) -> Committed:
    if done.published is None:
        return done.outcome
    return done.outcome.model_copy(update={"commit": done.published.commit})
