"""Notices reach each channel once, and say which channel failed."""

import hashlib
import hmac
import json
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Event, Thread

import pytest

from penwright.adapters import notifier
from penwright.adapters.clock import SystemClock
from penwright.adapters.notifier import ChannelNotifier, Channels
from tests.support.doubles.store import MemoryNotices


class Mailbox(HTTPServer):
    """A webhook receiver that answers with the statuses it was given, then 200."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Receive)
        self.statuses: list[int] = []
        self.received: list[tuple[str, str]] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/hook"


class _Receive(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        mailbox = self.server
        assert isinstance(mailbox, Mailbox)
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        mailbox.received.append((body, self.headers.get("x-penwright-signature", "")))
        self.send_response(mailbox.statuses.pop(0) if mailbox.statuses else 200)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Keep the test output clean."""


@pytest.fixture
def mailbox() -> Iterator[Mailbox]:
    server = Mailbox()
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def tell(sender: ChannelNotifier, key: str = "k1") -> tuple[str, ...]:
    return sender.notify(title="Done", body="The book is sealed.", key=key, data={"words": 9})


def test_a_webhook_gets_the_notice_with_a_signature_it_can_check(mailbox: Mailbox) -> None:
    channels = Channels(webhook_url=mailbox.url, webhook_secret="s3cret")

    failed = tell(ChannelNotifier(channels, MemoryNotices(clock=SystemClock())))

    [(body, signature)] = mailbox.received
    assert failed == ()
    assert json.loads(body)["data"] == {"words": 9}
    assert signature == "sha256=" + hmac.new(b"s3cret", body.encode(), hashlib.sha256).hexdigest()


def test_a_repeated_notice_is_sent_once(mailbox: Mailbox) -> None:
    sender = ChannelNotifier(Channels(webhook_url=mailbox.url), MemoryNotices(clock=SystemClock()))

    assert (tell(sender), tell(sender)) == ((), ())
    assert len(mailbox.received) == 1


def test_a_failed_channel_is_named_and_only_it_is_retried(mailbox: Mailbox, tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    listen = f"import sys; open({str(heard)!r}, 'a').write(sys.stdin.read() + chr(10))"
    mailbox.statuses = [500]
    channels = Channels(webhook_url=mailbox.url, command=(sys.executable, "-c", listen))
    sender = ChannelNotifier(channels, MemoryNotices(clock=SystemClock()))

    assert tell(sender) == ("webhook",)
    assert tell(sender) == ()
    assert len(mailbox.received) == 2
    assert len(heard.read_text().splitlines()) == 1


@pytest.mark.parametrize("command", [("/no/such/program",), (sys.executable, "-c", "raise SystemExit(3)")])
def test_a_command_that_fails_is_named(command: tuple[str, ...]) -> None:
    assert tell(ChannelNotifier(Channels(command=command), MemoryNotices(clock=SystemClock()))) == (
        "command",
    )


def test_an_unreachable_webhook_is_named() -> None:
    assert tell(
        ChannelNotifier(Channels(webhook_url="http://127.0.0.1:9/"), MemoryNotices(clock=SystemClock()))
    ) == ("webhook",)


def test_a_webhook_that_answers_by_drops_is_given_up_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notifier, "WEBHOOK_TIMEOUT_S", 0.5)
    with dripping_server() as url:
        begun = time.monotonic()
        failed = tell(ChannelNotifier(Channels(webhook_url=url), MemoryNotices(clock=SystemClock())))

    assert failed == ("webhook",)
    assert time.monotonic() - begun < 5


@contextmanager
def dripping_server() -> Iterator[str]:
    """A server that sends a byte now and then, and never an answer."""
    done = Event()
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def drip() -> None:
            connection, _ = listening.accept()
            with connection, suppress(OSError):
                while not done.wait(0.1):
                    connection.sendall(b"H")

        thread = Thread(target=drip)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/"
        done.set()
        thread.join()


def test_an_unreadable_apprise_address_is_named() -> None:
    assert tell(
        ChannelNotifier(Channels(apprise_urls=("nonsense",)), MemoryNotices(clock=SystemClock()))
    ) == ("apprise-1",)
