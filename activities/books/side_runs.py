"""Runs of a book beside its sessions, as lists show them: their rows, and their pushes."""

from dataclasses import dataclass

from activities.books.board_entries import BoardEntries
from penwright.domain.control import shown_outcome
from penwright.errors import RemoteUnavailable
from penwright.ports.records import Records
from penwright.ports.workspaces import Workspaces
from schemas.base import Effect
from schemas.book_session import BookRequest, PushBook
from schemas.continuity import ContinuityRequest
from schemas.records import Event, RunRow
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
        row = RunRow(
            run=f"{self.pipeline}/{ending.book_id}#{ending.session}",
            pipeline=self.pipeline,
            subject=ending.book_id,
            stage="ended",
            outcome=shown_outcome(ending.outcome, ending.code),
            words=words,
            cost_micros=ending.cost_micros,
            started_at=effect.issued_at,
            ended_at=effect.issued_at,
            detail=ending.model_dump(mode="json"),
        )
        event = Event(
            run=row.run,
            subject=ending.book_id,
            kind="ended",
            at=effect.issued_at,
            op_id=effect.op_id,
            data={"outcome": ending.outcome, "code": ending.code, "words": words},
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
