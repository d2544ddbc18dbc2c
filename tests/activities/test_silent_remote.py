"""A remote that accepts and never answers costs a session one wait, not one for each of its steps."""

import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from penwright.adapters.workspace import GitWorkspaces
from schemas.book_session import PushBook
from schemas.workspace import SILENT, Pushed
from tests.activities.test_two_machines import Machine, machine
from tests.support.books.running_books import lay_out

TIMEOUT_S = 1.0


@dataclass
class Silent:
    """The remote; it keeps every connection open."""

    port: int
    asked: list[socket.socket] = field(default_factory=list)


@pytest.fixture
def silent() -> Iterator[Silent]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        remote = Silent(listening.getsockname()[1])

        def accept() -> None:
            while True:
                try:
                    remote.asked.append(listening.accept()[0])
                except OSError:
                    return

        thread = threading.Thread(target=accept)
        thread.start()
        yield remote
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()
        for each in remote.asked:
            each.close()


@pytest.fixture
def desk(tmp_path: Path, silent: Silent) -> Machine:
    made = machine("desk", lay_out(tmp_path / "desk", "tide", target=100_000))
    made.book.git("remote", "set-url", "origin", f"git://127.0.0.1:{silent.port}/tide")
    workspaces = made.activities.workspaces
    assert isinstance(workspaces, GitWorkspaces)
    impatient = replace(workspaces, network_timeout_s=TIMEOUT_S)
    return replace(made, activities=replace(made.activities, workspaces=impatient))


def pushed(desk: Machine, **more: object) -> Pushed:
    return desk.activities.push_book(PushBook.model_validate(desk.request("s1", 2, **more)))


def test_a_remote_that_was_silent_at_the_opening_is_not_pushed_to(desk: Machine, silent: Silent) -> None:
    opened = desk.opens("s1")
    asked = len(silent.asked)

    done = pushed(desk, remote_silent=opened.remote_silent)

    assert (opened.verdict, opened.remote_silent, asked) == ("open", True, 1)
    assert len(silent.asked) == asked
    assert (done.outcome, done.code) == ("pending", SILENT)
    assert any("the push waits" in warning for warning in opened.warnings)


def test_a_push_that_hangs_is_pending_after_one_wait(desk: Machine, silent: Silent) -> None:
    began = time.monotonic()

    done = pushed(desk)

    assert (done.outcome, done.code) == ("pending", SILENT)
    assert len(silent.asked) == 1
    assert time.monotonic() - began < 10 * TIMEOUT_S


def test_a_lock_that_hangs_on_its_way_makes_the_remote_silent(tmp_path: Path, silent: Silent) -> None:
    """The remote answers the fetch and keeps silent at the push of the lock."""
    desk = machine("desk", lay_out(tmp_path / "desk", "tide", target=100_000))
    desk.book.git("config", "remote.origin.pushurl", f"git://127.0.0.1:{silent.port}/tide")
    workspaces = desk.activities.workspaces
    assert isinstance(workspaces, GitWorkspaces)
    impatient = replace(workspaces, network_timeout_s=TIMEOUT_S)

    opened = replace(desk, activities=replace(desk.activities, workspaces=impatient)).opens("s1")

    assert (opened.verdict, opened.remote_silent, len(silent.asked)) == ("open", True, 1)
