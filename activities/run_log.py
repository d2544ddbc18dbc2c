"""Records in the store of a pipeline's runs: the run's row and its events, in one transaction per step."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from penwright.ports.records import Records
from schemas.base import BlobRef, Effect
from schemas.intents import ApprovalDecision, ApprovalRequest
from schemas.lore import LoreTold
from schemas.pipeline import PipelineProfile
from schemas.records import Event, RunRow
from schemas.workspace import WorkspaceRequest


def run_of(profile: PipelineProfile, subject: str, session: str) -> str:
    """The name under which a run is listed, such as ``book/<id>#<session>``."""
    return f"{profile.prefix}/{subject}#{session}"


def run_end(
    run: str,
    pipeline: str,
    subject: str,
    effect: Effect,
    *,
    outcome: str,
    data: Mapping[str, Any],  # JSON, here and below
    detail: Mapping[str, Any],
    words: int = 0,
    cost_micros: int = 0,
    started_at: datetime | None = None,
) -> tuple[RunRow, Event]:
    """Make the last row of a run, and the event of its end.

    Args:
        effect: of the step that ends it.
        data: what the event says of it.
        detail: what the row says of it, such as its whole result.
        started_at: None: an earlier row says so.
    """
    at = effect.issued_at
    row = RunRow(
        run=run,
        pipeline=pipeline,
        subject=subject,
        stage="ended",
        outcome=outcome,
        words=words,
        cost_micros=cost_micros,
        started_at=started_at,
        ended_at=at,
        detail=dict(detail),
    )
    return row, Event(run=run, subject=subject, kind="ended", at=at, op_id=effect.op_id, data=dict(data))


@dataclass(frozen=True, slots=True)
class RunLog:
    """Rows follow commits; a repeated step leaves the same rows."""

    records: Records
    profile: PipelineProfile

    def note(
        self,
        request: WorkspaceRequest,
        kind: str,
        data: Mapping[str, Any],  # JSON
        *,
        words: int = 0,
        outcome: str = "",
        stage: str = "",
        detail: Mapping[str, Any] | None = None,  # JSON
    ) -> None:
        """Record that a step was taken.

        Args:
            kind: the kind of the event, and the stage the run is in now unless ``stage`` names another.
            detail: what the run's row says beside the stage.
        """
        run = run_of(self.profile, request.subject, request.session)
        at = request.effect.issued_at
        row = RunRow(
            run=run,
            pipeline=self.profile.name,
            subject=request.subject,
            stage=stage or kind,
            words=words,
            outcome=outcome,
            started_at=at,
            detail=dict(detail or {}),
        )
        event = Event(
            run=run, subject=request.subject, kind=kind, at=at, op_id=request.effect.op_id, data=dict(data)
        )
        self.records.note(row, [event])

    def approval(
        self, request: WorkspaceRequest, asked: ApprovalRequest, decision: ApprovalDecision | None
    ) -> None:
        """Record that a change waits for approval, or how it was decided."""
        data = {
            "approval": asked.id,
            "plan_digest": asked.need.plan_digest,
            "intent": asked.need.intent_id,
            "codes": asked.need.codes,
            "reasons": asked.need.reasons,
            "paths": asked.need.paths,
            "expires_at": asked.expires_at.isoformat(),
        }
        decided = {"by": decision.by, "reason": decision.reason} if decision else {}
        self.note(request, f"approval.{decision.decided if decision else 'asked'}", {**data, **decided})

    def lore(
        self, request: WorkspaceRequest, prompt: str, told: LoreTold, kept: BlobRef, *, stage: str
    ) -> None:
        """Record what lorebooks told a prompt.

        Args:
            prompt: whose prompt it is.
            kept: where ``told`` is stored.
            stage: the stage that the run is in.
        """
        fired = sum(each.outcome == "fired" for each in told.verdicts)
        data = {"prompt": prompt, "entries": fired, "tokens": told.tokens, "told": kept.model_dump()}
        self.note(request, "lore", data, stage=stage)
