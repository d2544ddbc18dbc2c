"""Taking a book back: first a plan, then the same plan confirmed by its digest."""

import hashlib
import json

from fastapi import APIRouter
from pydantic import BaseModel, Field

from gateway.desk.book import permitted, restoring
from gateway.desk.book.restoring import RestorePlan
from gateway.http.asking import Asking, FromServices
from gateway.http.keys import Operation
from gateway.http.orders import Order
from gateway.http.strict import StrictRoute
from gateway.http.waiting import finished
from penwright.errors import Refused
from schemas.book_session import RestoreReport

router = APIRouter(prefix="/books/{book_id}", tags=["books"], route_class=StrictRoute)


class RollbackOrder(Order):
    """Where to go back to."""

    to: str | None = Field(default=None, max_length=200)
    """A session tag; null: the last one."""
    confirm: str | None = Field(default=None, max_length=64)
    """Digest of the plan; null: only plan."""


class UndoOrder(Order):
    """Whether to bring back what was set aside last."""

    confirm: str | None = Field(default=None, max_length=64)
    """Digest of the plan; null: only plan."""


class Plan(BaseModel):
    """What would be set aside; nothing was changed."""

    target: str | None
    commits: list[str]
    unsaved: list[str]
    kept: list[str]
    """Commits of people that stay."""
    gone_with: list[str]
    """Files in which people changed passages that go."""
    digest: str


class Restored(BaseModel):
    """The plan, and what was done; ``done`` is null where it was only planned."""

    plan: Plan
    done: RestoreReport | None = None


@router.post("/rollback")
def roll_back(
    book_id: str, given: RollbackOrder, operation: Operation, principal: Asking, services: FromServices
) -> Restored:
    """Plan to go back to where a session began; with the plan's digest, do it. All of it is archived."""
    return _restored(services, principal, book_id, given.confirm, to=given.to, undo=False)


@router.post("/undo")
def undo(
    book_id: str, given: UndoOrder, operation: Operation, principal: Asking, services: FromServices
) -> Restored:
    """Plan to bring back what the last rollback or reset set aside; with the plan's digest, do it."""
    return _restored(services, principal, book_id, given.confirm, to=None, undo=True)


@router.post("/accept-remote")
def accept_remote(
    book_id: str, operation: Operation, principal: Asking, services: FromServices
) -> RestoreReport:
    """Take out here what the remote no longer has. All of it is archived; ``undo`` brings it back."""
    return _decided(services, principal, book_id, "accept-remote")


@router.post("/restore-session")
def restore_session(
    book_id: str, operation: Operation, principal: Asking, services: FromServices
) -> RestoreReport:
    """Publish again what the remote no longer has; what it has besides is merged."""
    return _decided(services, principal, book_id, "restore-session")


def _decided(services: FromServices, principal: Asking, book_id: str, kind: restoring.Kind) -> RestoreReport:
    book = permitted.book(services, principal, "write", book_id, laid_out=False)
    return finished(restoring.restore(services, book, kind, None))


def _restored(
    services: FromServices,
    principal: Asking,
    book_id: str,
    confirm: str | None,
    *,
    to: str | None,
    undo: bool,
) -> Restored:
    book = permitted.book(services, principal, "write", book_id, laid_out=False)
    found = restoring.planned(services, book, to=to, undo=undo)
    plan = _plan(found, undo=undo)
    if confirm is None:
        return Restored(plan=plan)
    if confirm != plan.digest:
        raise Refused(
            "stale-revision", "the book has changed since this was planned", hint="look at the new plan"
        )
    kind: restoring.Kind = "undo" if undo else "rollback"
    return Restored(plan=plan, done=finished(restoring.restore(services, book, kind, found.target)))


def _plan(found: RestorePlan, *, undo: bool) -> Plan:
    rows = [list(each) for each in (found.commits, found.unsaved, found.kept, found.gone_with)]
    digest = hashlib.sha256(json.dumps([undo, found.target, *rows]).encode()).hexdigest()
    commits, unsaved, kept, gone_with = rows
    return Plan(
        target=found.target, commits=commits, unsaved=unsaved, kept=kept, gone_with=gone_with, digest=digest
    )
