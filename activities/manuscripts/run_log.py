"""Records and notifications of a run of the manuscript loop."""

from dataclasses import dataclass

from activities.run_log import RunLog, run_end
from penwright.domain.approvals import notice_text
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
        self._log.approval(_listed(request), request.request, request.decision)

    def ended(self, request: EndManuscript) -> None:
        ending = request.result
        outcome, code = shown_outcome(ending)
        row, event = run_end(
            request.run_name,
            MANUSCRIPT_PROFILE.name,
            _document(request),
            request.effect,
            outcome=outcome,
            data={"outcome": outcome, "code": code, "words": ending.words},
            detail=ending.model_dump(mode="json", exclude_none=True),
            words=ending.words,
            cost_micros=ending.cost_micros,
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
            body=notice_text(request.subject, asked),
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
