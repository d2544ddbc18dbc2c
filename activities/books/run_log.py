"""Records in the store of a book's runs, step by step."""

from dataclasses import dataclass

from activities.books.board_entries import BoardEntries
from activities.run_log import RunLog, run_end, run_of
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.errors import RemoteUnavailable
from penwright.ports.records import Records
from schemas.base import BlobRef
from schemas.book import BookFigures
from schemas.book_errand import RestoreReport
from schemas.book_session import (
    Advanced,
    AnnounceApproval,
    BookRequest,
    Closed,
    Completed,
    EndSession,
    Opened,
    OpenSession,
    Released,
)
from schemas.book_text import BookEdited
from schemas.lore import LoreTold
from schemas.records import BookRow
from schemas.workspace import Pushed

ADVANCE_REFUSED = "advance refused"
"""Stage of a run that asked for the next chapter in vain."""


@dataclass(frozen=True, slots=True)
class BookRunLog:
    """Records in the store of each step of a session or an errand."""

    records: Records

    @property
    def _log(self) -> RunLog:
        return RunLog(self.records, BOOK_PROFILE)

    def opened(self, request: OpenSession, opened: Opened) -> None:
        self._register(request)
        data = {"verdict": opened.verdict, "tag": opened.snapshot_tag, "words_wanted": opened.words_wanted}
        self._log.note(request, "opened", data)
        self._text(request, opened.figures)

    def lore(self, request: BookRequest, chapter: int, told: LoreTold, kept: BlobRef, *, stage: str) -> None:
        """Record the lore that the session's writer is told; ``kept`` as in ``RunLog.lore``."""
        self._log.lore(request, f"session {request.session}, chapter {chapter}", told, kept, stage=stage)

    def closed(self, request: BookRequest, closed: Closed) -> None:
        report = closed.report
        data = {"commit": closed.commit, "words": report.session_word_count, "total": report.total_word_count}
        self._log.note(request, "closed", data, words=report.session_word_count)
        self._text(request, closed.figures)

    def advanced(self, request: BookRequest, advanced: Advanced) -> None:
        report = advanced.report
        data = {"status": report.status, "chapter": report.new_chapter}
        if report.status == "advanced":
            self._log.note(request, "advanced", data)
        else:
            why = {"code": report.status, "message": report.message}
            self._log.note(request, "advanced", data, stage=ADVANCE_REFUSED, detail=why)

    def completed(self, request: BookRequest, completed: Completed) -> None:
        status = completed.report.status
        self._log.note(request, "completed", {"status": status}, outcome=status)
        self._text(request, completed.figures)

    def edited(self, request: BookRequest, edited: BookEdited, figures: BookFigures | None) -> None:
        data = {"outcome": edited.outcome, "commit": edited.commit, "code": edited.code}
        self._log.note(request, "edited", data, outcome=edited.outcome)
        self._text(request, figures)

    def released(self, request: BookRequest, released: Released) -> None:
        self._log.note(request, "released", {"commit": released.commit})

    def pushed(self, request: BookRequest, pushed: Pushed) -> None:
        self._log.note(
            request, "pushed", {"outcome": pushed.outcome, "code": pushed.code, "reason": pushed.reason}
        )
        self._entries.push(request.subject, pushed, request.effect.issued_at)

    def not_pushed(self, request: BookRequest, late: RemoteUnavailable) -> None:
        """An attempt to push failed; the next one may come much later, or never."""
        pending = Pushed(outcome="pending", code=late.code, reason=late.message)
        self._entries.push(request.subject, pending, request.effect.issued_at)

    def approval(self, request: AnnounceApproval) -> None:
        self._log.approval(request, request.request, request.decision)

    def ended(self, request: EndSession) -> None:
        """The session's last row; the store keeps all of its result."""
        ending, at = request.result, request.effect.issued_at
        run = run_of(BOOK_PROFILE, ending.book_id, ending.session)
        words = ending.report.session_word_count if ending.report else 0
        row, event = run_end(
            run,
            BOOK_PROFILE.name,
            ending.book_id,
            request.effect,
            outcome=ending.outcome,
            data={"outcome": ending.outcome, "code": ending.code, "words": words},
            detail=ending.model_dump(mode="json", exclude_none=True),
            words=words,
            cost_micros=ending.cost_micros,
        )
        self.records.note(row, [event])
        self._entries.ending(ending, at)
        if ending.push == "pending":
            self._entries.push(ending.book_id, Pushed(outcome="pending", reason=ending.push_reason), at)

    def restored(self, request: BookRequest, report: RestoreReport, figures: BookFigures | None) -> None:
        data = {"target": report.target, "archive": report.archive}
        self._log.note(request, report.status, data, outcome=report.status, detail=data)
        self._text(request, figures or BookFigures(words=0))

    @property
    def _entries(self) -> BoardEntries:
        return BoardEntries(self.records)

    def _text(self, request: BookRequest, figures: BookFigures | None) -> None:
        if figures is not None:
            self._entries.text(request.subject, figures, request.effect.issued_at)

    def _register(self, request: OpenSession) -> None:
        """A book opened where the registry does not have it; a row that people made stays as it is."""
        known = self.records.book(request.subject)
        if known is not None and known.path == request.workspace.path:
            return
        name = request.workspace.path.rstrip("/").rsplit("/", 1)[-1]
        row = known or BookRow(book_id=request.subject, path="", title=name)
        self.records.register(row.model_copy(update={"path": request.workspace.path}))
