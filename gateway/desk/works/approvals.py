"""Approvals of a session's close, or of a scene's change: what waits for a person, and the decision."""

from dataclasses import dataclass
from typing import Literal

from gateway.desk.services import Services
from gateway.desk.works.kinds import KINDS, Work
from penwright.domain.book.review.delivery import Rework, read_delivery
from penwright.domain.intents.approval import UNREAD
from penwright.errors import Refused
from schemas.intents import ApprovalDecision, ApprovalRequest

Decision = Literal["approved", "denied"]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A change that waits for approval."""

    request: ApprovalRequest
    scene: str = ""
    """Of a novel: the scene that it would change."""


@dataclass(frozen=True, slots=True)
class AskedChange:
    """A change that waits, as a page shows it."""

    request: ApprovalRequest
    diff: str
    """Of what is denied, line by line."""
    rewrite: Rework | None = None
    """The rewritten passage, with the old one and the instruction; None if it is another change."""


async def pending(services: Services, work: Work) -> tuple[Waiting, ...]:
    """The changes of the work's running session, or of the runs on its scenes, that wait for approval."""
    async with services.engine() as engine:
        if work.kind == "novel":
            found = await engine.approvals.waiting(work.subject)
            return tuple(Waiting(request, scene) for scene, request in sorted(found.items()))
        request = await engine.pipelines.pending(work.subject)
    return () if request is None else (Waiting(request),)


def prose_of(services: Services, request: ApprovalRequest) -> str | None:
    """The prose that was written; None where the session keeps none."""
    if request.prose is None:
        return None
    with services.open_store() as store:
        return store.blobs.get(request.prose).decode()


def diff_of(services: Services, request: ApprovalRequest) -> str:
    """Read what is denied, line by line; empty for a request of an earlier version."""
    stored = request.need.stored_diff
    if stored is None:
        return request.need.diff
    with services.open_store() as store:
        return store.blobs.get(stored).decode()


def asked_change(services: Services, request: ApprovalRequest) -> AskedChange:
    """The request with its texts from the store."""
    rewrite = None
    if UNREAD in request.need.codes:
        rewrite = next(iter(read_delivery(prose_of(services, request) or "").reworks), None)
    return AskedChange(request, diff_of(services, request), rewrite)


async def decide(
    services: Services, work: Work, decided: Decision, *, approval: str = "", reason: str = "", by: str = ""
) -> ApprovalDecision:
    """Approve or deny what waits.

    Args:
        approval: id of the request; empty: the one that waits.
        by: who decides; empty: the person of ``services``.

    Raises:
        Refused: ``nothing-to-approve`` or ``which-approval``; or it is another request, decided, or expired.
    """
    chosen = _chosen(work, await pending(services, work), approval)
    decision = ApprovalDecision(
        approval=approval or chosen.request.id,
        plan_digest=chosen.request.need.plan_digest,
        decided=decided,
        by=by or services.person(),
        reason=reason,
    )
    async with services.engine() as engine:
        if work.kind == "novel":
            await engine.approvals.decide(work.subject, chosen.scene, decision)
        else:
            await engine.pipelines.decide(work.subject, decision)
    return decision


def _chosen(work: Work, waiting: tuple[Waiting, ...], approval: str) -> Waiting:
    """The request that is meant; of one that is unknown, the only one that waits says so itself."""
    if not waiting:
        kind = KINDS[work.kind]
        raise Refused(
            "nothing-to-approve",
            f"nothing of {work.subject!r} waits for approval",
            hint=f"`penwright {kind.group} {kind.status} {work.subject}` shows what runs",
        )
    named = [each for each in waiting if each.request.id == approval]
    if len(waiting) > 1 and not named:
        ids = ", ".join(each.request.id for each in waiting)
        raise Refused(
            "which-approval",
            f"{len(waiting)} changes of {work.subject!r} wait for approval; nothing was decided",
            hint=f"name one of {ids}; `penwright intent pending {work.subject}` shows them",
        )
    return named[0] if named else waiting[0]
