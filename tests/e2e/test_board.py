"""Twelve scheduled books, of which five need a person: read from `book list` alone, on a real engine."""

import asyncio
import contextlib
import io
import json
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from temporalio.client import (
    ScheduleActionExecutionStartWorkflow,
    ScheduleHandle,
    WorkflowFailureError,
)
from typer.main import get_command

from gateway.cli import output
from gateway.cli import program as cli
from gateway.desk.engine.pipelines import Timetable
from gateway.desk.engine.temporal.schedules import TemporalSchedules
from gateway.desk.installed_services import InstalledServices
from penwright.domain.book.files.fresh_files import FRESH_STATE
from penwright.domain.book.files.layout import CONFIG, STATE
from penwright.domain.book.identity import workflow_id
from penwright.domain.intents.registry import REGISTRY
from schemas.records import BookRow
from tests.support.books.running_books import NARROW, RunningBook, lay_out
from tests.support.engine.stand import Desk

pytestmark = [pytest.mark.server, pytest.mark.xdist_group("engine")]

QUIET = 7
POLL_S = 0.1
DAILY = Timetable(every=timedelta(days=1))
PATIENCE_S = 120


class Shelf:
    """Twelve books, each with a schedule, and the commands that look at them."""

    def __init__(self, at: Desk, folder: Path) -> None:
        self.at = at
        self.series = f"shelf-{uuid4().hex[:6]}"
        self.schedules = TemporalSchedules(at.stand.client, at.environ["PENWRIGHT_WORKER__QUEUE"])
        names = ("refused", "paused", "asking", "cut-off", "gone", *(f"quiet-{n}" for n in range(QUIET)))
        self.books = {name: self._laid_out(folder / name, name) for name in names}

    def _laid_out(self, folder: Path, name: str) -> RunningBook:
        book_id = f"{self.series}-{name}"
        state = {STATE: f"{FRESH_STATE}book_id: {book_id}\n"}
        book = lay_out(folder, book_id, target=1000, files=state)
        row = BookRow(
            book_id=book.book_id,
            path=str(book.folder),
            title=name,
            queue=self.at.environ["PENWRIGHT_WORKER__REPO_QUEUE"],
        )
        self.at.stand.store.records.register(row)
        return book

    async def schedule(self) -> None:
        """Every book is written once a day."""
        for book in self.books.values():
            await self.schedules.put(book.session("scheduled", self.at.environ), DAILY)

    async def trigger(self, *names: str) -> None:
        """The schedules of these books start a session each, now."""
        client = self.at.stand.client
        handles = [client.get_schedule_handle(workflow_id(self.books[name].book_id)) for name in names]
        await asyncio.gather(*(handle.trigger() for handle in handles))

    async def ended(self, *names: str) -> None:
        """Wait until the scheduled session of each of these has ended."""
        for name in names:
            handle = self.at.stand.client.get_schedule_handle(workflow_id(self.books[name].book_id))
            started = partial(_started, handle)
            await until(started)
            action = (await handle.describe()).info.recent_actions[-1].action
            assert isinstance(action, ScheduleActionExecutionStartWorkflow)
            run = self.at.stand.client.get_workflow_handle(
                action.workflow_id, run_id=action.first_execution_run_id
            )
            with contextlib.suppress(WorkflowFailureError):
                await run.result()

    async def run(self, *words: str) -> str:
        """The output of a `penwright` command."""
        return await asyncio.to_thread(_printed, self.at.environ, words)

    async def listed(self, *options: str) -> dict[str, dict[str, Any]]:  # Any: JSON
        """The lines of this series' books, by their short names."""
        books = json.loads(await self.run("book", "list", "--json", *options))["books"]
        begin = f"{self.series}-"
        return {
            line["book_id"].removeprefix(begin): line for line in books if line["book_id"].startswith(begin)
        }


async def until(reached: Callable[[], Awaitable[bool]]) -> None:
    """Ask again and again, for lists of the engine are a little late."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            if await reached():
                return
            await asyncio.sleep(POLL_S)


async def _started(handle: ScheduleHandle) -> bool:
    return bool((await handle.describe()).info.recent_actions)


def _printed(environ: dict[str, str], words: Sequence[str]) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        output.run(get_command(cli.app), "penwright", words, obj=InstalledServices(environ))
    return printed.getvalue()


@pytest.fixture
async def shelf(shared_desk: Desk, tmp_path: Path) -> Shelf:
    """One refused, one paused, one waiting for approval, one with a dead remote, one gone, seven well."""
    made = Shelf(shared_desk, tmp_path)
    books = made.books
    asking, refused, cut_off = books["asking"], books["refused"], books["cut-off"]
    asking.write(REGISTRY, NARROW)
    asking.commit("Only the review")
    assert (await shared_desk.run(asking.session("s1", shared_desk.environ))).outcome == "closed"
    refused.write(CONFIG, "target_length: [")
    refused.commit("Break it")
    cut_off.git("remote", "set-url", "origin", str(tmp_path / "no-such-remote.git"))
    books["gone"].folder.rename(tmp_path / "elsewhere")
    await made.schedule()
    await shared_desk.pipelines.open(
        books["paused"].session("s1", shared_desk.environ, writer="outside", opener="agent")
    )
    await shared_desk.pipelines.signal(books["paused"].book_id, "pause")
    await made.trigger(*(name for name in books if name != "paused"))
    await made.ended(*(name for name in books if name not in ("paused", "asking")))

    async def is_asked() -> bool:
        return await shared_desk.pipelines.pending(asking.book_id) is not None

    await until(is_asked)
    return made


async def test_the_board_of_twelve_books_names_the_five_that_need_a_person(
    shelf: Shelf, tmp_path: Path
) -> None:
    async def five_wait() -> bool:
        return len(await shelf.listed("--attention")) == 5

    await until(five_wait)
    waiting = await shelf.listed("--attention")
    told = {name: (line["state"], line["attention"][0]) for name, line in waiting.items()}
    assert {name: state for name, (state, _) in told.items()} == {
        "refused": "refused",
        "paused": "paused",
        "asking": "waits for approval",
        "cut-off": "idle",
        "gone": "gone",
    }
    reasons = {name: one["reason"] for name, (_, one) in told.items()}
    assert "config" in reasons["refused"].lower()
    assert "by a person" in reasons["paused"]
    assert "Waiting for approval until" in reasons["asking"]
    assert reasons["cut-off"].startswith("not on the remote since ")
    assert "is not there" in reasons["gone"]
    commands = {name: one["command"].replace(f"{shelf.series}-", "") for name, (_, one) in told.items()}
    assert commands == {
        "refused": "penwright book doctor refused",
        "paused": "penwright book resume paused",
        "asking": "penwright intent pending asking",
        "cut-off": "penwright book doctor cut-off",
        "gone": "penwright book move gone NEW_FOLDER",
    }
    every = await shelf.listed()
    assert len(every) == 12
    assert all(line["schedule"] == "on" and line["next_run"] for line in every.values())
    quiet = [line for name, line in every.items() if name.startswith("quiet")]
    assert {(line["state"], line["push"], line["waiting"]) for line in quiet} == {("idle", "pushed", 100)}
    text = await shelf.run("book", "list", "--attention")
    for name in waiting:
        assert f"{shelf.series}-{name}: {every[name]['state']}" in text
    assert f"{shelf.series}-quiet" not in text
    await settled(shelf, tmp_path)


async def settled(shelf: Shelf, tmp_path: Path) -> None:
    """The commands that the board named leave no book on it."""
    books = shelf.books
    gone, cut_off, refused = books["gone"].book_id, books["cut-off"], books["refused"]
    await shelf.run("book", "move", gone, str(tmp_path / "elsewhere"))
    cut_off.git("remote", "set-url", "origin", str(cut_off.remote))
    refused.git("revert", "--no-edit", "HEAD")
    await shelf.run("intent", "approve", books["asking"].book_id)
    await shelf.run("book", "kill", books["paused"].book_id, "--reason", "no need")
    await shelf.trigger("gone", "cut-off", "refused")

    async def all_rest() -> bool:
        states = {name: line["state"] for name, line in (await shelf.listed()).items()}
        return states.pop("paused") == "killed" and set(states.values()) == {"idle"}

    await until(all_rest)
    assert await shelf.listed("--attention") == {}
