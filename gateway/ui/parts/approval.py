"""A change that waits for a person: why it is denied, what it would change, and the answer."""

from nicegui import ui

from gateway.desk.works import approvals
from gateway.desk.works.approvals import Decision
from gateway.desk.works.works import Work
from gateway.ui.elements.html import box, text
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import Act, action
from gateway.ui.visit import Visit
from schemas.intents import ApprovalRequest


def approval(visit: Visit, made: Frame, work: Work, request: ApprovalRequest) -> None:
    """The request with its reasons, and buttons to answer it; to deny it needs a reason."""
    need = request.need
    with box("section", classes="problem", label="Waits for your approval"):
        text("p", f"A change under {need.intent_id} waits for your approval.", classes="what")
        with box("ul"):
            for reason in need.reasons:
                text("li", reason)
        text("p", f"It would write {', '.join(need.denied or need.paths)}.")
        if need.diff:
            text("pre", need.diff, classes="lines")
        reason_field = ui.input("Why (needed to deny)").props("outlined dense")
        with box(classes="row-of"):
            action(made, "Approve", _act(visit, work, "approved", request, reason_field), look="main")
            action(made, "Deny", _act(visit, work, "denied", request, reason_field), look="danger")


def _act(visit: Visit, work: Work, decided: Decision, request: ApprovalRequest, field: ui.input) -> Act:
    async def act() -> str:
        visit.require("approve", f"{work.kind}/{work.subject}")
        reason = field.value.strip() if isinstance(field.value, str) else ""
        if decided == "denied" and not reason:
            return "say why it is denied; nothing was decided"
        who = visit.principal.name
        await visit.ask_engine(approvals.decide, work, decided, approval=request.id, reason=reason, by=who)
        return decided

    return act
