"""Vectors that are paid for once, in the ledger of all model calls."""

import json
from array import array
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol

from penwright.domain.models.token_estimate import estimate_request
from penwright.domain.models.usage import total
from penwright.errors import ModelUnavailable
from penwright.ports.models import ModelLedger
from schemas.base import OpId
from schemas.memory import Charge, Vectors
from schemas.model import Message, ModelRequest, ModelResponse, Usage

ROLE = "embeddings"
AT_ONCE = 64
"""Texts of one request; vendors take between 96 and 2,048."""
_LONGEST = 8_000
"""Characters of a text that are sent; models take from 512 tokens on, and servers cut or refuse the rest."""
_RESERVED_S = 30.0
"""Time a request may take; the reservation of one that was lost counts twice that."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A vendor's answer: a vector for each text, all of one size."""

    vectors: tuple[tuple[float, ...], ...]
    tokens: int
    """Tokens that it counted; 0 if it did not say."""


class EmbeddingVendor(Protocol):
    """Makes vectors for money."""

    @property
    def name(self) -> str:
        """The model's name in the settings."""
        ...

    @property
    def model(self) -> str:
        """The name under which its vectors are stored."""
        ...

    def cost_micros(self, tokens: int) -> int | None:
        """The cost of so many tokens; None if the price is unknown."""
        ...

    def ask(self, texts: Sequence[str]) -> Answered:
        """Make one request without retries; raises ``ModelUnavailable`` or ``ModelFinal``."""
        ...


class LedgeredEmbeddings:
    """Implements ``Embeddings`` over a vendor and the ledger."""

    def __init__(self, vendor: EmbeddingVendor, ledger: ModelLedger) -> None:
        self._vendor = vendor
        self._ledger = ledger

    @property
    def model(self) -> str:
        return self._vendor.model

    def embed(self, texts: Sequence[str], charge: Charge) -> Vectors:
        """See the port; many texts are asked for in several requests, each stored by itself."""
        asked = [_sent(text) for text in texts]
        starts = range(0, len(asked), AT_ONCE)
        parts = [self._part(asked[start : start + AT_ONCE], charge) for start in starts]
        if len({part.dimensions for part in parts}) > 1:
            raise ModelUnavailable(
                "model-unavailable",
                f"Embedding model {self._vendor.name!r} answered with vectors of different sizes. The call "
                "is retried; if it stays so, `api_base` is no embedding server.",
                model=self._vendor.name,
            )
        return Vectors(
            model=self.model,
            dimensions=max((part.dimensions for part in parts), default=0),
            vectors=tuple(vector for part in parts for vector in part.vectors),
            usage=total(part.usage for part in parts),
        )

    def _part(self, texts: Sequence[str], charge: Charge) -> Vectors:
        request = self._request(texts, charge)
        stored = self._ledger.stored(request.effect)
        return _unpacked(stored if stored is not None else self._pay(request, texts))

    def _pay(self, request: ModelRequest, texts: Sequence[str]) -> ModelResponse:
        estimated = estimate_request(request)
        micros = self._vendor.cost_micros(estimated)
        self._ledger.reserve(request, estimate_micros=micros, estimate_tokens=estimated)
        try:
            answered = self._vendor.ask(texts)
        except BaseException:
            self._ledger.release(request)
            raise
        tokens = answered.tokens or estimated
        response = ModelResponse(
            text=_packed(self.model, answered.vectors),
            model=self._vendor.name,
            provider="litellm",
            finish_reason="stop",
            usage=Usage(input_tokens=tokens, cost_micros=self._vendor.cost_micros(tokens)),
        )
        self._ledger.settle(request, response)
        return response

    def _request(self, texts: Sequence[str], charge: Charge) -> ModelRequest:
        """The call as the ledger knows it.

        One effect may need several, and a later attempt may find other texts, or another model set: what
        is asked for is part of the op id, so that no text gets the vector of another.
        """
        asked = sha256(json.dumps([self.model, *texts]).encode()).hexdigest()[:24]
        effect = charge.effect.model_copy(update={"op_id": OpId(f"{charge.effect.op_id}/vectors/{asked}")})
        return ModelRequest(
            effect=effect,
            role=ROLE,
            messages=tuple(Message(role="user", content=text) for text in texts),
            max_output_tokens=0,
            timeout_s=_RESERVED_S,
            scope=charge.scope,
        )


def _sent(text: str) -> str:
    """The part that is sent; half a character, which no vendor takes, becomes a question mark."""
    return text[:_LONGEST].encode("utf-8", "replace").decode() or " "


def _packed(model: str, vectors: Sequence[Sequence[float]]) -> str:
    """Dump the vectors for the ledger: the numbers in four bytes each, as the table of vectors has them."""
    numbers = array("f", (number for vector in vectors for number in vector)).tobytes()
    size = max(map(len, vectors), default=0)
    return json.dumps({"model": model, "dimensions": size, "float32": b64encode(numbers).decode()})


def _unpacked(response: ModelResponse) -> Vectors:
    kept = json.loads(response.text)
    numbers, size = array("f", b64decode(kept["float32"])), int(kept["dimensions"])
    vectors = tuple(tuple(numbers[start : start + size]) for start in range(0, len(numbers), size or 1))
    return Vectors(model=kept["model"], dimensions=size, vectors=vectors, usage=response.usage)
