"""The server under all our HTTP: a connection that waits is not kept."""

import asyncio
from contextlib import suppress

import pytest
from starlette.responses import PlainTextResponse

from workers.http_server import listen, serving

REQUEST = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n"


async def asked(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bytes:
    """The answer to one request, on a connection that stays open."""
    writer.write(REQUEST)
    await reader.readuntil(b"\r\n\r\n")
    return await reader.readexactly(4)


async def test_a_used_connection_whose_next_request_never_ends_is_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("workers.http_server.PATIENCE_S", 1)
    listening = listen("127.0.0.1", 0)
    async with serving(PlainTextResponse("here"), listening):
        reader, writer = await asyncio.open_connection(*listening.getsockname())
        answers = [await asked(reader, writer), await asked(reader, writer)]
        async with asyncio.timeout(30):
            with suppress(ConnectionError):  # So it ends where letters were on their way.
                for letter in b"GET / HTTP/1.1\r\nx-slow: and slower still, letter by letter":
                    writer.write(bytes([letter]))
                    await asyncio.sleep(0.03)
                await reader.read()
        writer.close()

    assert answers == [b"here", b"here"]


async def test_a_connection_that_is_used_again_and_again_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.http_server.PATIENCE_S", 1)
    listening = listen("127.0.0.1", 0)
    async with serving(PlainTextResponse("here"), listening):
        reader, writer = await asyncio.open_connection(*listening.getsockname())
        for _ in range(6):
            assert await asked(reader, writer) == b"here"
            await asyncio.sleep(0.25)
        writer.close()
