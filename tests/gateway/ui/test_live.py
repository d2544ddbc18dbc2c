"""Pages change in place: they follow what happens elsewhere, and draw anew what differs."""

import asyncio
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from nicegui import Client
from nicegui.testing import User, UserInteraction

from gateway.desk.runs import work_runs
from gateway.desk.scene import creating
from gateway.desk.scene.creating import NewScene
from gateway.hub import Hub
from gateway.ui import badge, live
from gateway.ui.app import PAGES
from gateway.ui.parts.shared.words import WordsField
from penwright.adapters.models.lesson_files import LessonFiles
from penwright.domain.book.files.layout import FULL_BOOK
from penwright.domain.manuscript.layout import scene_path
from schemas.records import Event, RunRow
from schemas.worlds import Character, World
from tests.support.each import for_each
from tests.support.gateway.http import a_novel
from tests.support.gateway.services import StageServices, git_in
from workers.home.folder import ChildRecord
from workers.model_catalog import catalog

FORM = "a form shows nothing of what is stored"
EDITOR = "the editor follows its own text"
STATIC = {
    "/books/new": FORM,
    "/manuscripts/new": FORM,
    "/scenes/new": FORM,
    "/worlds/{kind}/new": FORM,
    "/books/{book_id}/write": EDITOR,
    "/manuscripts/{novel}/{scene}/write": EDITOR,
}
"""The pages that need not follow what happens elsewhere, each with its reason."""

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


def test_every_page_follows_what_happens_elsewhere_or_says_why_not() -> None:
    assert {path for path, build in PAGES.items() if "follow(made)" not in inspect.getsource(build)} == set(
        STATIC
    )


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages look ten times a second for what leaves no event."""
    monkeypatch.setattr(live, "_LOOK_S", 0.1)


def committed(folder: Path, path: str, words: str) -> None:
    """A commit by hand, of which the store knows nothing."""
    (folder / path).write_text(words)
    git_in(folder, "add", path)
    git_in(folder, "commit", "--quiet", "-m", "Written by hand")


@pytest.mark.usefixtures("quick")
async def test_pages_of_a_book_follow_commits_by_hand(
    user: User, services: StageServices, book: Path
) -> None:
    page = f"/books/{services.book(book).book_id}"
    await user.open(f"{page}/history")
    await user.should_not_see("Written by hand", retries=1)

    committed(book, FULL_BOOK, "# Low Tide\n\nThe lantern went under twice.\n")

    await user.should_see("Written by hand")
    await user.open(f"{page}/provenance")
    await user.should_see("The lantern went under twice.")

    committed(book, FULL_BOOK, "# Low Tide\n\nThe lamp stayed dry.\n")

    await user.should_see("The lamp stayed dry.")
    await user.should_not_see("The lantern went under twice.")


@pytest.mark.usefixtures("quick")
async def test_the_versions_of_a_manuscript_follow_commits_by_hand(
    user: User, services: StageServices, tmp_path: Path
) -> None:
    novel = a_novel(services, tmp_path / "ebb")
    await user.open(f"/manuscripts/{novel}/-/history")

    committed(tmp_path / "ebb", scene_path("-"), "# Ebb\n\nAn oar drifted in.\n")

    await user.should_see("Written by hand")


@pytest.mark.usefixtures("quick")
async def test_the_page_of_health_follows_the_processes(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    document: dict[str, Any] = {"running": True, "silent": [], "children": {}}
    monkeypatch.setattr(StageServices, "engine_status", lambda _: document)
    await user.open("/health")
    await user.should_see("No process of the engine is known here.")

    document["children"] = {"models": ChildRecord(state="given up").model_dump()}

    await user.should_see("given up")


@pytest.mark.usefixtures("quick")
async def test_the_page_of_settings_follows_the_file_and_says_what_is_wrong_with_it(
    user: User, services: StageServices, tmp_path: Path
) -> None:
    file = tmp_path / "penwright.toml"
    file.write_text("[engine]\nport = 7301\n")
    services.settings = {"PENWRIGHT_CONFIG": str(file)}
    await user.open("/settings")
    await user.should_see("7301")

    file.write_text("[engine]\nport = 7302\n")
    await user.should_see("7302")

    file.write_text("[engine]\nporch = 7302\n")
    await user.should_see("porch")
    await user.should_see("7302")


async def test_the_page_of_settings_says_which_parameters_a_model_rejected(
    user: User, services: StageServices, tmp_path: Path
) -> None:
    services.settings = {
        "PENWRIGHT_HOME": str(tmp_path),
        "PENWRIGHT_MODELS__OPUS": '{"model": "vendor/opus"}',
    }
    opus = next(each for each in catalog(services.loaded().settings).models if each.name == "opus")
    LessonFiles(tmp_path).keep(opus, "max_tokens", "max_completion_tokens")

    await user.open("/settings")

    await user.should_see("max_tokens is sent as max_completion_tokens")


@pytest.mark.usefixtures("quick")
async def test_a_scene_made_elsewhere_appears_in_an_open_list(user: User, services: StageServices) -> None:
    services.store.worlds.create(World(id="", name="Skerrow"))
    await user.open("/scenes")
    await user.should_see("No scene has been created yet")

    creating.create(services, NewScene(title="Late guest", world="Skerrow"))

    await user.should_see("Late guest", retries=100)


@pytest.mark.usefixtures("quick")
async def test_a_character_made_elsewhere_appears_in_an_open_list(
    user: User, services: StageServices
) -> None:
    await user.open("/worlds?kind=characters")
    await user.should_see("There are no characters yet.")

    services.store.worlds.create(Character(id="", name="Nora Hale"))

    await user.should_see("Nora Hale")


@pytest.mark.usefixtures("quick")
async def test_the_fields_of_a_character_follow_without_being_drawn_anew(
    user: User, services: StageServices
) -> None:
    worlds = services.store.worlds
    nora = worlds.create(Character(id="", name="Nora Hale", description="A lamp keeper."))
    await user.open(f"/worlds/characters/{nora.id}")
    before = {each.id: each.props["text"] for each in user.find(kind=WordsField).elements}

    changed = worlds.change(nora.model_copy(update={"description": "She left the lamps."}))

    await user.should_see("She left the lamps.")
    after = {each.id: each.props["text"] for each in user.find(kind=WordsField).elements}
    assert (before.keys(), "She left the lamps." in after.values()) == (after.keys(), True)
    (name,) = (each for each in user.find(kind=WordsField).elements if each.props["label"] == "Name")
    UserInteraction(user, {name}, None).trigger("sent", "Nora Vane")
    await user.should_see("name is stored")
    assert worlds.read(Character, nora.id) == changed.model_copy(
        update={"name": "Nora Vane", "version": changed.version + 1}
    )


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
