"""Plans that wait for a person's approval."""

from datetime import datetime
from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel, Field

from gateway.desk.runs import waiting_approvals
from gateway.desk.runs.waiting_approvals import WaitingApproval
from gateway.desk.works import approvals as desk
from gateway.http.asking import Asking, FromServices
from gateway.http.keys import Operation
from gateway.http.orders import Order
from gateway.http.strict import StrictRoute
from gateway.http.waiting import finished

router = APIRouter(prefix="/approvals", tags=["approvals"], route_class=StrictRoute)


class Approval(BaseModel):
    """A change that waits for approval; a yes covers exactly this plan."""

    id: str
    subject: str
    title: str
    scene: str
    intent: str
    codes: list[str]
    reasons: list[str]
    denied: list[str]
    """Paths that the intent does not allow."""
    expires_at: datetime
    diff: str


class Approvals(BaseModel):
    """Approvals that wait, by subject."""

    items: list[Approval]


class ApproveOrder(Order):
    """A yes."""

    reason: str = Field(default="", max_length=2000)


class DenyOrder(Order):
    """A no, which says why."""

    reason: str = Field(min_length=1, max_length=2000)


class DecidedApproval(BaseModel):
    """Decision, and who made it."""

    id: str
    decided: Literal["approved", "denied", "expired"]
    by: str
    reason: str


@router.get("")
def list_approvals(principal: Asking, services: FromServices) -> Approvals:
    """The changes that wait for a person."""
    found = finished(waiting_approvals.waiting(services, principal))
    return Approvals(items=[_shown(services, each) for each in found])


@router.post("/{approval_id}/approve")
def approve(
    approval_id: str, given: ApproveOrder, operation: Operation, principal: Asking, services: FromServices
) -> DecidedApproval:
    """Allow exactly the change that waits."""
    return _decided(services, principal, approval_id, "approved", given.reason)


@router.post("/{approval_id}/deny")
def deny(
    approval_id: str, given: DenyOrder, operation: Operation, principal: Asking, services: FromServices
) -> DecidedApproval:
    """Deny the change that waits; its prose is kept beside the text."""
    return _decided(services, principal, approval_id, "denied", given.reason)


def _decided(
    services: FromServices, principal: Asking, approval: str, decided: desk.Decision, reason: str
) -> DecidedApproval:
    made = finished(waiting_approvals.decide(services, principal, approval, decided, reason))
    return DecidedApproval(id=made.approval, decided=made.decided, by=made.by, reason=made.reason)


def _shown(services: FromServices, each: WaitingApproval) -> Approval:
    request = each.waiting.request
    need = request.need
    return Approval(
        id=request.id,
        subject=each.subject,
        title=each.work.title,
        scene=each.waiting.scene,
        intent=need.intent_id,
        codes=list(need.codes),
        reasons=list(need.reasons),
        denied=list(need.denied),
        expires_at=request.expires_at,
        diff=desk.diff_of(services, request),
    )
