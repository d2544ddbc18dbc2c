"""A change that waits for a person: why it is denied, what it would change, and the answer."""

from nicegui import ui

from gateway.desk.works import approvals
from gateway.desk.works.approvals import AskedChange, Decision
from gateway.desk.works.kinds import Work
from gateway.ui.elements.html import box, text
from gateway.ui.frame import Frame
from gateway.ui.parts.acting import Act, action
from gateway.ui.parts.editing.prose import difference
from gateway.ui.visit import Visit
from penwright.domain.book.review.delivery import Rework
from schemas.intents import ApprovalRequest


def approval(visit: Visit, made: Frame, work: Work, asked: AskedChange) -> None:
    """The request with what it would change, and buttons to answer it.

    To deny one needs a reason, unless it is a rewritten passage.
    """
    request, rewrite = asked.request, asked.rewrite
    with box("section", classes="problem", label="Waits for your approval"):
        if rewrite is not None:
            _rewrite(rewrite)
        else:
            _denied(request, asked.diff)
        yes, no = ("Approve", "Deny") if rewrite is None else ("Accept", "Reject")
        field = ui.input("Why (needed to deny)" if rewrite is None else "Why").props("outlined dense")
        least = 1 if rewrite is None else 0
        with box(classes="row-of"):
            action(made, yes, _act(visit, work, "approved", request, field), look="main")
            action(made, no, _act(visit, work, "denied", request, field, least=least), look="danger")


def _denied(request: ApprovalRequest, diff: str) -> None:
    need = request.need
    text("p", f"A change under {need.intent_id} waits for your approval.", classes="what")
    with box("ul"):
        for reason in need.reasons:
            text("li", reason)
    text("p", f"It would write {', '.join(need.denied or need.paths)}.")
    if diff:
        text("pre", diff, classes="lines")


def _rewrite(rewrite: Rework) -> None:
    text("p", "A rewritten passage waits for you; it is not in the book yet.", classes="what")
    text("p", f"Your instruction: {rewrite.quoted}", classes="note")
    difference(rewrite.original, rewrite.text)


def _act(
    visit: Visit, work: Work, decided: Decision, request: ApprovalRequest, field: ui.input, *, least: int = 0
) -> Act:
    """``least``: characters of a reason that is needed."""

    async def act() -> str:
        visit.require("approve", f"{work.kind}/{work.subject}")
        reason = field.value.strip() if isinstance(field.value, str) else ""
        if len(reason) < least:
            return "say why it is denied; nothing was decided"
        who = visit.principal.name
        await visit.ask_engine(approvals.decide, work, decided, approval=request.id, reason=reason, by=who)
        return decided

    return act
