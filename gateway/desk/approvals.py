"""Approvals of a session's close: what waits for a person, and the person's decision."""

from typing import Literal

from gateway.desk.book.books import Book
from gateway.desk.services import Services
from penwright.errors import Refused
from schemas.intents import ApprovalDecision, ApprovalRequest

Decision = Literal["approved", "denied"]


async def pending(services: Services, book: Book) -> ApprovalRequest | None:
    """The change of the running session that waits for approval, if any."""
    async with services.engine() as engine:
        return await engine.pipelines.pending(book.book_id)


def prose_of(services: Services, request: ApprovalRequest) -> str | None:
    """The prose that was written; None where the session keeps none."""
    if request.prose is None:
        return None
    with services.open_store() as store:
        return store.blobs.get(request.prose).decode()


def diff_of(services: Services, request: ApprovalRequest) -> str:
    """What is denied, line by line; empty for a request of an earlier version."""
    stored = request.need.stored_diff
    if stored is None:
        return request.need.diff
    with services.open_store() as store:
        return store.blobs.get(stored).decode()


async def decide(
    services: Services, book: Book, decided: Decision, *, approval: str = "", reason: str = ""
) -> ApprovalDecision:
    """Approve or deny what waits, as the person of ``services``.

    Args:
        approval: id of the request; empty: the one that waits.

    Raises:
        Refused: ``nothing-to-approve``; or it is another request, decided, or expired.
    """
    async with services.engine() as engine:
        request = await engine.pipelines.pending(book.book_id)
        if request is None:
            raise Refused(
                "nothing-to-approve",
                f"nothing of {book.book_id!r} waits for approval",
                hint=f"`penwright book status {book.book_id}` shows what runs",
            )
        decision = ApprovalDecision(
            approval=approval or request.id,
            plan_digest=request.need.plan_digest,
            decided=decided,
            by=services.person(),
            reason=reason,
        )
        await engine.pipelines.decide(book.book_id, decision)
        return decision
