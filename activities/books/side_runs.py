"""Runs of a book beside its sessions, as lists show them: their rows, and their pushes."""

from dataclasses import dataclass

from activities.books.board_entries import BoardEntries
from activities.run_log import run_end
from penwright.domain.control import shown_outcome
from penwright.errors import RemoteUnavailable
from penwright.ports.records import Records
from penwright.ports.workspaces import Workspaces
from schemas.base import Effect
from schemas.book_session import BookRequest, PushBook
from schemas.continuity import ContinuityRequest
from schemas.records import RunRow
from schemas.side_run import SideRunResult
from schemas.workspace import Pushed


@dataclass(frozen=True, slots=True)
class SideRuns:
    """Records in the store of one pipeline's runs."""

    records: Records
    pipeline: str

    def begun(self, request: BookRequest | ContinuityRequest, stage: str) -> None:
        """Note that a run is at work, by which lists and commands find it."""
        row = RunRow(
            run=f"{self.pipeline}/{request.subject}#{request.session}",
            pipeline=self.pipeline,
            subject=request.subject,
            stage=stage,
            started_at=request.effect.issued_at,
        )
        self.records.note(row, [])

    def ended(self, ending: SideRunResult, effect: Effect, *, words: int = 0) -> None:
        """Note how a run ended."""
        row, event = run_end(
            f"{self.pipeline}/{ending.book_id}#{ending.session}",
            self.pipeline,
            ending.book_id,
            effect,
            outcome=shown_outcome(ending.outcome, ending.code),
            data={"outcome": ending.outcome, "code": ending.code, "words": words},
            detail=ending.model_dump(mode="json"),
            words=words,
            cost_micros=ending.cost_micros,
            started_at=effect.issued_at,
        )
        self.records.note(row, [event])

    def push(self, workspaces: Workspaces, request: PushBook) -> Pushed:
        """Bring the remote up to date; the board is told, and no session's run."""
        entries, at = BoardEntries(self.records), request.effect.issued_at
        try:
            pushed = workspaces.push(request.workspace, request.effect)
        except RemoteUnavailable as late:
            pending = Pushed(outcome="pending", code=late.code, reason=late.message)
            entries.push(request.subject, pending, at)
            raise
        entries.push(request.subject, pushed, at)
        return pushed
