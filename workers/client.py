"""Connect to Temporal: the embedded server, an address, or a profile with mTLS or an API key."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from types import MappingProxyType
from typing import Any

from temporalio.client import Client, Interceptor, Plugin
from temporalio.envconfig import ClientConfig
from temporalio.runtime import Runtime
from temporalio.service import GrpcCompression, RPCError

from penwright.errors import EngineUnavailable, UsageMistake
from penwright.ports.blobs import Blobs
from workers.home.address import address
from workers.orders.key_file import read_key
from workers.payloads.codec import cipher
from workers.payloads.conversion import converter
from workers.payloads.values import outside_storage
from workers.settings import Settings

CONNECT_TIMEOUT = timedelta(seconds=5)
NEARBY = ("127.", "localhost", "[::1]", "::1")
_WORDS: Mapping[str, str] = MappingProxyType(
    {
        "ConnectionRefused": "nothing listens there",
        "Timeout": "it gave no answer in time",
        "timed out": "it gave no answer in time",
        "dns error": "no such host is known",
        "certificate": "its certificate is not trusted",
        "InvalidMessage": "it does not speak TLS",
        "Http2": "it is no Temporal server, or wants TLS",
        "http2": "it is no Temporal server, or wants TLS",
        "transport": "the connection was closed; it may be starting or stopping",
        "operation was canceled": "the connection was closed; it may be starting or stopping",
    }
)
"""Substring of the client's error -> its meaning; the first match counts."""
_SAID = re.compile(r'message: "([^"]+)"')


async def connect(
    settings: Settings,
    *,
    blobs: Callable[[], Blobs] | None = None,
    interceptors: Sequence[Interceptor] = (),
    plugins: Sequence[Plugin] = (),
    runtime: Runtime | None = None,
) -> Client:
    """Connect a client to the engine of ``settings``.

    Args:
        blobs: opens the store of payloads over 64 KB; a client without it can neither send nor read one.
        plugins: a worker's; a client that only starts and asks needs none, and loads no worker wiring.

    Raises:
        EngineUnavailable: Temporal does not answer.
        UsageMistake: the profile does not exist or cannot be read, or the address is none.
        PermanentError: the key of orders cannot be used.
    """
    target = connection(settings)
    host = target.get("target_host") or ""
    codec = cipher(settings)
    if key := read_key(settings):
        # Imported here: most engines sign nothing.
        from workers.orders.sending import SignOrders

        interceptors = [*interceptors, SignOrders(key, codec)]
    try:
        return await Client.connect(
            **target,
            plugins=plugins,
            interceptors=list(interceptors),
            data_converter=converter(codec=codec, storage=outside_storage(blobs) if blobs else None),
            # On the same machine, compressing costs five times the time that it saves.
            grpc_compression=GrpcCompression.NONE if host.startswith(NEARBY) else GrpcCompression.GZIP,
            connect_timeout=CONNECT_TIMEOUT,
            runtime=runtime,
        )
    except (RuntimeError, RPCError) as error:
        raise EngineUnavailable(
            "engine-unreachable",
            f"Temporal does not answer at {host!r}: {reason(error)}; check it with `penwright status`",
        ) from error
    except ValueError as error:
        raise UsageMistake(
            "bad-address", f"{host!r} is no address of Temporal ({error}); write one such as 'localhost:7233'"
        ) from error


def connection(settings: Settings) -> dict[str, Any]:  # Any: keyword arguments of ``Client.connect``
    """Return target, namespace and credentials as keyword arguments of ``Client.connect``."""
    if settings.embeds_temporal:
        found = address(settings)
        return {"target_host": found.temporal, "namespace": found.namespace}
    engine = settings.engine
    try:
        profile: dict[str, Any] = dict(
            ClientConfig.load_client_connect_config(
                profile=engine.profile,
                config_file=str(engine.profile_file) if engine.profile_file else None,
                disable_file=engine.profile is None and engine.profile_file is None,
            )
        )
    except (RuntimeError, ValueError, OSError) as error:
        raise UsageMistake(
            "temporal-profile-unreadable",
            f"the Temporal profile {engine.profile or 'default'!r} cannot be used: {error}; correct it",
        ) from error
    if engine.address is not None:
        profile["target_host"] = engine.address
    if engine.namespace != "default" or "namespace" not in profile:
        profile["namespace"] = engine.namespace
    return profile


def reason(error: Exception) -> str:
    """Say why it could not be reached; what a server itself answered is quoted."""
    text = str(error)
    known = next((words for part, words in _WORDS.items() if part in text), "")
    if known:
        return known
    if isinstance(error, RPCError):
        return f"it answered {error.message!r}"
    said = _SAID.search(text)
    return f"it answered {said[1]!r}" if said else "the connection failed"
