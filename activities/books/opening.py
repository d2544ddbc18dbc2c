"""Opening of a session: sync, judge, lock here and at the remote, and gather what the writer needs."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from activities.books.continuity_reader import ContinuityReader
from activities.books.reading import BookReader
from activities.publishing import Done, Planned, Publisher, agent_trailer, part_of, refusal
from activities.work_lore import WorkLore
from penwright.domain.book.files.layout import (
    ENGINE_WRITTEN,
    FULL_BOOK,
    KNOWN,
    LOCK,
    REVIEW,
    SESSION_PATTERNS,
    names_at,
)
from penwright.domain.book.files.session_lock import read_lock
from penwright.domain.book.intents import proposal, select_for, with_registry
from penwright.domain.book.opening import Opening, may_leave_chapter, open_book
from penwright.domain.book.planning import chapter_to_plan
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.book.prose_so_far import earlier_prose
from penwright.domain.book.releasing import recovered_prose
from penwright.domain.book.rewriting.finding import find_passage
from penwright.domain.book.rewriting.opening import rewriting_opening
from penwright.domain.book.session_warnings import FIRST_INTENT, sync_warnings, unclaimed
from penwright.domain.book.status import book_figures
from penwright.domain.book.view import BookView, read_book
from penwright.domain.book.voice import voice_of
from penwright.domain.continuity.telling import tell_writer
from penwright.domain.trailers import SYNC
from penwright.errors import PenwrightError, Refused, RemoteUnavailable, WorkspaceBusy
from penwright.ports.records import Records
from schemas.book_session import BookSessionResult, Opened, OpenSession
from schemas.intents import Selected
from schemas.workspace import SILENT, Claimed, Contributor, Create, MutationPlan, Previewed, Synced, is_silent

_OPEN_TOOL = f"{BOOK_PROFILE.prefix}.open"
_CLAIMS = 4
"""Number of times an opening is planned again because the remote had moved."""
_RUNS_TO_SEARCH = 500
"""Most refused sessions between one that left unsaved prose and the next that opens."""


@dataclass(frozen=True, slots=True)
class BookOpening:
    """Opens the books of one host."""

    publisher: Publisher
    reader: BookReader
    records: Records
    owner: str
    """Names this engine in lock files."""
    host: str
    """Names this machine in lock files, for people."""
    lore: WorkLore

    def open(self, request: OpenSession) -> Opened:
        """Lock the book, here and at the remote, unless a rule forbids it.

        Raises:
            WorkspaceBusy: ``remote-keeps-moving``.
            Refused: ``already-running``: another engine was faster.
        """
        for _ in range(_CLAIMS):
            if (done := self.publisher.found(request, Opened)) is not None:
                claimed = self._claim(request, done.outcome)
            else:
                done, claimed = self._attempt(request)
            if claimed.outcome != "lost":
                break
        else:
            raise WorkspaceBusy("remote-keeps-moving", "the remote keeps moving; trying again soon")
        opened = self._with_warning(self._with_final_tag(done), claimed)
        silent = opened.remote_silent or claimed.code == SILENT
        return opened.model_copy(update={"remote_silent": silent})

    def _attempt(self, request: OpenSession) -> tuple[Done[Opened], Claimed]:
        """Lock the book, unless a rule forbids it: here, and at the remote if that answered just now."""
        self.publisher.workspaces.check(request.workspace)
        previewed = self._preview(request)
        if (refused := self._foreseen(request, previewed)) is not None:
            return Done(refused), Claimed(outcome="local")
        synced = self.publisher.workspaces.sync(
            request.workspace,
            part_of(request.effect, "sync"),
            known=KNOWN,
            engine=ENGINE_WRITTEN,
            after=previewed,
        )
        try:
            done = self._commit(request, synced)
        except PenwrightError:
            self.publisher.workspaces.take_back(request.workspace, request.effect)
            raise
        if done.outcome.verdict in ("sealed", "already-running"):
            return self._without_merge(request, done), Claimed(outcome="local")
        if synced.remote != "current":
            return done, Claimed(outcome="local")
        return done, self._claim(request, done.outcome)

    def _commit(self, request: OpenSession, synced: Synced) -> Done[Opened]:
        """Commit the lock, unless the files forbid it now."""
        warnings = (*sync_warnings(synced, request.subject), *self._propose_intent(request, synced))
        left = self._left_behind(request)
        return self.publisher.commit(
            request,
            Opened,
            "open",
            Contributor.ENGINE,
            lambda: self._plan_opening(request, synced, warnings, left),
        )

    def _without_merge(self, request: OpenSession, done: Done[Opened]) -> Done[Opened]:
        """The refusal of an opening whose merge is taken back, so that no push brings it again."""
        if not self.publisher.workspaces.take_back(request.workspace, request.effect):
            return done
        tip = self.publisher.workspaces.snapshot(request.workspace, ()).tip
        return replace(done, outcome=done.outcome.model_copy(update={"tip": tip, "may_push": False}))

    def _preview(self, request: OpenSession) -> Previewed:
        return self.publisher.workspaces.preview(
            request.workspace,
            part_of(request.effect, "sync"),
            (*SESSION_PATTERNS, FULL_BOOK),
            known=KNOWN,
            engine=ENGINE_WRITTEN,
            names=names_at(request.effect.issued_at),
            tool=_OPEN_TOOL,
        )

    def _foreseen(self, request: OpenSession, previewed: Previewed) -> Opened | None:
        """The verdict that leaves the book closed, before anything is saved or merged; None if it may open.

        Raises:
            BrokenBook: a file that sessions need cannot be read.
            Refused: the ledger is damaged, or no intent can be selected.
        """
        view = read_book(previewed.snapshot)
        opening = self._judge(request, view, previewed.human_edits)
        if opening.verdict == "sealed" or (opening.verdict == "already-running" and _says_when(view)):
            opened = self._opened(request, view, opening, {})
            return opened.model_copy(update={"may_push": not previewed.moved})
        if previewed.denial is not None:
            raise refusal(previewed.denial)
        if opening.verdict == "open":
            missing = proposal(view)
            select_for(with_registry(view, missing) if missing else view, _goal(request), request.intent)
            if request.rewrite is not None:
                find_passage(view.text(FULL_BOOK), view, request.rewrite)
        return None

    def _claim(self, request: OpenSession, opened: Opened) -> Claimed:
        """Push the lock, before any model is asked.

        Raises:
            Refused: ``already-running``: another engine was faster.
        """
        if opened.verdict != "open":
            return Claimed(outcome="local")
        try:
            claimed = self.publisher.workspaces.claim(request.workspace, request.effect)
        except RemoteUnavailable as silent:
            return Claimed(outcome="pending", code=silent.code, reason=str(silent.details.get("cause", "")))
        if claimed.outcome == "merged":
            self._refuse_other_lock(request)
        return claimed

    def _refuse_other_lock(self, request: OpenSession) -> None:
        files = self.publisher.workspaces.snapshot(request.workspace, (LOCK,)).files
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
        payload = self.reader.payload(opened.payload)
        warnings = (*payload.warnings, unclaimed(claimed.reason or claimed.code))
        payload = payload.model_copy(update={"warnings": warnings})
        return opened.model_copy(update={"payload": self.reader.keep(payload), "warnings": warnings})

    def _left_behind(self, request: OpenSession) -> tuple[Create, ...]:
        """Plan a file for the last session's prose, if a full disk or the like kept it out of every one."""
        for run in self.records.runs(
            subject=request.subject, pipeline=BOOK_PROFILE.name, limit=_RUNS_TO_SEARCH
        ):
            if run.detail.get("session") != request.session and run.detail.get("snapshot_tag"):
                ending = BookSessionResult.model_validate(run.detail)
                kept = self.publisher.blobs.get(ending.kept_prose).decode() if ending.kept_prose else None
                return recovered_prose(kept, ending.session, request.effect.issued_at)
        return ()

    def _propose_intent(self, request: OpenSession, synced: Synced) -> tuple[str, ...]:
        """A book from before there were intents gets one under which it can be written; says so if it did.

        Raises:
            Refused: what will refuse the opening; a refused one leaves no commit.
        """
        view = self.reader.view(request.workspace, request.effect.issued_at)
        missing = proposal(view)
        if missing is None or self._judge(request, view, synced.human_edits).verdict != "open":
            return ()
        select_for(with_registry(view, missing), _goal(request), request.intent)
        plan = MutationPlan(
            workspace=request.workspace,
            message="Propose an intent under which the book is written",
            contributor=Contributor.ENGINE,
            operations=(missing,),
            tool="book.adopt",
        )
        self.publisher.workspaces.publish(plan, part_of(request.effect, "intents"))
        return (f"{FIRST_INTENT}; {missing.path} has a first one now, for you to edit",)

    def _plan_opening(
        self, request: OpenSession, synced: Synced, warnings: tuple[str, ...], left: tuple[Create, ...]
    ) -> Planned[Opened]:
        view = self.reader.view(request.workspace, request.effect.issued_at)
        warnings = (*warnings, *(f"an earlier session left prose in {o.path}" for o in left))
        opening = self._judge(request, view, synced.human_edits, synced.edited_today, warnings)
        selected = self.reader.selected(request, view) if opening.verdict == "open" else None
        book = self.reader.book_text(request.workspace, view) if selected else ""
        told = self._told(selected, request, view, book) if selected else {}
        rewrite = None
        if selected and request.rewrite is not None:
            found = find_passage(book, view, request.rewrite)
            opening = rewriting_opening(opening, view, book, found)
            rewrite = self.reader.rewrite(book, found)
            told.pop("earlier_prose")
        opened = self._opened(request, view, opening, told)
        built_in = selected is not None and request.writer == "built-in"
        return Planned(
            outcome=opened.model_copy(
                update={
                    "pin": selected.pin if selected else None,
                    "rewrite": rewrite,
                    "index": self.reader.index(view, book) if built_in and not rewrite else None,
                    "chapter_to_plan": chapter_to_plan(view) if built_in and not opening.rework_only else 0,
                    "remote_silent": is_silent(synced.reason),
                    "reads": view.config.continuity != "off",
                }
            ),
            operations=(*opening.operations, *(left if opening.operations else ())),
            message=opening.message,
            trailers=((SYNC, view.tip), *agent_trailer(request.who)),
            tag=opening.tag or None,
        )

    def _judge(
        self,
        request: OpenSession,
        view: BookView,
        human_edits: tuple[str, ...],
        edited_today: tuple[str, ...] = (),
        warnings: tuple[str, ...] = (),
    ) -> Opening:
        return open_book(
            view,
            session=request.session,
            owner=self.owner,
            now=request.effect.issued_at,
            place=f"{self.host}:{request.workspace.path}" if self.host else "",
            copy_id=request.subject if request.origin else "",
            origin=request.origin,
            human_edits=human_edits,
            edited_today=edited_today,
            warnings=warnings,
            may_seal=request.rewrite is None,
        )

    def _opened(
        self, request: OpenSession, view: BookView, opening: Opening, told: Mapping[str, object]
    ) -> Opened:
        """``told``: fields of the payload that are not in the view."""
        payload = opening.payload.model_copy(update=told)
        if opening.verdict == "open":
            payload = self.lore.in_session(request.subject, payload)
        return Opened(
            verdict=opening.verdict,
            tip=view.tip,
            payload=self.reader.keep(payload),
            snapshot_tag=payload.snapshot_tag,
            words_wanted=opening.words_wanted,
            timeout_minutes=view.config.session_timeout_minutes,
            rework_only=opening.rework_only,
            chapter_close_suggested=may_leave_chapter(payload),
            warnings=payload.warnings,
            message=opening.reason,
            figures=book_figures(view),
        )

    def _told(self, selected: Selected, request: OpenSession, view: BookView, book: str) -> dict[str, object]:
        """Fields of the payload that are not in the view."""
        earlier = earlier_prose(book, view)
        told: dict[str, object] = {
            "intent": selected.context,
            "voice": voice_of(book, view.config.language),
            "earlier_prose": earlier,
        }
        if view.config.continuity == "off":
            return told
        story = ContinuityReader(self.reader).story_in(request.workspace, view, book)
        return {**told, "continuity": tell_writer(story.known, view, earlier)}

    def _with_final_tag(self, done: Done[Opened]) -> Opened:
        """The tag's suffix is known only after publish, so the payload is completed afterwards."""
        opened, published = done.outcome, done.published
        if published is None:
            return opened
        opened = opened.model_copy(update={"tip": published.commit})
        if not published.tag or published.tag == opened.snapshot_tag or opened.payload is None:
            return opened
        payload = self.reader.payload(opened.payload).model_copy(update={"snapshot_tag": published.tag})
        return opened.model_copy(update={"snapshot_tag": published.tag, "payload": self.reader.keep(payload)})


def _goal(request: OpenSession) -> str:
    """The file that the session is opened for, which its intent must own."""
    return REVIEW if request.rewrite is None else FULL_BOOK


def _says_when(view: BookView) -> bool:
    """Whether the lock says how old it is; if not, only its commit tells, which must be merged for that."""
    return read_lock(view.lock or "") is not None
