"""Specifics of OpenRouter: our name, costs of calls, errors with status 200, one request a call."""

import math
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from typing import Any, Final

import httpx

PREFIX: Final = "openrouter/"
HEADERS: Final = {"HTTP-Referer": "https://penwright.example", "X-Title": "Penwright"}
"""OpenRouter lists programs by them. The project has no site of its own."""
_NO_COST: Final = 1e6
"""Dollars that no call costs: such a number is a mistake, and the ledger could not keep the largest."""


def is_openrouter(model: str) -> bool:
    """Whether litellm takes the model by its own way to OpenRouter."""
    return model.startswith(PREFIX)


class OnceTransport(httpx.AsyncBaseTransport):
    """Hides from litellm's handler that a connection failed, for which it would send the request again."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        with _once(request):
            response = await self._inner.handle_async_request(request)
        assert isinstance(response.stream, httpx.AsyncByteStream)
        response.stream = _OnceStream(response.stream, request)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


class _OnceStream(httpx.AsyncByteStream):
    def __init__(self, inner: httpx.AsyncByteStream, request: httpx.Request) -> None:
        self._inner = inner
        self._request = request

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with _once(self._request):
            async for chunk in self._inner:
                yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


@contextmanager
def _once(request: httpx.Request) -> Iterator[None]:
    try:
        yield
    except (httpx.RemoteProtocolError, httpx.ConnectError) as error:
        raise httpx.ReadError(str(error) or "the connection ended", request=request) from error


# Any, here and below: litellm has no types.
@lru_cache(maxsize=1)
def handler(transport: httpx.AsyncBaseTransport) -> Any:
    """litellm's HTTP handler over ``transport``; its default one neither bounds a reply nor sends it once."""
    http = import_module("litellm.llms.custom_httpx.http_handler")
    return http.AsyncHTTPHandler(transport=OnceTransport(transport))


def reported_cost(usage: Any) -> int | None:
    """The cost that the reply names, in millionths of a US dollar, rounded up; None if it names none."""
    cost = getattr(usage, "cost", None)
    if isinstance(cost, bool) or not isinstance(cost, int | float) or not 0 <= cost < _NO_COST:
        return None
    return math.ceil(round(cost * 1e6, 6))


def reported_error(choice: Any) -> tuple[int | None, str] | None:
    """Status and message of an error inside a choice: its provider failed in the middle of the answer."""
    error = (getattr(choice, "provider_specific_fields", None) or {}).get("error")
    if not isinstance(error, dict):
        return None
    code = error.get("code")
    return code if isinstance(code, int) else None, str(error.get("message") or "the provider failed")
