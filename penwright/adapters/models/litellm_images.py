"""Models for images of every vendor that litellm knows, and of servers that speak OpenAI's protocol."""

import asyncio
import binascii
from base64 import b64decode
from typing import Any

from penwright.adapters.models.litellm_client import (
    failed_call,
    loaded_litellm,
    require_key,
    was_cut_off,
)
from penwright.adapters.models.prices import cost_micros
from penwright.adapters.models.provider import Hear
from penwright.domain.models.token_estimate import estimate_request
from penwright.domain.scene.pictures import MOST_BYTES, kind_of, painted_reply
from penwright.errors import ModelFinal, ModelUnavailable, PenwrightError
from penwright.ports.blobs import Blobs
from schemas.model import ModelRequest, ModelResponse, Usage
from schemas.model_catalog import ModelEntry
from schemas.scene_roles import Painted

_NO_KEY = "none"
"""Sent to a server that asks for none; the client library insists on one."""
_LONGEST_PROMPT = 4_000
"""Characters; models refuse or cut longer ones."""


class LitellmImages:
    """Implements ``Provider``. The last message is the prompt; the reply names the stored picture."""

    def __init__(self, entry: ModelEntry, key: str, blobs: Blobs) -> None:
        self._entry = entry
        self._key = key
        self._blobs = blobs

    async def ask(self, request: ModelRequest, hear: Hear | None = None) -> ModelResponse:
        """Have one picture made, without retries, and store it; ``hear`` is told nothing."""
        require_key(self._entry, self._key)
        # Importing it takes seconds the first time, which are not the vendor's.
        litellm = await asyncio.to_thread(loaded_litellm)
        try:
            async with asyncio.timeout(request.timeout_s):
                reply = await litellm.aimage_generation(**self._arguments(litellm, request))
        except Exception as error:
            # litellm raises exceptions of its own, of vendors and of Python; each means a failed call.
            raise self._failure(error) from error
        content = self._picture(reply)
        image = await asyncio.to_thread(self._blobs.put, content)
        return ModelResponse(
            text=painted_reply(Painted(image=image, kind=kind_of(content))),
            model=self._entry.name,
            provider="litellm",
            finish_reason="stop",
            usage=await self._usage(request, reply),
        )

    async def estimate(self, request: ModelRequest) -> Usage:
        """Estimate the use of one picture, as far as it is known before."""
        return Usage(input_tokens=estimate_request(request), cost_micros=await self._by_picture())

    async def _by_picture(self) -> int | None:
        """The price of one picture by the settings, else by litellm's local map."""
        if self._entry.image_micros is not None or self._entry.local:
            return self._entry.image_micros or 0
        return None if self._entry.api_base else await asyncio.to_thread(_mapped_micros, self._entry.model)

    async def _usage(self, request: ModelRequest, reply: Any) -> Usage:  # Any: litellm has no types
        """By the picture where that price is known, else by the tokens that the reply counts."""
        used = getattr(reply, "usage", None)
        tokens = {name: _count(getattr(used, name, None)) for name in ("input_tokens", "output_tokens")}
        cost = await self._by_picture()
        if cost is None and tokens["output_tokens"]:
            cost = await asyncio.to_thread(cost_micros, self._entry, **tokens)
        tokens["input_tokens"] = tokens["input_tokens"] or estimate_request(request)
        return Usage(**tokens, cost_micros=cost)

    # Any: litellm has no types, and those of its arguments vary.
    def _arguments(self, litellm: Any, request: ModelRequest) -> dict[str, Any]:
        arguments: dict[str, Any] = {
            "model": self._entry.model,
            "prompt": request.messages[-1].content[:_LONGEST_PROMPT],
            "n": 1,
            "response_format": "b64_json",
            "drop_params": True,
            # Temporal retries, and our own timeout ends the call first.
            "timeout": request.timeout_s + 30,
            "max_retries": 0,
        }
        key = self._key or (_NO_KEY if self._entry.api_base else "")
        if self._entry.api_base:
            # litellm leaves the format out for names that it does not know; such servers send addresses then.
            form = {"extra_body": {"response_format": "b64_json"}}
            arguments |= {"api_base": self._entry.api_base, **form}
        if key:
            arguments["api_key"] = key
        if key and litellm.get_llm_provider(self._entry.model)[1] == "openai":
            arguments["client"] = _asking_once(litellm, key, self._entry.api_base)
        return arguments

    def _picture(self, reply: Any) -> bytes:  # Any: a vendor's JSON
        """The bytes of the picture in a reply."""
        first = next(iter(getattr(reply, "data", None) or ()), None)
        encoded = _field(first, "b64_json")
        if not encoded and _field(first, "url"):
            raise ModelFinal(
                "image-by-address",
                f"Model {self._entry.name!r} answered with the address of a picture, which is not fetched. "
                "Set a model under the role `images` that answers with the picture itself (`b64_json`).",
                model=self._entry.name,
            )
        try:
            content = b64decode(encoded, validate=True)
        except (binascii.Error, ValueError):
            content = b""
        if len(content) > MOST_BYTES:
            raise self._too_large()
        if not kind_of(content):
            raise ModelUnavailable(
                "model-unavailable",
                f"Model {self._entry.name!r} answered without a picture (PNG, JPEG or WebP). The call is "
                "retried; if it stays so, it is no model for images.",
                model=self._entry.name,
            )
        return content

    def _too_large(self) -> ModelFinal:
        return ModelFinal(
            "image-too-large",
            f"Model {self._entry.name!r} made a picture of more than {MOST_BYTES // 2**20} MB. "
            "Give the role `images` a model that makes smaller ones.",
            model=self._entry.name,
        )

    def _failure(self, error: Exception) -> PenwrightError:
        if was_cut_off(error):
            return self._too_large()
        return failed_call(self._entry, self._key, error)


def _asking_once(litellm: Any, key: str, address: str) -> Any:  # Any: litellm has no types
    """A client without retries: for pictures, litellm drops the argument and sets two on every client."""
    # Imported here: it is large.
    from openai import AsyncOpenAI

    class Once(AsyncOpenAI):
        max_retries = property(lambda _: 0, lambda _, asked: None)

    return Once(api_key=key, base_url=address or None, http_client=litellm.aclient_session)


def _mapped_micros(model: str) -> int | None:
    known = loaded_litellm().model_cost.get(model) or loaded_litellm().model_cost.get(model.partition("/")[2])
    dollars = (known or {}).get("output_cost_per_image") or (known or {}).get("input_cost_per_image")
    return round(dollars * 1e6) if isinstance(dollars, int | float) else None


def _field(row: Any, name: str) -> str:
    value = row.get(name) if isinstance(row, dict) else getattr(row, name, None)
    return value if isinstance(value, str) else ""


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0
