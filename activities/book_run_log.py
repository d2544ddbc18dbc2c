"""What the store keeps of a book's runs, step by step."""

from dataclasses import dataclass

from activities.run_log import RunLog
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.ports import Records
from schemas.book_session import (
    Advanced,
    AnnounceApproval,
    BookRequest,
    Closed,
    Completed,
    Opened,
    OpenSession,
    Released,
    RestoreReport,
)
from schemas.records import BookRow
from schemas.workspace import Pushed


@dataclass(frozen=True, slots=True)
class BookRunLog:
    """What each step of a session or an errand leaves in the store."""

    records: Records

    @property
    def _log(self) -> RunLog:
        return RunLog(self.records, BOOK_PROFILE)

    def opened(self, order: OpenSession, opened: Opened) -> None:
        self._register(order)
        data = {"verdict": opened.verdict, "tag": opened.snapshot_tag, "words_wanted": opened.words_wanted}
        self._log.note(order, "opened", data)

    def closed(self, order: BookRequest, closed: Closed) -> None:
        report = closed.report
        data = {"commit": closed.commit, "words": report.session_word_count, "total": report.total_word_count}
        self._log.note(order, "closed", data, words=report.session_word_count)

    def advanced(self, order: BookRequest, advanced: Advanced) -> None:
        self._log.note(
            order, "advanced", {"status": advanced.report.status, "chapter": advanced.report.new_chapter}
        )

    def completed(self, order: BookRequest, completed: Completed) -> None:
        status = completed.report.status
        self._log.note(order, "completed", {"status": status}, outcome=status)

    def released(self, order: BookRequest, released: Released) -> None:
        self._log.note(order, "released", {"commit": released.commit})

    def pushed(self, order: BookRequest, pushed: Pushed) -> None:
        self._log.note(
            order, "pushed", {"outcome": pushed.outcome, "code": pushed.code, "reason": pushed.reason}
        )

    def approval(self, order: AnnounceApproval) -> None:
        request, decision = order.request, order.decision
        data = {
            "approval": request.id,
            "plan_digest": request.need.plan_digest,
            "intent": request.need.intent_id,
            "codes": request.need.codes,
            "reasons": request.need.reasons,
            "paths": request.need.paths,
            "expires_at": request.expires_at.isoformat(),
        }
        decided = {"by": decision.by, "reason": decision.reason} if decision else {}
        self._log.note(order, f"approval.{decision.decided if decision else 'asked'}", {**data, **decided})

    def restored(self, order: BookRequest, report: RestoreReport) -> None:
        data = {"target": report.target, "archive": report.archive}
        self._log.note(order, report.status, data, outcome=report.status)

    def _register(self, order: OpenSession) -> None:
        """A book opened where the registry does not have it; a row that people made stays as it is."""
        known = self.records.book(order.subject)
        if known is not None and known.path == order.workspace.path:
            return
        name = order.workspace.path.rstrip("/").rsplit("/", 1)[-1]
        row = known or BookRow(book_id=order.subject, path="", title=name)
        self.records.register(row.model_copy(update={"path": order.workspace.path}))
