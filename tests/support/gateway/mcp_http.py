"""A client's way to the tools over HTTP, with the token of the server."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

TOKEN = "a-token-that-nobody-guesses"
BEARER = {"authorization": f"Bearer {TOKEN}"}


@asynccontextmanager
async def known_client(url: str) -> AsyncIterator[Any]:  # Any: the SDK's pair of streams
    """The transport of a client that sends ``TOKEN``."""
    async with (
        create_mcp_http_client(headers=BEARER) as client,
        streamable_http_client(url, http_client=client) as streams,
    ):
        yield streams
