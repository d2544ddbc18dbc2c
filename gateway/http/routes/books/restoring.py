"""Taking a book back: first a plan, then the same plan confirmed by its digest."""

from fastapi import APIRouter
from pydantic import BaseModel, Field

from gateway.desk.book import restoring
from gateway.desk.works import permitted
from gateway.desk.works.books import Book
from gateway.http.asking import Asking, FromServices
from gateway.http.keys import Operation
from gateway.http.orders import Order
from gateway.http.strict import StrictRoute
from gateway.http.waiting import finished
from schemas.book_errand import RestoreReport
from schemas.workspace import RestorePlan

router = APIRouter(prefix="/books/{book_id}", tags=["books"], route_class=StrictRoute)


class RollbackOrder(Order):
    """Target of a rollback."""

    to: str | None = Field(default=None, max_length=200)
    """A session tag; null: the last one."""
    confirm: str | None = Field(default=None, max_length=64)
    """Digest of the plan; null: only plan."""


class PlannedOrder(Order):
    """Whether to do what was planned."""

    confirm: str | None = Field(default=None, max_length=64)
    """Digest of the plan; null: only plan."""


class Restored(BaseModel):
    """The plan, and what was done; ``done`` is null where it was only planned."""

    plan: RestorePlan
    in_the_way: str = ""
    """The session that keeps the book from being taken back, in words."""
    done: RestoreReport | None = None


@router.post("/rollback")
def roll_back(
    book_id: str, given: RollbackOrder, operation: Operation, principal: Asking, services: FromServices
) -> Restored:
    """Plan to go back to where a session began; with the plan's digest, do it. All of it is archived."""
    book = permitted.book(services, principal, "write", book_id, laid_out=False)
    plan = restoring.planned(services, book, to=given.to, undo=False)
    return _restored(services, book, plan, given.confirm)


@router.post("/undo")
def undo(
    book_id: str, given: PlannedOrder, operation: Operation, principal: Asking, services: FromServices
) -> Restored:
    """Plan to bring back what the last rollback or reset set aside; with the plan's digest, do it."""
    book = permitted.book(services, principal, "write", book_id, laid_out=False)
    plan = restoring.planned(services, book, to=None, undo=True)
    return _restored(services, book, plan, given.confirm)


@router.post("/accept-remote")
def accept_remote(
    book_id: str, given: PlannedOrder, operation: Operation, principal: Asking, services: FromServices
) -> Restored:
    """Plan to take out here what the remote no longer has; with the plan's digest, do it.

    All of it is archived; ``undo`` brings it back.
    """
    book = permitted.book(services, principal, "write", book_id, laid_out=False)
    return _restored(services, book, restoring.planned_acceptance(services, book), given.confirm)


@router.post("/restore-session")
def restore_session(
    book_id: str, operation: Operation, principal: Asking, services: FromServices
) -> RestoreReport:
    """Publish again what the remote no longer has; what it has besides is merged."""
    book = permitted.book(services, principal, "write", book_id, laid_out=False)
    return finished(restoring.restore(services, book, "restore-session"))


def _restored(services: FromServices, book: Book, plan: RestorePlan, confirm: str | None) -> Restored:
    if confirm is None:
        return Restored(plan=plan, in_the_way=finished(restoring.in_the_way(services, book)))
    seen = plan.model_copy(update={"digest": confirm})
    return Restored(plan=plan, done=finished(restoring.take_back(services, book, seen)))
