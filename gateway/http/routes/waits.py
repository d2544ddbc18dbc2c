"""Items that wait for a person: approvals, proposals, pauses, pushes, failures and prose to review."""

from datetime import datetime

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict

from gateway.desk.principals import require
from gateway.desk.runs import waiting
from gateway.desk.runs.waiting import WaitingKind
from gateway.http.asking import Asking, FromServices
from gateway.http.strict import StrictRoute
from gateway.http.waiting import finished

router = APIRouter(tags=["runs"], route_class=StrictRoute)


class WaitingItem(BaseModel):
    """One thing that waits."""

    model_config = ConfigDict(from_attributes=True)

    kind: WaitingKind
    name: str
    """Id of the book, scene or agent's run; of a document ``NOVEL/SCENE``."""
    title: str
    about: str
    urgent: bool
    """Whether work stands still because of it."""
    since: datetime | None
    command: str
    """The command that answers it on a terminal."""


class WaitingItems(BaseModel):
    """Everything that waits: what holds up work first, then the oldest first."""

    items: list[WaitingItem]
    trouble: str
    """Reason why some of it may be missing; empty if all was asked."""


@router.get("/waiting")
def list_waiting(principal: Asking, services: FromServices) -> WaitingItems:
    """Everything of the caller's subjects that waits for a person."""
    require(principal, "read")
    found = finished(waiting.waiting(services, principal))
    return WaitingItems(
        items=[WaitingItem.model_validate(each) for each in found.items], trouble=found.trouble
    )
