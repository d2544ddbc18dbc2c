"""Model calls that were paid."""

from schemas.base import Effect, OpId
from schemas.model import BudgetScope, Message, ModelRequest, ModelResponse, Usage
from tests.support.gateway.services import NOW, StageServices


def pay(
    services: StageServices, number: int, subject: str, *, role: str = "writer", micros: int | None = 500
) -> None:
    """Store one answered call of 30 tokens, 5 of them from a cache and 4 thought."""
    request = ModelRequest(
        effect=Effect(op_id=OpId(f"call/{number}"), issued_at=NOW),
        role=role,
        messages=(Message(role="user", content="Write."),),
        max_output_tokens=100,
        scope=BudgetScope(run=f"book/{subject}#1", subject=subject),
    )
    answer = ModelResponse(
        text="Dark.",
        model="quill-1",
        provider="scripted",
        finish_reason="stop",
        usage=Usage(input_tokens=20, output_tokens=10, cached_tokens=5, thought_tokens=4, cost_micros=micros),
    )
    services.store.ledger.settle(request, answer)
