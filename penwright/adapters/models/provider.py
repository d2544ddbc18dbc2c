"""What every provider does, and how a reply is judged once it is safe."""

from typing import Protocol

from penwright.errors import ModelFinal, ModelMistake
from schemas.model import ModelRequest, ModelResponse
from schemas.model_catalog import Price

LARGEST_REPLY = 8 * 1024 * 1024
"""Bytes; more than any book session, and more than we want in memory."""
LARGEST_TURN = 1024 * 1024
"""Bytes of text and calls in one answer of a loop, which every later call sends again."""


class Provider(Protocol):
    """Answers a request as it comes; an empty reply or a refusal is an answer too, because it was paid."""

    async def ask(self, request: ModelRequest) -> ModelResponse:
        """One call, no retries; raises ``ModelUnavailable`` or ``ModelFinal`` when no answer arrived."""
        ...

    async def price(self) -> Price | None:
        """What a million tokens cost; None when nobody knows."""
        ...


def judged(request: ModelRequest, response: ModelResponse) -> ModelResponse:
    """``response`` if it holds an answer to ``request``.

    Within a loop whatever the model did is an answer: nothing at all, a tool nobody offered, arguments that
    are no JSON, an id used twice. Only what is too long to be said again is not.

    Raises:
        ModelFinal: ``model-refused``: the provider filtered the answer or the model declined formally.
        ModelMistake: ``empty-reply``: nothing but white space, outside a loop; ``turn-too-large``: over
            ``LARGEST_TURN`` within one, with what it used in its details.
    """
    if response.finish_reason == "refusal":
        raise ModelFinal(
            "model-refused",
            f"Model {response.model!r} refused to answer. Change the outline or the instruction "
            "it objects to, or give the role another model.",
            model=response.model,
        )
    if request.within_loop:
        return _sized(response)
    if not response.text.strip():
        raise ModelMistake("empty-reply", "The reply was empty. Answer the request in full.")
    return response


def _sized(response: ModelResponse) -> ModelResponse:
    called = "".join(call.id + call.name + call.arguments for call in response.tool_calls)
    size = len(response.text.encode()) + len(called.encode())
    if size <= LARGEST_TURN:
        return response
    usage = response.usage
    raise ModelMistake(
        "turn-too-large",
        f"The reply was {size} bytes long, more than the {LARGEST_TURN} that are read; none of it was used "
        "and no tool was called. Answer again, much shorter.",
        input_tokens=str(usage.input_tokens),
        output_tokens=str(usage.output_tokens),
        cost_micros="" if usage.cost_micros is None else str(usage.cost_micros),
    )
