"""Pages change in place: after events they read again, and draw anew what differs."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from nicegui import Client
from nicegui.testing import User

from gateway.desk.runs import work_runs
from gateway.desk.scene import creating
from gateway.desk.scene.creating import NewScene
from gateway.hub import Hub
from gateway.ui import badge
from schemas.records import Event, RunRow
from schemas.worlds import World
from tests.support.each import for_each
from tests.support.gateway.services import StageServices

Note = Callable[[str], None]


def moved(book: Path) -> None:
    book.rename(book.with_name("elsewhere"))


@pytest.fixture
def note(services: StageServices) -> Note:
    """Notes a run of a book, named by its outcome, and an event of it."""
    count = 0

    def note(outcome: str) -> None:
        nonlocal count
        count += 1
        run = RunRow(run=f"book/tide#{outcome}", pipeline="book-session", subject="tide", stage="ended")
        event = Event(
            run=run.run, subject="tide", kind="ended", at=services.now(), op_id=f"{outcome}/{count}"
        )
        services.store.records.note(run.model_copy(update={"outcome": outcome}), [event])

    return note


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], None]]:
    """One entry for each time the runs were read; what a test puts in first is called after the first."""
    once: list[Callable[[], None]] = []
    read: Any = work_runs.listed

    async def listed(*given: Any, **named: Any) -> Any:
        found = await read(*given, **named)
        if len(once) == 1:
            once[0]()
        once.append(lambda: None)
        return found

    monkeypatch.setattr(work_runs, "listed", listed)
    return once


async def test_a_new_run_appears_on_an_open_page(user: User, note: Note) -> None:
    await user.open("/runs")
    await user.should_see("Nothing has run yet.", retries=100)

    note("closed")

    await user.should_see("closed", retries=100)
    await user.should_not_see("Nothing has run yet.")


@for_each("page", ["/", "/runs", "/books", "/manuscripts", "/scenes", "/spending", "/schedules"])
async def test_an_open_list_follows_what_happens_elsewhere(user: User, note: Note, page: str) -> None:
    await user.open(page)

    note("closed")

    await user.should_see("UTC: ", retries=100)


async def test_a_scene_made_elsewhere_appears_in_an_open_list(
    user: User, services: StageServices, note: Note
) -> None:
    services.store.worlds.create(World(id="", name="Skerrow"))
    await user.open("/scenes")
    await user.should_see("No scene has been created yet")

    creating.create(services, NewScene(title="Late guest", world="Skerrow"))
    note("closed")

    await user.should_see("Late guest", retries=100)


async def test_the_badge_follows_what_happens_on_an_open_page(
    user: User, note: Note, book: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(badge, "AGAIN_S", 0.0)
    await user.open("/runs")
    await user.should_see("nothing waits", retries=100)

    moved(book)
    note("closed")

    await user.should_see("1 waiting", retries=100)


async def test_what_comes_in_between_reading_and_following_is_shown(
    user: User, note: Note, readings: list[Callable[[], None]]
) -> None:
    readings.append(lambda: note("refused"))

    await user.open("/runs")

    await user.should_see("refused", retries=100)


@pytest.mark.long
async def test_a_burst_of_events_is_read_a_few_times(
    user: User, note: Note, readings: list[Callable[[], None]]
) -> None:
    await user.open("/runs")
    before = len(readings)

    for number in range(100):
        note(f"closed-{number}")
        await asyncio.sleep(0)
    await user.should_see("closed 99", retries=100)

    assert len(readings) - before <= 3


async def test_a_page_that_is_gone_follows_nothing(user: User, hub: Hub, note: Note) -> None:
    await user.open("/runs")
    note("closed")
    await user.should_see("closed", retries=100)
    assert hub.readers == 1

    assert user.client is not None
    user.client.delete()
    for _ in range(100):
        await asyncio.sleep(0)

    assert hub.readers == 0


@pytest.mark.long
async def test_a_page_whose_engine_is_away_says_so_and_keeps_what_it_shows(
    user: User, note: Note, services: StageServices
) -> None:
    note("closed")
    await user.open("/runs")
    services.runs = False

    note("refused")

    await user.should_see("What runs now is not known", retries=100)
    await user.should_see("closed", retries=100)
    services.runs = True
    await user.should_see("refused", retries=50)
    await user.should_not_see("What runs now is not known")


@pytest.mark.long
async def test_two_hundred_pages_leave_nothing(user: User, hub: Hub, note: Note, book: Path) -> None:
    await user.open("/")
    tasks = len(asyncio.all_tasks())
    await closed(user)

    for number in range(200):
        await user.open(("/", "/runs", "/books")[number % 3])
        if number % 20 == 0:
            note(f"closed-{number}")
        await closed(user)

    assert Client.instances == {}
    assert hub.readers == 0
    async with asyncio.timeout(10):  # NiceGUI's task of a page looks ten times a second whether it is over
        while len(asyncio.all_tasks()) > tasks:  # noqa: ASYNC110
            await asyncio.sleep(0.1)


async def closed(user: User) -> None:
    """Close the page, as the server does once its browser is gone."""
    assert user.client is not None
    user.client.delete()
    await asyncio.sleep(0)
