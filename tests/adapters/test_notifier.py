"""Notices reach each channel once, and say which channel failed."""

import hashlib
import hmac
import json
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from penwright.adapters.clock import SystemClock
from penwright.adapters.memory_store import MemoryNotices
from penwright.adapters.notifier import ChannelNotifier, Channels


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


def tell(notifier: ChannelNotifier, key: str = "k1") -> tuple[str, ...]:
    return notifier.notify(title="Done", body="The book is sealed.", key=key, data={"words": 9})


def test_a_webhook_gets_the_notice_with_a_signature_it_can_check(mailbox: Mailbox) -> None:
    channels = Channels(webhook_url=mailbox.url, webhook_secret="s3cret")

    failed = tell(ChannelNotifier(channels, MemoryNotices(clock=SystemClock())))

    [(body, signature)] = mailbox.received
    assert failed == ()
    assert json.loads(body)["data"] == {"words": 9}
    assert signature == "sha256=" + hmac.new(b"s3cret", body.encode(), hashlib.sha256).hexdigest()


def test_a_repeated_notice_is_sent_once(mailbox: Mailbox) -> None:
    notifier = ChannelNotifier(Channels(webhook_url=mailbox.url), MemoryNotices(clock=SystemClock()))

    assert (tell(notifier), tell(notifier)) == ((), ())
    assert len(mailbox.received) == 1


def test_a_failed_channel_is_named_and_only_it_is_retried(mailbox: Mailbox, tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    listen = f"import sys; open({str(heard)!r}, 'a').write(sys.stdin.read() + chr(10))"
    mailbox.statuses = [500]
    channels = Channels(webhook_url=mailbox.url, command=(sys.executable, "-c", listen))
    notifier = ChannelNotifier(channels, MemoryNotices(clock=SystemClock()))

    assert tell(notifier) == ("webhook",)
    assert tell(notifier) == ()
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


def test_an_unreadable_apprise_address_is_named() -> None:
    assert tell(
        ChannelNotifier(Channels(apprise_urls=("nonsense",)), MemoryNotices(clock=SystemClock()))
    ) == ("apprise-1",)
