"""The secret in a remote's address reaches the remote, and no list of processes."""

import threading
from base64 import b64encode
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from penwright.adapters.workspace.git.configured_programs import Setting
from penwright.adapters.workspace.git.remote_secrets import hidden
from tests.support.books.repos import ENGINE, KNOWN, Book, add_remote, git, make_repository

SECRET = "t0ken-of-ada"


class Server(ThreadingHTTPServer):
    """A remote that refuses, and notes who asks and which arguments run meanwhile."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Refusing)
        self.authorized: list[str] = []
        self.arguments: list[str] = []


class Refusing(BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        self.server.arguments += _arguments()
        given = self.headers.get("Authorization", "")
        self.server.authorized.append(given)
        self.send_response(404 if given else 401)
        self.send_header("WWW-Authenticate", 'Basic realm="books"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


def _arguments() -> Iterator[str]:
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            yield each.read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
        except OSError:
            continue  # it has ended


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as made:
        thread = threading.Thread(target=made.serve_forever)
        thread.start()
        yield made
        made.shutdown()
        thread.join()


@pytest.mark.parametrize(
    ("user", "sent"), [(f"ada:{SECRET}", f"ada:{SECRET}"), (SECRET, f"{SECRET}:"), (f"a%40b:{SECRET}", None)]
)
def test_a_token_is_sent_to_the_remote_and_is_in_no_arguments(
    tmp_path: Path, server: Server, user: str, sent: str | None
) -> None:
    book = Book(make_repository(tmp_path / "book"))
    add_remote(book.folder, tmp_path / "remote.git")
    place = f"127.0.0.1:{server.server_port}/book.git"
    git(book.folder, "remote", "set-url", "origin", f"http://{user}@{place}")

    book.port.sync(book.workspace, book.effect(), known=KNOWN, engine=ENGINE)
    book.port.push(book.workspace, book.effect())

    asking = [each for each in server.arguments if place in each]
    assert asking, "a git that asks the remote was seen"
    assert not [each for each in server.arguments if SECRET in each]
    basic = b64encode((sent or f"a@b:{SECRET}").encode()).decode()
    assert f"Basic {basic}" in server.authorized


@pytest.mark.parametrize(
    "address", ["https://host/x.git", "/home/ada/x.git", "ssh://ada@host/x.git", "ada@host:x.git", "http://["]
)
def test_other_addresses_are_left_alone(address: str) -> None:
    assert hidden([Setting(True, "remote.origin.url", address)]) == {}
