"""A model whose answers are paid once and stored before use."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from functools import partial
from typing import TypeVar

from penwright.adapters.models.pieces import PieceCarrier, is_streamed
from penwright.adapters.models.prices import cost_micros
from penwright.adapters.models.provider import (
    Hear,
    Provider,
    WithRoom,
    checked_answer,
    unchanged,
    whole_answer,
)
from penwright.domain.models.prompt_room import fitted
from penwright.domain.models.thought_limit import output_limit
from penwright.domain.models.token_estimate import estimate_request
from penwright.errors import ModelUnavailable
from penwright.ports.models import CallLedger
from schemas.model import ModelRequest, ModelResponse, Usage
from schemas.model_catalog import DEMO, ModelEntry
from schemas.scene import Author

Result = TypeVar("Result")
Slot = Callable[[], AbstractAsyncContextManager[None]]
Estimate = Callable[[ModelRequest], Awaitable[Usage]]
UNKNOWN_MODEL = "unknown"
"""Model under which a lost call is counted if its failure names none."""
_TELLS_EVERY_S = 1.0


def _unheard(piece: str) -> None:
    """Drop a piece."""


class LedgeredModel:
    """Implements ``LanguageModel`` over a provider and the ledger."""

    def __init__(
        self,
        provider: Provider,
        ledger: CallLedger,
        pieces: PieceCarrier | None = None,
        *,
        entry: ModelEntry = DEMO,
        slot: Slot = nullcontext,
        estimate: Estimate | None = None,
        with_room: WithRoom | None = None,
        arriving: Callable[[int], None] = lambda tokens: None,
    ) -> None:
        """``entry``: the model of the provider, which prices a call and writes the pieces that go out.

        ``slot``: what a call that is not answered yet waits for, and holds while it is under way.

        ``estimate``: what a call may use; by default its tokens at the model's price.

        ``with_room``: tells a request the room for the model's thought, and the model's window.

        ``arriving``: is told now and then how many tokens of an answer that streams have come.
        """
        self._provider = provider
        self._ledger = ledger
        self._pieces = pieces
        self._slot = slot
        self._estimate = estimate or self._by_tokens
        self._with_room = with_room or unchanged
        self._arriving = arriving
        self._entry = entry
        self._author = Author(kind="model", name=entry.name, demo=entry.provider == "demo")

    async def complete(self, request: ModelRequest) -> ModelResponse:
        """Same as ``ask``, but raises for an answer that is none."""
        return checked_answer(request, await self.ask(request))

    async def ask(self, request: ModelRequest) -> ModelResponse:
        """Return the stored answer of the op id; else reserve, ask and store the answer, unchecked.

        A model that used its answer's room for thought is asked once more, with more of it.
        """
        return await whole_answer(request, self._answered, self._with_room)

    async def _answered(self, request: ModelRequest) -> ModelResponse:
        stored = await _uninterrupted(partial(self._ledger.stored, request.effect))
        ready = request if request.thought_tokens else await self._with_room(request)
        # Of a long book it takes a second, which must not block the event loop.
        asked, cut = await asyncio.to_thread(fitted, ready, self._entry.name)
        if stored is None:
            # Reserved only in its slot: what waits must not take the budget from what could be asked.
            async with self._slot():
                stored = await self._pay(asked)
        return stored.model_copy(update={"cut": cut})

    async def _pay(self, request: ModelRequest) -> ModelResponse:
        estimate = await self._estimate(request)
        reserve = partial(
            self._ledger.reserve,
            request,
            estimate_micros=estimate.cost_micros,
            estimate_tokens=estimate.input_tokens + estimate.output_tokens,
        )
        try:
            await _uninterrupted(reserve)
            response = await self._asked(request)
        except ModelUnavailable as away:
            raise await self._lost(request, away, estimate) from away
        except BaseException:
            # Cancelled, over a cap or failed: in each case nothing is to be paid.
            await _uninterrupted(partial(self._ledger.release, request))
            raise
        await _uninterrupted(partial(self._ledger.settle, request, response))
        return response

    async def _by_tokens(self, request: ModelRequest) -> Usage:
        tokens = {"input_tokens": estimate_request(request), "output_tokens": output_limit(request)}
        # The first price takes time to find, which must not block the event loop.
        return Usage(**tokens, cost_micros=await asyncio.to_thread(cost_micros, self._entry, **tokens))

    async def _lost(self, request: ModelRequest, away: ModelUnavailable, estimate: Usage) -> ModelUnavailable:
        """The failure with what its attempt may have used; one that a vendor declined has used nothing."""
        if away.details.get("status"):
            await _uninterrupted(partial(self._ledger.release, request))
            return away
        asked = away.details.get("model") or UNKNOWN_MODEL
        await _uninterrupted(partial(self._ledger.lose, request, estimate, model=asked))
        counted = estimate.model_dump(include={"input_tokens", "output_tokens"})
        use = counted | {"cost_micros": estimate.cost_micros or 0}
        details = {**away.details, **{name: str(number) for name, number in use.items()}}
        return ModelUnavailable(away.code, away.message, retry_after_s=away.retry_after_s, **details)

    async def _asked(self, request: ModelRequest) -> ModelResponse:
        """Ask the provider; the pieces of a text that is wanted as it comes go out beside the answer."""
        if self._pieces is None or not is_streamed(request):
            return await self._provider.ask(request, self._counting() if self._may_stream(request) else None)
        async with self._pieces.carrying(request.stream_to, self._author) as hear:
            return await self._provider.ask(request, self._counting(hear))

    def _may_stream(self, request: ModelRequest) -> bool:
        """Whether the answer is heard though nobody looks on: a slow model is waited for while it comes.

        Servers that others wrote do not all send calls of tools in pieces as they should.
        """
        entry = self._entry
        return entry.provider == "litellm" and entry.local and (bool(entry.file) or not request.tools)

    def _counting(self, hear: Hear = _unheard) -> Hear:
        """``hear``, which tells now and then how many pieces have come: one is a token of most servers."""
        count, due = 0, 0.0

        def counted(piece: str) -> None:
            nonlocal count, due
            count += 1
            if time.monotonic() >= due:
                due = time.monotonic() + _TELLS_EVERY_S
                self._arriving(count)
            hear(piece)

        return counted


async def _uninterrupted(call: Callable[[], Result]) -> Result:
    """Run a blocking ``call`` in a thread to its end, even if the caller is cancelled meanwhile."""
    running = asyncio.ensure_future(asyncio.to_thread(call))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        await asyncio.wait({running})
        # Retrieve its own failure, so that asyncio does not log it; the cancellation goes on.
        running.cancelled() or running.exception()
        raise
