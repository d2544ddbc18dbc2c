"""A provider whose every answer is paid once and stored before anybody reads it."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from penwright.adapters.models.prices import cost_micros
from penwright.adapters.models.provider import Provider, judged
from penwright.domain.models.token_estimate import estimate_request
from penwright.ports import ModelLedger
from schemas.model import ModelRequest, ModelResponse

Result = TypeVar("Result")


class LedgeredModel:
    """The ``LanguageModel`` that everything above the adapters uses."""

    def __init__(self, provider: Provider, ledger: ModelLedger) -> None:
        self._provider = provider
        self._ledger = ledger

    async def complete(self, request: ModelRequest) -> ModelResponse:
        """The stored answer of ``op_id``, or a new one: reserved, asked, stored, and only then judged."""
        stored = await _uninterrupted(partial(self._ledger.stored, request.effect))
        if stored is not None:
            return judged(request, stored)
        return judged(request, await self._pay(request))

    async def _pay(self, request: ModelRequest) -> ModelResponse:
        tokens_in = estimate_request(request)
        price = await self._provider.price()
        reserve = partial(
            self._ledger.reserve,
            request,
            estimate_micros=cost_micros(
                price, input_tokens=tokens_in, output_tokens=request.max_output_tokens
            ),
            estimate_tokens=tokens_in + request.max_output_tokens,
        )
        try:
            await _uninterrupted(reserve)
            response = await self._provider.ask(request)
        except BaseException:
            # Cancelled, refused by a cap or failed: in each case nothing is owed.
            await _uninterrupted(partial(self._ledger.release, request))
            raise
        await _uninterrupted(partial(self._ledger.settle, request, response))
        return response


async def _uninterrupted(call: Callable[[], Result]) -> Result:
    """Run a blocking ``call`` in a thread to its end, even when the caller is cancelled meanwhile."""
    running = asyncio.ensure_future(asyncio.to_thread(call))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait({running})
        # Its own failure has nobody left to tell; the cancellation goes on.
        running.cancelled() or running.exception()
        raise
