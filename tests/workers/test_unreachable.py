"""Why Temporal cannot be reached, in words for people."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from temporalio.service import RPCError, RPCStatusCode

from penwright.errors import EngineUnavailable, UsageMistake
from workers import client
from workers.client import connect
from workers.settings import Settings, load

INSIDES = ("tonic", "Error(", "Status {", "Kind", "hyper")


def at(address: str, folder: Path) -> Settings:
    environ = {"PENWRIGHT_CONFIG": "", "PENWRIGHT_HOME": str(folder), "TEMPORAL_ADDRESS": address}
    return load(environ).settings


@asynccontextmanager
async def closing() -> AsyncIterator[str]:
    """A server that is stopping: it closes every connection."""

    async def close(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with await asyncio.start_server(close, "127.0.0.1") as server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def refusal(address: str, folder: Path) -> str:
    with pytest.raises(EngineUnavailable) as caught:
        await connect(at(address, folder))
    assert caught.value.code == "engine-unreachable"
    assert not [part for part in INSIDES if part in caught.value.message]
    return caught.value.message


async def test_a_port_on_which_nothing_listens_is_told_in_plain_words(tmp_path: Path) -> None:
    assert "nothing listens there" in await refusal("127.0.0.1:1", tmp_path)


async def test_a_server_that_is_stopping_is_told_in_plain_words(tmp_path: Path) -> None:
    async with closing() as address:
        said = await refusal(address, tmp_path)

    assert "the connection was closed" in said


async def test_what_is_no_address_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageMistake) as caught:
        await connect(at("no port", tmp_path))

    assert caught.value.code == "bad-address"


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (RPCError("namespace is gone", RPCStatusCode.PERMISSION_DENIED, b""), "'namespace is gone'"),
        (RuntimeError('Status { code: Internal, message: "no room" }'), "'no room'"),
        (RuntimeError("invalid peer certificate: UnknownIssuer"), "certificate is not trusted"),
        (RuntimeError("?"), "the connection failed"),
    ],
)
def test_what_a_server_says_is_quoted(error: Exception, said: str) -> None:
    assert said in client.reason(error)
