"""Steering with the plain ``temporal`` program, with the inputs that docs/temporal-ui.md gives."""

import asyncio
import json
import subprocess

import pytest

from penwright.domain.book.files.layout import LOCK
from tests.support.books.running_books import RunningBook
from tests.support.engine.stand import Desk
from workers.engine.temporal import binary

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("engine")]


async def temporal(at: Desk, *words: str) -> str:
    """What the program prints; it must succeed."""
    there = ("--address", at.stand.address, "--namespace", at.stand.client.namespace)
    command = [str(binary(None, None)), "workflow", *words, *there, "-o", "json"]
    done = await asyncio.to_thread(
        subprocess.run, command, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.smoke
async def test_a_session_is_paused_resumed_and_killed_and_a_book_rolled_back(
    shared_desk: Desk, book: RunningBook
) -> None:
    run = ("--workflow-id", f"book/{book.book_id}")
    written = await shared_desk.run(book.session("s1", shared_desk.environ))
    tip = book.tip
    await shared_desk.pipelines.open(book.session("s2", shared_desk.environ, writer="outside", opener="a"))

    await temporal(shared_desk, "signal", *run, "--name", "pause")
    paused = await shared_desk.pipelines.progress(book.book_id)
    await temporal(shared_desk, "signal", *run, "--name", "resume")
    resumed = await shared_desk.pipelines.progress(book.book_id)
    await temporal(shared_desk, "signal", *run, "--name", "kill", "--input", '{"reason": "wrong chapter"}')
    killed = await shared_desk.pipelines.result(book.book_id)

    assert written.outcome == "closed"
    assert paused is not None
    assert paused.paused
    assert resumed is not None
    assert not resumed.paused
    assert (killed.outcome, killed.code, killed.stopped_by) == ("stopped", "killed", "operator")
    assert not (book.folder / LOCK).exists()
    assert book.tip != tip, "the killed session left its commits"

    given = {
        "book_id": book.book_id,
        "workspace": {"path": str(book.folder)},
        "session": "by-hand",
        "kind": "rollback",
        "repo_queue": shared_desk.environ["PENWRIGHT_WORKER__REPO_QUEUE"],
    }
    queue = shared_desk.environ["PENWRIGHT_WORKER__QUEUE"]
    start = ("execute", "--type", "BookErrand", "--task-queue", queue, *run, "--input", json.dumps(given))
    ended = json.loads(await temporal(shared_desk, *start))

    assert ended["status"] == "COMPLETED"
    assert ended["result"]["restore"] is not None
    assert book.tip == book.remote_tip == tip, "as the session of before left it"
