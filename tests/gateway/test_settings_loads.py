"""The settings are loaded once for a command, and once at most for a request to the API."""

import os
from collections.abc import Callable
from functools import partialmethod
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from gateway.cli import output
from gateway.cli import program as cli
from gateway.desk.installed_services import InstalledServices
from gateway.desk.works import books
from tests.support.gateway.every_operation import OPERATIONS, a_stage
from tests.support.gateway.http import a_novel, a_scene, a_world
from tests.support.gateway.services import StageServices
from workers.settings.variables import read_environment

COMMANDS = (
    "book status BOOK",
    "book session BOOK",
    "book list",
    "manuscript list NOVEL",
    "manuscript write NOVEL --detach",
    "cite scan NOVEL --estimate",
    "cite review NOVEL",
    "trace verify BOOK",
    "scene show SCENE",
    "scene say SCENE Hello",
    "world show skerrow",
    "character list",
    "persona list",
    "lore list",
    "campaign list",
    "intent list BOOK",
    "agent list",
    "run list",
    "eval list",
    "models list",
    "operator budgets",
    "config show",
    "status",
    "doctor",
    "cost",
    "web",
)
"""One or two of each group; what they ask for, and whether they end well, does not matter here."""


class _Counting(StageServices):
    """A stage that needs the settings wherever the installed services do."""

    def __init__(self, environ: dict[str, str]) -> None:
        super().__init__()
        self.installed = InstalledServices(environ)

    def _needing(self, name: str, *given: Any, **named: Any) -> Any:  # Any: those of the method
        found = self.installed.loaded()
        return found if name == "loaded" else getattr(StageServices, name)(self, *given, **named)

    defaults = partialmethod(_needing, "defaults")
    workspaces = partialmethod(_needing, "workspaces")
    history = partialmethod(_needing, "history")
    library = partialmethod(_needing, "library")
    open_store = partialmethod(_needing, "open_store")
    engine = partialmethod(_needing, "engine")
    deltas = partialmethod(_needing, "deltas")
    overrides = partialmethod(_needing, "overrides")
    disclosure = partialmethod(_needing, "disclosure")
    loaded = partialmethod(_needing, "loaded")
    caps = partialmethod(_needing, "caps")


@pytest.fixture
def loads(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Counts the loads of the settings since it was asked last."""
    seen: list[object] = []

    def counted(environ: Any) -> Any:
        seen.append(environ)
        return read_environment(environ)

    monkeypatch.setattr("workers.settings.loading.read_environment", counted)

    def taken() -> int:
        count = len(seen)
        seen.clear()
        return count

    return taken


@pytest.fixture
def environ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Settings of a home where nothing runs."""
    given = {"PENWRIGHT_CONFIG": "", "PENWRIGHT_HOME": str(tmp_path / "home")}
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    return given


@pytest.mark.parametrize("installed", [False, True])
def test_a_command_loads_the_settings_once(
    book: Path, tmp_path: Path, environ: dict[str, str], loads: Callable[[], int], installed: bool
) -> None:
    stage = _Counting(environ)
    books.register(stage.store, stage, stage.book(book))
    a_novel(stage, tmp_path / "novel")
    named = {"BOOK": str(book), "NOVEL": str(tmp_path / "novel"), "SCENE": a_scene(stage, a_world(stage))}

    counted = {}
    for line in COMMANDS:
        words = [named.get(word, word) for word in line.split()]
        stage.installed = InstalledServices(environ)
        loads()
        output.run(get_command(cli.app), "penwright", words, obj=None if installed else stage)
        counted[line] = loads()

    assert {line: count for line, count in counted.items() if count > 1} == {}
    assert sum(counted.values()) > len(COMMANDS) / 2


async def test_a_request_loads_the_settings_once_at_most(
    founded: Path, tmp_path: Path, environ: dict[str, str], loads: Callable[[], int]
) -> None:
    services = _Counting(environ)
    stage = a_stage(founded, tmp_path, services)

    counted = {}
    for operation in OPERATIONS:
        services.installed = InstalledServices(environ)
        loads()
        await stage.ask(operation, "admin")
        counted[operation.name] = loads()

    assert {name: count for name, count in counted.items() if count > 1} == {}
    assert sum(counted.values()) > len(OPERATIONS) / 2


def test_they_are_loaded_again_after_a_change(tmp_path: Path, loads: Callable[[], int]) -> None:
    file = tmp_path / "penwright.toml"
    file.write_text('[books]\nbranch = "main"\n', encoding="utf-8")
    environ = {"PENWRIGHT_CONFIG": str(file), "PENWRIGHT_HOME": str(tmp_path)}
    services = InstalledServices(environ)
    assert [services.defaults().branch for _ in range(3)] == ["main"] * 3
    assert loads() == 1

    file.write_text('[books]\nbranch = "trunk"\n', encoding="utf-8")

    assert services.defaults().branch == "trunk"
    assert loads() == 1

    environ["PENWRIGHT_BOOKS__BRANCH"] = "draft"

    assert services.defaults().branch == "draft"
    assert loads() == 1


def test_they_are_loaded_again_after_a_change_that_keeps_the_files_time(tmp_path: Path) -> None:
    file = tmp_path / "penwright.toml"
    file.write_text('[books]\nbranch = "main"\n', encoding="utf-8")
    services = InstalledServices({"PENWRIGHT_CONFIG": str(file), "PENWRIGHT_HOME": str(tmp_path)})
    before = file.stat()
    assert services.defaults().branch == "main"

    # As a program does that copies a file together with its time.
    while file.stat().st_ctime_ns == before.st_ctime_ns:
        file.write_text('[books]\nbranch = "next"\n', encoding="utf-8")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))

    assert services.defaults().branch == "next"
