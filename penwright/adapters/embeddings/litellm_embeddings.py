"""Embedding models of every vendor that litellm knows, and of servers that speak OpenAI's protocol."""

import asyncio
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from penwright.adapters.embeddings.ledgered_embeddings import Answered
from penwright.adapters.models.litellm_client import failed_call, loaded_litellm, require_key
from penwright.adapters.models.prices import cost_micros
from penwright.errors import ModelUnavailable
from schemas.model_catalog import ModelEntry

_TIMEOUT_S = 10.0
"""Of one request; a prompt waits for it, and can do without."""
_NO_KEY = "none"
"""Sent to a server that asks for none; the client library insists on one."""


class LitellmEmbeddings:
    """Implements ``EmbeddingVendor``. For the model worker only: it has the keys, and litellm is large."""

    def __init__(self, entry: ModelEntry, key: str = "") -> None:
        self._entry = entry
        self._key = key

    @property
    def name(self) -> str:
        """The model's name in the settings."""
        return self._entry.name

    @property
    def model(self) -> str:
        """The vendor's name of the model, under which its vectors are stored."""
        return self._entry.model

    def cost_micros(self, tokens: int) -> int | None:
        """The cost of so many tokens; None if the price is unknown."""
        return cost_micros(self._entry, input_tokens=tokens, output_tokens=0)

    def ask(self, texts: Sequence[str]) -> Answered:
        """Ask the vendor for the vectors of at most ``AT_ONCE`` texts, in one request."""
        require_key(self._entry, self._key)
        try:
            reply = asyncio.run(self._ask(texts))
        except Exception as error:
            # litellm raises exceptions of its own, of vendors and of Python; each means a failed call.
            raise failed_call(self._entry, self._key, error) from error
        vectors = tuple(_vectors(reply))
        if len(vectors) != len(texts):
            raise self._malformed(f"{len(vectors)} vectors for {len(texts)} texts")
        if len(sizes := {len(vector) for vector in vectors}) > 1:
            raise self._malformed(f"vectors of {len(sizes)} different sizes")
        tokens = getattr(getattr(reply, "usage", None), "prompt_tokens", 0)
        return Answered(vectors, tokens if isinstance(tokens, int) else 0)

    async def _ask(self, texts: Sequence[str]) -> Any:  # Any: litellm has no types
        """In an event loop, where litellm's connections have our limits, and time counts to the last byte."""
        timeout_s = min(_TIMEOUT_S, self._entry.timeout_s or _TIMEOUT_S)
        # Importing it takes seconds the first time, which are not the vendor's.
        litellm = loaded_litellm()
        async with asyncio.timeout(timeout_s):
            return await litellm.aembedding(**self._arguments(texts))

    def _arguments(self, texts: Sequence[str]) -> dict[str, Any]:  # Any: their types vary
        arguments: dict[str, Any] = {
            "model": self._entry.model,
            "input": list(texts),
            # Temporal retries, and our own timeout ends the call first.
            "timeout": _TIMEOUT_S + 30,
            "max_retries": 0,
            "num_retries": 0,
            "encoding_format": "float",
        }
        if self._entry.api_base:
            arguments["api_base"] = self._entry.api_base
        if self._key or self._entry.api_base:
            arguments["api_key"] = self._key or _NO_KEY
        return arguments

    def _malformed(self, what: str) -> ModelUnavailable:
        return ModelUnavailable(
            "model-unavailable",
            f"Embedding model {self._entry.name!r} answered with {what}. The call is retried; if it stays "
            "so, `api_base` is no embedding server.",
            model=self._entry.name,
        )


def _vectors(reply: Any) -> Iterator[tuple[float, ...]]:  # Any: a vendor's JSON
    """The vectors of a reply in the order of the texts; what is none is left out."""
    rows = [row for row in getattr(reply, "data", None) or () if isinstance(row, dict)]
    for row in sorted(rows, key=_index):
        numbers = row.get("embedding")
        if isinstance(numbers, list) and numbers and all(map(_is_finite, numbers)):
            yield tuple(map(float, numbers))


def _index(row: Mapping[str, Any]) -> int:
    index = row.get("index")
    return index if isinstance(index, int) else 0


def _is_finite(number: object) -> bool:
    return isinstance(number, int | float) and math.isfinite(number)
