"""litellm, imported at the first call and by no other module: bounded replies, and what its errors say."""

import os
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from importlib import import_module
from threading import Lock
from typing import Any

import httpx

from penwright.adapters.models.failures import failure_of, retry_after
from penwright.adapters.models.provider import LARGEST_REPLY
from penwright.errors import ModelFinal, PenwrightError
from schemas.model_catalog import ModelEntry

_LOADING = Lock()


def require_key(entry: ModelEntry, key: str) -> None:
    """Raise ``ModelFinal`` (``model-key-missing``) if the settings name a key and there is none."""
    if entry.key_env and not key:
        raise ModelFinal(
            "model-key-missing",
            f"Model {entry.name!r} needs a key in the environment variable {entry.key_env!r}, which is not "
            "set. Set it where the model worker runs and restart that worker: `penwright down`, then "
            "`penwright up --detach`.",
            model=entry.name,
        )


def loaded_litellm() -> Any:  # an untyped library
    """Return litellm, configured to make no other network calls and no logs."""
    with _LOADING:
        return _loaded()


@lru_cache(maxsize=1)
def _loaded() -> Any:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm

    litellm.telemetry = False
    litellm.disable_hf_tokenizer_download = True
    litellm.suppress_debug_info = True
    litellm.num_retries = None
    # Its embeddings take a given 0 for "not given".
    litellm.DEFAULT_MAX_RETRIES = 0
    litellm.aclient_session = httpx.AsyncClient(transport=transport(), follow_redirects=True)
    # Its first call imports the rest of it: here that blocks a thread, later it would block the event loop.
    import_module("openai.resources.chat")
    litellm.completion(model="openai/warm-up", messages=[{"role": "user", "content": "-"}], mock_response="-")
    return litellm


@lru_cache(maxsize=1)
def transport() -> "_BoundedTransport":
    """No keep-alive: calls last minutes, and a kept connection breaks when its event loop ends."""
    limits = httpx.Limits(max_keepalive_connections=0)
    return _BoundedTransport(httpx.AsyncHTTPTransport(limits=limits))


async def close_litellm() -> None:
    """Close litellm's connections, if it was loaded."""
    if _loaded.cache_info().currsize:
        await _loaded().close_litellm_async_clients()


class _ReplyTooLarge(Exception):
    """The reply has more than ``LARGEST_REPLY`` bytes."""


class _BoundedTransport(httpx.AsyncBaseTransport):
    """Stops reading a reply at ``LARGEST_REPLY`` bytes, to limit memory."""

    def __init__(self, inner: httpx.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self._inner.handle_async_request(request)
        assert isinstance(response.stream, httpx.AsyncByteStream)
        response.stream = _BoundedStream(response.stream)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


class _BoundedStream(httpx.AsyncByteStream):
    def __init__(self, inner: httpx.AsyncByteStream) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        received = 0
        async for chunk in self._inner:
            received += len(chunk)
            if received > LARGEST_REPLY:
                raise _ReplyTooLarge
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


def was_cut_off(error: BaseException) -> bool:
    """Whether a call failed because its answer had more than ``LARGEST_REPLY`` bytes."""
    return any(isinstance(cause, _ReplyTooLarge) for cause in _causes(error))


def server_status(error: BaseException) -> int | None:
    """Return the HTTP status with which the server failed a call; None if it did not answer."""
    return _status(list(_causes(error)))


def failed_call(entry: ModelEntry, key: str, error: Exception, *, tools: bool = False) -> PenwrightError:
    """The failure of a call, by status, words and headers of the answer; ``tools``: some were offered."""
    return failure_of(
        model=entry.name,
        key=entry.key_env,
        status=server_status(error),
        kind=type(error).__name__,
        message=words_of(error, key) or "nothing came in time",
        retry_after_s=retry_after(_headers(error), datetime.now(UTC)),
        tools=tools,
    )


def words_of(error: Exception, key: str) -> str:
    """The words of an error, without the key."""
    return str(getattr(error, "message", "") or error).replace(key or "\0", "[key]")


def _headers(error: Exception) -> Mapping[str, str]:
    response = getattr(error, "response", None)
    headers = getattr(error, "litellm_response_headers", None) or getattr(response, "headers", None) or {}
    return {str(name): str(value) for name, value in dict(headers).items()}


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield the error and its causes, outermost first."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def _status(causes: Sequence[BaseException]) -> int | None:
    """Return the server's HTTP status, from the innermost cause: litellm guesses its own from the message."""
    if any(isinstance(cause, httpx.TransportError) for cause in causes):
        return None
    found = [status for cause in causes if isinstance(status := getattr(cause, "status_code", None), int)]
    return found[-1] if found and found[-1] >= 400 else None
