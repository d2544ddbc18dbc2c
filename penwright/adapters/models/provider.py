"""What every provider does, and how a reply is judged once it is safe."""

from typing import Protocol

from penwright.errors import ModelFinal, ModelMistake
from schemas.model import ModelRequest, ModelResponse
from schemas.model_catalog import Price

LARGEST_REPLY = 8 * 1024 * 1024
"""Bytes; more than any book session, and more than we want in memory."""


class Provider(Protocol):
    """Answers a request as it comes; an empty reply or a refusal is an answer too, because it was paid."""

    async def ask(self, request: ModelRequest) -> ModelResponse:
        """One call, no retries; raises ``ModelUnavailable`` or ``ModelFinal`` when no answer arrived."""
        ...

    async def price(self) -> Price | None:
        """What a million tokens cost; None when nobody knows."""
        ...


def judged(response: ModelResponse) -> ModelResponse:
    """``response`` if it holds an answer.

    Raises:
        ModelFinal: ``model-refused``: the provider filtered the answer or the model declined formally.
        ModelMistake: ``empty-reply``: nothing but white space.
    """
    if response.finish_reason == "refusal":
        raise ModelFinal(
            "model-refused",
            f"Model {response.model!r} refused to answer. Change the outline or the instruction "
            "it objects to, or give the role another model.",
            model=response.model,
        )
    if not response.text.strip():
        raise ModelMistake("empty-reply", "The reply was empty. Answer the request in full.")
    return response
