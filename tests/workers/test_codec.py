"""Encryption of histories, and the server that lets the UI read them."""

import asyncio
import base64
import json
import os
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest
from google.protobuf.json_format import MessageToDict
from hypothesis import given
from hypothesis import strategies as st
from temporalio.api.common.v1 import Payload, Payloads
from temporalio.client import Client, WorkflowFailureError
from temporalio.testing import WorkflowEnvironment
from temporalio.worker import Worker

from penwright.adapters.sealing import Keys, key_id
from penwright.errors import PermanentError, UsageMistake
from tests.workers.probes import Echo
from workers.failures import as_error
from workers.http_server import serving
from workers.payloads.codec import Cipher, cipher
from workers.payloads.codec_server import CodecServer, open_server
from workers.payloads.conversion import converter
from workers.settings import Settings, load
from workers.temporal_plugin import PLUGIN

KEY, OTHER = bytes(range(32)), bytes(reversed(range(32)))
UI = "http://127.0.0.1:8233"
QUEUE = "codec"


def settings(**environ: str) -> Settings:
    """Settings from these variables alone."""
    return load({"PENWRIGHT_CONFIG": "", **environ}).settings


def text(key: bytes) -> str:
    """A key in the format of the environment variable."""
    return base64.b64encode(key).decode()


@given(data=st.binary(max_size=300), encoding=st.sampled_from([b"json/plain", b"binary/plain"]))
async def test_an_encrypted_payload_is_decrypted_unchanged(data: bytes, encoding: bytes) -> None:
    codec, payload = Cipher(Keys([KEY])), Payload(metadata={"encoding": encoding}, data=data)

    [sealed] = await codec.encode([payload])
    [opened] = await codec.decode([sealed])

    assert opened == payload
    assert len(data) < 4 or data not in sealed.data


async def test_an_unencrypted_payload_is_read_unchanged() -> None:
    plain = Payload(metadata={"encoding": b"json/plain"}, data=b'"words"')

    assert await Cipher(Keys([KEY])).decode([plain]) == [plain]


async def test_an_old_key_still_decrypts_after_a_change() -> None:
    plain = Payload(metadata={"encoding": b"json/plain"}, data=b'"words"')
    sealed = await Cipher(Keys([KEY])).encode([plain])
    changed = cipher(
        settings(PENWRIGHT_ENCRYPTION_KEY=text(OTHER), PENWRIGHT_ENCRYPTION_OLD_KEYS=json.dumps([text(KEY)]))
    )

    assert changed is not None
    assert await changed.decode(sealed) == [plain]


async def test_with_old_keys_alone_nothing_is_encrypted_and_what_was_is_read() -> None:
    plain = Payload(metadata={"encoding": b"json/plain"}, data=b'"words"')
    sealed = await Cipher(Keys([KEY])).encode([plain])
    ended = cipher(settings(PENWRIGHT_ENCRYPTION_OLD_KEYS=json.dumps([text(KEY)])))

    assert ended is not None
    assert await ended.decode(sealed) == [plain]
    assert await ended.encode([plain]) == [plain]


async def test_a_missing_key_and_a_damaged_payload_have_different_codes() -> None:
    sealed = await Cipher(Keys([KEY])).encode([Payload(data=b"words")])
    damaged = Payload(metadata=dict(sealed[0].metadata), data=sealed[0].data[:-1] + b"!")

    with pytest.raises(UsageMistake) as missing:
        await Cipher(Keys([OTHER])).decode(sealed)
    with pytest.raises(UsageMistake) as broken:
        await Cipher(Keys([KEY])).decode([damaged])

    assert (missing.value.code, broken.value.code) == ("encryption-key-unknown", "payload-damaged")


@pytest.mark.parametrize("key", ["short", "not base64 at all!", text(KEY[:16])])
def test_an_invalid_key_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(UsageMistake) as caught:
        cipher(settings(PENWRIGHT_ENCRYPTION_KEY=key))

    assert caught.value.code == "encryption-key-invalid"
    assert key not in caught.value.message


async def test_without_a_key_nothing_is_encrypted_and_what_is_names_its_key() -> None:
    plain = Payload(metadata={"encoding": b"json/plain"}, data=b'"words"')
    sealed = await Cipher(Keys([KEY])).encode([plain])
    converting = converter()

    assert cipher(settings()) is None
    assert await converting.encode(["words"]) == [plain]
    assert await converting.decode([plain]) == ["words"]
    with pytest.raises(UsageMistake, match=key_id(KEY)) as unknown:
        await converting.decode(sealed)
    assert unknown.value.code == "encryption-key-unknown"


async def test_an_encrypted_history_holds_no_values_or_error_texts(
    temporal_env: WorkflowEnvironment,
) -> None:
    data_converter = converter(codec=Cipher(Keys([KEY])))
    client = Client(temporal_env.client.service_client, data_converter=data_converter, plugins=[PLUGIN])

    async with Worker(client, task_queue=QUEUE, workflows=[Echo]):
        said = await client.execute_workflow(Echo.run, "whisper", id="echo", task_queue=QUEUE)
        with pytest.raises(WorkflowFailureError) as caught:
            await client.execute_workflow(Echo.run, "fail whisper", id="failing", task_queue=QUEUE)

    assert said == "whisper"
    error = as_error(caught.value)
    assert error is not None
    assert (error.code, error.message) == ("no", "fail whisper")
    for name, words in (("echo", b'"whisper"'), ("failing", b'"fail whisper"')):
        stored = (await client.get_workflow_handle(name).fetch_history()).to_json()
        assert "whisper" not in stored
        assert base64.b64encode(words).decode() not in stored


@pytest.fixture
def server() -> Iterator[CodecServer]:
    """A codec server on a port of its own."""
    running = open_server(settings(PENWRIGHT_ENCRYPTION_KEY=text(KEY)), port=0, ui=UI)
    loop, stopped = asyncio.new_event_loop(), asyncio.Event()

    async def serve() -> None:
        async with serving(running.app, running.listening):
            await stopped.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    yield running
    loop.call_soon_threadsafe(stopped.set)
    thread.join()
    loop.close()


def asked(
    server: CodecServer, path: str, body: object, *, origin: str = UI, method: str = "POST"
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and body of one answer."""
    request = urllib.request.Request(
        server.url + path, data=json.dumps(body).encode(), headers={"Origin": origin}, method=method
    )
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return answer.status, dict(answer.headers), answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), error.read()


async def test_the_ui_may_decrypt(server: CodecServer) -> None:
    plain = Payload(metadata={"encoding": b"json/plain"}, data=b'"words"')
    sealed = Payloads(payloads=await Cipher(Keys([KEY])).encode([plain]))

    status, headers, body = asked(server, "/decode", MessageToDict(sealed))

    assert (status, headers["access-control-allow-origin"]) == (200, UI)
    assert json.loads(body) == MessageToDict(Payloads(payloads=[plain]))


def test_the_codec_server_decodes_its_own_output(server: CodecServer) -> None:
    given = MessageToDict(Payloads(payloads=[Payload(metadata={"encoding": b"json/plain"}, data=b"1")]))

    sealed = json.loads(asked(server, "/encode", given)[2])

    assert sealed != given
    assert json.loads(asked(server, "/decode", sealed)[2]) == given


def test_the_codec_server_allows_requests_of_the_ui(server: CodecServer) -> None:
    status, headers, _ = asked(server, "/decode", {}, method="OPTIONS")

    assert status == 204
    assert "content-type" in headers["access-control-allow-headers"]


@pytest.mark.parametrize(
    ("path", "body", "origin", "status"),
    [
        ("/decode", {"payloads": []}, "http://evil.example", 403),
        ("/elsewhere", {"payloads": []}, UI, 404),
        ("/decode", {"payloads": "none"}, UI, 400),
        ("/decode", [1], UI, 400),
    ],
)
def test_bad_requests_are_answered(
    server: CodecServer, path: str, body: object, origin: str, status: int
) -> None:
    found, headers, _ = asked(server, path, body, origin=origin)

    assert found == status
    assert ("access-control-allow-origin" in headers) == (origin == UI)


@pytest.mark.parametrize(
    "body",
    [b"", b"null", b"5", b"{", b"\xff", b"[" * 100_000, b'{"payloads":5}', b'{"payloads":[{"data":5}]}'],
)
def test_a_malformed_body_is_answered_in_one_line_and_logs_no_traceback(
    server: CodecServer, body: bytes, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    request = urllib.request.Request(f"{server.url}/decode", data=body, method="POST")

    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=5)

    with refused.value as answer:
        said = json.loads(answer.read())["error"]
    assert (refused.value.code, said.count("\n")) == (400, 0)
    assert said.startswith("the body is not a list of payloads: ")
    assert not [record for record in caplog.records if record.exc_info]
    assert "Traceback" not in "".join(capfd.readouterr())


def test_a_program_that_hangs_up_in_the_middle_of_its_request_logs_no_traceback(
    server: CodecServer, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with socket.create_connection(server.listening.getsockname(), timeout=5) as half:
        half.sendall(b"POST /decode HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")

    assert asked(server, "/decode", {"payloads": []})[0] == 200
    assert not [record for record in caplog.records if record.exc_info]
    assert "Traceback" not in "".join(capfd.readouterr())


def test_a_payload_under_another_key_names_the_problem(server: CodecServer) -> None:
    foreign = Payload(
        metadata={"encoding": b"binary/encrypted", "encryption-key-id": b"nobody"}, data=os.urandom(40)
    )

    status, _, body = asked(server, "/decode", MessageToDict(Payloads(payloads=[foreign])))

    assert (status, json.loads(body)["code"]) == (422, "encryption-key-unknown")


def test_a_codec_server_needs_a_key_and_a_free_port(server: CodecServer) -> None:
    with pytest.raises(UsageMistake) as off:
        open_server(settings(), port=0, ui=None)
    with pytest.raises(PermanentError) as taken:
        open_server(
            settings(PENWRIGHT_ENCRYPTION_KEY=text(KEY)), port=server.listening.getsockname()[1], ui=None
        )

    assert (off.value.code, taken.value.code) == ("encryption-off", "port-taken")
