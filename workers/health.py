"""The health endpoint of a worker process, answered on the very event loop that it tells of."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus

from penwright.errors import PermanentError
from workers.health_pages import END, HEALTHZ, LARGEST_REQUEST, Answer, Request, page, read, url
from workers.vitals import Vitals

PATIENCE_S = 5.0
"""How long a client may take to ask."""


@asynccontextmanager
async def health_endpoint(vitals: Vitals, host: str, port: int | None) -> AsyncIterator[str]:
    """Answer for ``vitals`` while the block runs; yields the address.

    Raises:
        PermanentError: ``port-taken``.
    """

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
            writer.write(await _page(vitals, reader))
            await writer.drain()
        writer.close()

    try:
        server = await asyncio.start_server(answer, host, port or 0, limit=LARGEST_REQUEST)
    except OSError as error:
        raise PermanentError(
            "port-taken",
            f"the health endpoint of the {vitals.process} process cannot listen on {host}:{port or 0}: "
            f"{error.strerror}; choose another address or port under [health]",
        ) from error
    async with server:
        yield url(host, server.sockets[0].getsockname()[1])


async def _page(vitals: Vitals, reader: asyncio.StreamReader) -> bytes:
    try:
        head = await asyncio.wait_for(reader.readuntil(END), PATIENCE_S)
    except asyncio.LimitOverrunError:
        return page(Answer(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, {"error": "the request is too long"}))
    asked = read(head)
    if not isinstance(asked, Request):
        return page(asked)
    answer = vitals.alive() if asked.path == HEALTHZ else await vitals.ready()
    return page(answer, bodiless=asked.method == "HEAD")
