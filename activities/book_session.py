"""What the book session and its errands ask of a workspace: each change is one commit."""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from temporalio import activity

from activities.book_run_log import BookRunLog
from activities.publishing import (
    Done,
    Planned,
    Publisher,
    in_one_repository,
    refusal,
)
from activities.trace_indexing import TraceIndexer, shared_chunks
from penwright.domain.book.advancing import advance_chapter, advanced_payload
from penwright.domain.book.closing import close_book
from penwright.domain.book.completing import complete_book
from penwright.domain.book.files.layout import (
    CONFIG,
    ENGINE_WRITTEN,
    FULL_BOOK,
    KNOWN,
    LOCK,
    RESET_NAMES,
    REVIEW,
    SESSION_PATTERNS,
    names_at,
)
from penwright.domain.book.files.session_lock import read_lock
from penwright.domain.book.files.view import BookView, read_book
from penwright.domain.book.intents import proposal, select_for, with_registry
from penwright.domain.book.opening import Opening, open_book
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.book.releasing import recovered_prose, release_book
from penwright.domain.book.resetting import RESET_TEXTS, reset_book
from penwright.domain.book.session_lessons import LESSON_FILES, lesson_of
from penwright.domain.book.session_warnings import (
    CONFIG_KEPT,
    FIRST_INTENT,
    LEFT_ALONE,
    LOCK_UNCLAIMED,
    REMOTE_SILENT,
)
from penwright.domain.book.status import book_figures
from penwright.domain.text.chunks import ChunkCache
from penwright.domain.text.conflicts import conflict_warning
from penwright.domain.trace.layout import LESSONS
from penwright.domain.trace.lessons import lessons_of
from penwright.domain.trailers import AGENT, AUTHORSHIP, MODEL, SYNC
from penwright.errors import BrokenBook, Refused, RemoteUnavailable, WorkspaceBusy
from penwright.ports import Blobs, Records, TraceIndex, Workspaces
from schemas.base import BlobRef, Effect, OpId
from schemas.book import BookFigures, SessionPayload
from schemas.book_session import (
    AdvanceChapter,
    Advanced,
    BookRequest,
    BookSessionResult,
    Closed,
    CloseSession,
    CompleteBook,
    Completed,
    Opened,
    OpenSession,
    PushBook,
    ReleaseBook,
    Released,
    RestoreBook,
    RestoreReport,
    SelectIntent,
)
from schemas.intents import Selected
from schemas.workspace import Claimed, Contributor, Create, MutationPlan, Pushed, Synced, Workspace

_CLAIMS = 4
"""How often an opening is planned again because the remote had moved."""
_RUNS_TO_SEARCH = 500
"""How many refused sessions may lie between one that left unsaved prose and the next that opens."""

_LEFT_ALONE = 10
"""How many files that are not the book's a warning names."""

Committed = TypeVar("Committed", Closed, Advanced, Completed, Released, RestoreReport)


@dataclass(frozen=True)
class BookActivities:
    """Asks of one host's repositories. They finish what they began, even when the worker shuts down."""

    workspaces: Workspaces
    blobs: Blobs
    records: Records
    owner: str
    """Names this engine in lock files."""
    trace: TraceIndex | None = None
    chunks: ChunkCache = field(default_factory=shared_chunks)
    """Parsed texts, for the histories of intents."""
    host: str = ""
    """Names this machine in lock files, for people."""

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def open_session(self, request: OpenSession) -> Opened:
        """Sync, save the author's edits, tag, lock, push the lock, and gather the payload.

        Of several engines that open one remote at once, the one whose lock arrives first has the book; the
        others take theirs back and find it locked.
        """
        for _ in range(_CLAIMS):
            if (done := self._publisher.found(request, Opened)) is not None:
                claimed = self._claim(request, done.outcome)
            else:
                done, claimed = self._open(request)
            if claimed.outcome != "lost":
                break
        else:
            raise WorkspaceBusy("remote-keeps-moving", "the remote keeps moving; trying again soon")
        opened = self._with_warning(self._with_final_tag(done), claimed)
        self._run_log.opened(request, opened)
        return opened

    def _open(self, request: OpenSession) -> tuple[Done[Opened], Claimed]:
        """Lock the book, unless a rule forbids it: here, and at the remote if that answered just now."""
        self.workspaces.check(request.workspace)
        synced = self.workspaces.sync(
            request.workspace, _part(request.effect, "sync"), known=KNOWN, engine=ENGINE_WRITTEN
        )
        warnings = (*_sync_warnings(synced), *self._propose_intent(request, synced))
        left = self._left_behind(request)
        done = self._publisher.commit(
            request,
            Opened,
            "open",
            Contributor.ENGINE,
            lambda: self._plan_opening(request, synced, warnings, left),
        )
        if synced.remote != "current":
            return done, Claimed(outcome="local")
        return done, self._claim(request, done.outcome)

    def _claim(self, request: OpenSession, opened: Opened) -> Claimed:
        """Push the lock, before any model is asked.

        Raises:
            Refused: ``already-running``: another engine was faster.
        """
        if opened.verdict != "open":
            return Claimed(outcome="local")
        try:
            claimed = self.workspaces.claim(request.workspace, request.effect)
        except RemoteUnavailable as silent:
            return Claimed(outcome="pending", code=silent.code, reason=str(silent.details.get("cause", "")))
        if claimed.outcome == "merged":
            self._refuse_other_lock(request)
        return claimed

    def _refuse_other_lock(self, request: OpenSession) -> None:
        files = self.workspaces.snapshot(request.workspace, (LOCK,)).files
        lock = read_lock(files[LOCK].text) if LOCK in files else None
        if lock is None or lock.session != request.session:
            raise Refused(
                "already-running",
                f"another engine opened this book at the same moment ({lock.place if lock else LOCK}); "
                "nothing was written; try again when that session has ended",
            )

    def _with_warning(self, opened: Opened, claimed: Claimed) -> Opened:
        """Tell the author that another machine may open the book as well."""
        if claimed.outcome != "pending" or opened.payload is None:
            return opened
        payload = self._payload(opened.payload)
        warnings = (*payload.warnings, _unclaimed(claimed.reason or claimed.code))
        payload = payload.model_copy(update={"warnings": warnings})
        return opened.model_copy(update={"payload": self._keep(payload), "warnings": warnings})

    def _left_behind(self, request: OpenSession) -> tuple[Create, ...]:
        """What the last session wrote, when a full disk or the like kept it out of every file."""
        for run in self.records.runs(
            subject=request.subject, pipeline=BOOK_PROFILE.name, limit=_RUNS_TO_SEARCH
        ):
            if run.detail.get("session") != request.session and run.detail.get("snapshot_tag"):
                ending = BookSessionResult.model_validate(run.detail)
                kept = self.blobs.get(ending.kept_prose).decode() if ending.kept_prose else None
                return recovered_prose(kept, ending.session, request.effect.issued_at)
        return ()

    def _propose_intent(self, request: OpenSession, synced: Synced) -> tuple[str, ...]:
        """A book from before there were intents gets one under which it can be written; says so if it did.

        Raises:
            Refused: what will refuse the opening; a refused one leaves no commit.
        """
        view = self._view(request.workspace, request.effect.issued_at)
        missing = proposal(view)
        if missing is None or self._judge(request, view, synced).verdict != "open":
            return ()
        select_for(with_registry(view, missing), REVIEW, request.intent)
        plan = MutationPlan(
            workspace=request.workspace,
            message="Propose an intent under which the book is written",
            contributor=Contributor.ENGINE,
            operations=(missing,),
            tool="book.adopt",
        )
        self.workspaces.publish(plan, _part(request.effect, "intents"))
        return (f"{FIRST_INTENT}; {missing.path} has a first one now, for you to edit",)

    def _plan_opening(
        self, request: OpenSession, synced: Synced, warnings: tuple[str, ...], left: tuple[Create, ...]
    ) -> Planned[Opened]:
        view = self._view(request.workspace, request.effect.issued_at)
        warnings = (*warnings, *(f"an earlier session left prose in {o.path}" for o in left))
        opening = self._judge(request, view, synced, warnings)
        selected = self._selected(request, view) if opening.verdict == "open" else None
        opened = self._opened(view, opening, selected.context if selected else "")
        return Planned(
            outcome=opened.model_copy(update={"pin": selected.pin}) if selected else opened,
            operations=(*opening.operations, *(left if opening.operations else ())),
            message=opening.message,
            trailers=((SYNC, view.tip), *_by(request.who)),
            tag=opening.tag or None,
        )

    def _judge(
        self, request: OpenSession, view: BookView, synced: Synced, warnings: tuple[str, ...] = ()
    ) -> Opening:
        return open_book(
            view,
            session=request.session,
            owner=self.owner,
            now=request.effect.issued_at,
            place=f"{self.host}:{request.workspace.path}" if self.host else "",
            copy_id=request.subject if request.origin else "",
            origin=request.origin,
            human_edits=synced.human_edits,
            edited_today=synced.edited_today,
            warnings=warnings,
        )

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def select_intent(self, request: SelectIntent) -> Selected:
        """The handshake: what an intent asks now, and what was done for it."""
        snapshot = self.workspaces.snapshot(request.workspace, SESSION_PATTERNS)
        return self._selected(request, read_book(snapshot))

    def _selected(self, request: OpenSession | SelectIntent, view: BookView) -> Selected:
        """The intent to write under, and what was done for it before."""
        memory = TraceIndexer(self.workspaces, self.trace, self.chunks)
        lessons = lessons_of(view.text(LESSONS))
        return memory.with_past(
            request.workspace, request.subject, select_for(view, REVIEW, request.intent), lessons
        )

    def _opened(self, view: BookView, opening: Opening, intent: str) -> Opened:
        payload = opening.payload.model_copy(update={"intent": intent})
        return Opened(
            verdict=opening.verdict,
            tip=view.tip,
            payload=self._keep(payload),
            snapshot_tag=payload.snapshot_tag,
            words_wanted=opening.words_wanted,
            timeout_minutes=view.config.session_timeout_minutes,
            rework_only=opening.rework_only,
            chapter_close_suggested=payload.chapter_close_suggested,
            warnings=payload.warnings,
            message=opening.reason,
            figures=book_figures(view),
        )

    def _with_final_tag(self, done: Done[Opened]) -> Opened:
        """The tag's suffix is known only after publish, so the payload is completed afterwards."""
        opened, published = done.outcome, done.published
        if published is None:
            return opened
        opened = opened.model_copy(update={"tip": published.commit})
        if not published.tag or published.tag == opened.snapshot_tag or opened.payload is None:
            return opened
        payload = self._payload(opened.payload).model_copy(update={"snapshot_tag": published.tag})
        return opened.model_copy(update={"snapshot_tag": published.tag, "payload": self._keep(payload)})

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
        view = self._view(request.workspace, request.effect.issued_at)
        closing = close_book(
            view,
            session=request.session,
            prose=prose,
            summary=request.written.summary,
            now=request.effect.issued_at,
            human_edits=request.written.human_edits,
            snapshot_tag=request.snapshot_tag,
            model=request.written.model,
            warnings=request.warnings,
        )
        model = request.written.model
        declared = request.written.authorship
        trailers = (
            *(((MODEL, model),) if model else ()),
            *(((AUTHORSHIP, declared),) if declared else ()),
            *_by(request.written.who),
        )
        report = closing.report
        figures = book_figures(view).model_copy(
            update={"words": report.total_word_count, "waiting": report.waiting_word_count}
        )
        outcome = Closed(commit=view.tip, report=report, figures=figures)
        return Planned(
            outcome, closing.operations, closing.message, trailers, pin=request.pin, approval=request.approval
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
        return advanced

    def _plan_advance(self, request: AdvanceChapter) -> Planned[Advanced]:
        view = self._view(request.workspace, request.effect.issued_at)
        moving = advance_chapter(view)
        payload = None
        if request.payload is not None and moving.operations:
            payload = self._keep(advanced_payload(self._payload(request.payload), moving.report))
        outcome = Advanced(report=moving.report, payload=payload)
        return Planned(outcome, moving.operations, moving.message)

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
        view = self._view(request.workspace, request.effect.issued_at)
        sealing = complete_book(
            view,
            session=request.session,
            owner=self.owner,
            now=request.effect.issued_at,
            early=request.early,
        )
        report = sealing.report
        changes = {"words": report.total_word_count, "waiting": 0, "sealed": True}
        figures = book_figures(view).model_copy(update=changes) if report.status == "complete" else None
        outcome = Completed(report=report, figures=figures)
        pin = select_for(view, REVIEW).pin if request.by_agent and sealing.operations else request.pin
        return Planned(outcome, sealing.operations, sealing.message, pin=pin, approval=request.approval)

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

    @activity.defn(no_thread_cancel_exception=True)
    @in_one_repository
    def push_book(self, request: PushBook) -> Pushed:
        """Bring the remote up to date, without force except after a rollback, and then by lease."""
        try:
            pushed = self.workspaces.push(request.workspace, request.effect)
        except RemoteUnavailable as late:
            self._run_log.not_pushed(request, late)
            raise
        self.workspaces.maintain(request.workspace)
        TraceIndexer(self.workspaces, self.trace).keep_up(request.workspace, request.subject)
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
            return book_figures(self._view(request.workspace, request.effect.issued_at))
        except BrokenBook:
            return None

    def _restore(self, request: RestoreBook) -> RestoreReport:
        undo = request.kind == "undo"
        restored = self.workspaces.restore(
            request.workspace, request.effect, target=request.target, undo=undo, known=KNOWN
        )
        return RestoreReport(
            status="restored" if undo else "rolled_back",
            target=restored.target,
            archive=restored.archive,
            discarded_commits=restored.discarded_commits,
            saved_unsaved=restored.saved_unsaved,
            commit=restored.tip,
        )

    def _reset(self, request: RestoreBook) -> RestoreReport:
        """A reset is a commit on top: only unsaved edits and old tags need setting aside."""
        done = self._publisher.found(request, RestoreReport)
        if done is None:
            archived = self.workspaces.archive(
                request.workspace, _part(request.effect, "archive"), known=KNOWN
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
            lock_committed=self._lock_committed(request.workspace, lock),
        )
        return Planned(draft, resetting.operations, resetting.message)

    @property
    def _publisher(self) -> Publisher:
        return Publisher(self.workspaces, self.blobs, BOOK_PROFILE)

    @property
    def _run_log(self) -> BookRunLog:
        return BookRunLog(self.records)

    def _view(self, workspace: Workspace, at: datetime) -> BookView:
        """The book at the tip; the long text is read only when the cached count does not fit it."""
        names = names_at(at)
        snapshot = self.workspaces.snapshot(workspace, SESSION_PATTERNS, names=names)
        view = read_book(snapshot)
        if view.needs_count:
            patterns = (*SESSION_PATTERNS, FULL_BOOK)
            before = self.workspaces.text(workspace, view.state.counted_blob or "")
            whole = self.workspaces.snapshot(workspace, patterns, names=names, at=snapshot.tip)
            view = read_book(whole, before=before)
        return replace(view, lock_committed=self._lock_committed(workspace, view.lock))

    def _lock_committed(self, workspace: Workspace, lock: str | None) -> datetime | None:
        """When the lock file was committed; looked up only if the file does not say how old it is."""
        unreadable = lock is not None and read_lock(lock) is None
        return self.workspaces.changed_at(workspace, LOCK) if unreadable else None

    def _save_human_edits(self, request: BookRequest, occasion: str = "") -> None:
        """What the author left unsaved during the session is committed as theirs, before our commit.

        A request that is repeated after a person had time to edit names the ``occasion``.
        """
        part = f"human/{occasion}" if occasion else "human"
        self.workspaces.save_human_edits(
            request.workspace, _part(request.effect, part), known=KNOWN, engine=ENGINE_WRITTEN
        )

    def _keep(self, payload: SessionPayload) -> BlobRef:
        return self.blobs.put(payload.model_dump_json().encode())

    def _payload(self, ref: BlobRef) -> SessionPayload:
        return SessionPayload.model_validate_json(self.blobs.get(ref))


def _at_commit(done: Done[Committed]) -> Committed:
    if done.published is None:
        return done.outcome
    return done.outcome.model_copy(update={"commit": done.published.commit})


def _by(who: str) -> tuple[tuple[str, str], ...]:
    return ((AGENT, who),) if who else ()


def _part(effect: Effect, part: str) -> Effect:
    """The op id of one of several changes that a single request makes."""
    return effect.model_copy(update={"op_id": OpId(f"{effect.op_id}/{part}")})


def _unclaimed(reason: str) -> str:
    return f"{LOCK_UNCLAIMED} ({reason}); another machine could open the book meanwhile"


def _sync_warnings(synced: Synced) -> tuple[str, ...]:
    """What the author should know about the sync; nothing here stops a session."""
    warnings = [
        f"your edit of {path} is not saved: it is not UTF-8; save the file as UTF-8, or its old text stays"
        for path in synced.not_utf8
    ]
    ignored = [path for path in synced.ignored if path not in synced.not_utf8]
    warnings += [f"{LEFT_ALONE}: {path}" for path in ignored[:_LEFT_ALONE]]
    if len(ignored) > _LEFT_ALONE:
        more = len(ignored) - _LEFT_ALONE
        warnings.append(f"{LEFT_ALONE}: {more} more files")
    warnings += [
        f"{CONFIG_KEPT}; the last committed one is in force, `penwright book restore` brings it back"
        for path in synced.kept
        if path == CONFIG
    ]
    warnings += dict.fromkeys(conflict_warning(conflict.path) for conflict in synced.conflicts)
    if synced.remote == "unreachable":
        reason = f"{REMOTE_SILENT} ({synced.reason}); the push waits"
        warnings.append(f"{reason}, and another machine could open the book meanwhile")
    return tuple(warnings)
