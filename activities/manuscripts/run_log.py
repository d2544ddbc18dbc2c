"""Records and notifications of a run of the manuscript loop."""

from dataclasses import dataclass

from activities.run_log import RunLog
from penwright.domain.approvals import summary_of
from penwright.domain.manuscript.loop_status import shown_outcome
from penwright.domain.manuscript.profile import MANUSCRIPT_PROFILE
from penwright.domain.text.counted import counted
from penwright.ports.records import Records
from schemas.base import BlobRef
from schemas.lore import LoreTold
from schemas.manuscript import (
    AnnounceDraft,
    AskRole,
    EndManuscript,
    ManuscriptRequest,
    ManuscriptResult,
    OpenManuscript,
    UpkeepRequest,
)
from schemas.notices import Notice
from schemas.records import Event, RunRow


@dataclass(frozen=True, slots=True)
class ManuscriptRunLog:
    """Rows follow steps; a repeated step leaves the same rows."""

    records: Records

    def opened(self, request: OpenManuscript) -> None:
        self._log.note(_listed(request), "opened", {"max_passes": request.settings.max_passes}, stage="open")

    def at_work(self, request: UpkeepRequest) -> None:
        data = {"entries": [entry.code or entry.outcome for entry in request.upkeep.entries]}
        self._log.note(_listed(request), "worked", data, stage=request.stage, words=request.words)

    def lore(self, request: AskRole, told: LoreTold, kept: BlobRef) -> None:
        """Record the lore that a role is told; ``kept`` as in ``RunLog.lore``."""
        known = self.records.run(request.run_name)
        prompt = f"the {request.role}" + (f" of “{request.section}”" if request.section else "")
        self._log.lore(_listed(request), prompt, told, kept, stage=known.stage if known else "open")

    def approval(self, request: AnnounceDraft) -> None:
        asked, decision = request.request, request.decision
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
        kind = f"approval.{decision.decided if decision else 'asked'}"
        self._log.note(_listed(request), kind, {**data, **decided})

    def ended(self, request: EndManuscript) -> None:
        ending, at = request.result, request.effect.issued_at
        outcome, code = shown_outcome(ending)
        row = RunRow(
            run=request.run_name,
            pipeline=MANUSCRIPT_PROFILE.name,
            subject=_document(request),
            stage="ended",
            outcome=outcome,
            words=ending.words,
            cost_micros=ending.cost_micros,
            ended_at=at,
            detail=ending.model_dump(mode="json", exclude_none=True),
        )
        event = Event(
            run=request.run_name,
            subject=_document(request),
            kind="ended",
            at=at,
            op_id=request.effect.op_id,
            data={"outcome": outcome, "code": code, "words": ending.words},
        )
        self.records.note(row, [event])

    def notice(self, request: EndManuscript) -> Notice | None:
        """Make the notification of the end; none if a person ended it."""
        ending = request.result
        if ending.outcome == "stopped":
            return None
        return Notice(
            key=request.effect.op_id,
            subject=_document(request),
            title=f"{_document(request)}: manuscript {shown_outcome(ending)[0]}",
            body=_body(ending),
            data=ending.model_dump(mode="json", exclude_none=True),
            at=request.effect.issued_at,
        )

    def question(self, request: AnnounceDraft) -> Notice:
        """Make the notification of a change that waits for approval."""
        asked = request.request
        return Notice(
            key=request.effect.op_id,
            subject=_document(request),
            title=f"{_document(request)}: a change waits for approval",
            body=f"{summary_of(asked)} ({', '.join(asked.need.codes)}). Approve it with "
            f"`penwright intent approve {request.subject}` or deny it with "
            f"`penwright intent deny {request.subject}` before "
            f"{asked.expires_at:%Y-%m-%d %H:%M} UTC.",
            data={
                "novel": request.subject,
                "scene": request.scene,
                "session": request.session,
                **asked.model_dump(mode="json", exclude={"effect"}),
            },
            at=request.effect.issued_at,
        )

    @property
    def _log(self) -> RunLog:
        return RunLog(self.records, MANUSCRIPT_PROFILE)


def _document(request: ManuscriptRequest) -> str:
    return f"{request.subject}/{request.scene}"


def _listed(request: ManuscriptRequest) -> ManuscriptRequest:
    """The request under the subject by which runs are listed."""
    return request.model_copy(update={"subject": _document(request)})


def _body(ending: ManuscriptResult) -> str:
    score = f"The last score is {ending.last.score:.2f}." if ending.last else ""
    back = (
        f"An earlier revision scored better; `{ending.way_back}` brings it back." if ending.way_back else ""
    )
    push = f"Not on the remote: {ending.push_reason}" if ending.push == "pending" else ""
    return "\n".join(filter(None, (ending.message, score, f"{counted(ending.words, 'word')}.", back, push)))
