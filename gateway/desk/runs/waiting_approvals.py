"""Everything that waits for a person's approval, over all books and novels that a caller may see."""

from dataclasses import dataclass

from gateway.desk.principals import Principal, require, sees
from gateway.desk.services import Services
from gateway.desk.works import approvals
from gateway.desk.works.approvals import Decision, Waiting
from penwright.errors import NotFound
from schemas.base import BookId
from schemas.intents import ApprovalDecision
from schemas.records import BookRow, WorkspaceKind
from schemas.workspace import Workspace


@dataclass(frozen=True, slots=True)
class RegisteredWork:
    """A book or novel as it is registered; its folder is not looked at."""

    subject: BookId
    kind: WorkspaceKind
    title: str
    workspace: Workspace
    origin: str = ""
    """Not known without the folder."""


@dataclass(frozen=True, slots=True)
class WaitingApproval:
    """A change that waits, and the work that it would change."""

    work: RegisteredWork
    waiting: Waiting

    @property
    def subject(self) -> str:
        """As rights name it."""
        return f"{self.work.kind}/{self.work.subject}"


async def waiting(services: Services, principal: Principal) -> tuple[WaitingApproval, ...]:
    """List the approvals that wait, by work.

    Raises:
        EngineUnavailable: the engine does not run.
    """
    require(principal, "read")
    found: list[WaitingApproval] = []
    for work in _works(services, principal):
        pending = await approvals.pending(services, work)
        found += [WaitingApproval(work, each) for each in pending]
    return tuple(found)


async def decide(
    services: Services, principal: Principal, approval: str, decided: Decision, reason: str
) -> ApprovalDecision:
    """Approve or deny the request ``approval`` as ``principal``.

    Raises:
        NotFound: ``no-such-approval``; or it is decided, or expired.
        Refused: ``not-permitted``.
    """
    require(principal, "approve")
    for work in _works(services, principal):
        for each in await approvals.pending(services, work):
            if each.request.id == approval:
                require(principal, "approve", f"{work.kind}/{work.subject}")
                return await approvals.decide(
                    services, work, decided, approval=approval, reason=reason, by=principal.name
                )
    raise NotFound(
        "no-such-approval", f"nothing waits as {approval!r}", hint="it may be decided, or have expired"
    )


def _works(services: Services, principal: Principal) -> tuple[RegisteredWork, ...]:
    with services.open_store() as store:
        rows = (*store.records.books(), *store.records.books("novel"))
    return tuple(_work(services, row) for row in rows if sees(principal, f"{row.kind}/{row.book_id}"))


def _work(services: Services, row: BookRow) -> RegisteredWork:
    places = services.defaults()
    workspace = Workspace(path=row.path, branch=places.branch, remote=places.remote)
    return RegisteredWork(row.book_id, row.kind, row.title, workspace)
