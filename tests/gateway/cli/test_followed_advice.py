"""Every command that an error names as the next step is run in the state that printed it."""

import re
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gateway.desk.manuscript import new_novels
from tests.support.each import for_each
from tests.support.gateway.http import a_scene, a_world
from tests.support.gateway.services import Run, StageServices

ERRORS = {
    "book export {book} --output tide.txt": "nothing-to-export",
    "book status nowhere": "unknown-book",
    "book status {empty}": "not-a-repository",
    "book init {book}": "already-a-book",
    "book export {book}": "unknown-format",
    "book export {book} --to odt": "unknown-format",
    "book complete {book}": "not-ready",
    "book pause {book}": "nothing-runs",
    "book resume {book}": "nothing-runs",
    "book resume {sealed}": "nothing-runs",
    "book pause {sealed}": "nothing-runs",
    "book pause {scheduled}": "nothing-runs",
    "book watch {book}": "nothing-runs",
    "book rollback {book}": "needs-yes",
    "book undo {book}": "usage",
    "manuscript show nowhere": "unknown-novel",
    "manuscript show {novel} nothing": "no-such-scene",
    "manuscript new {novel}": "already-a-novel",
    "manuscript pause {novel}": "nothing-runs",
    "manuscript watch {novel} empty": "nothing-runs",
    "manuscript export {novel}": "unknown-format",
    "manuscript export {novel} empty --to html": "nothing-to-export",
    "manuscript inspect {novel} --variable nonsense": "unknown-variable",
    "world show nowhere": "no-such-world",
    "character show nobody": "no-such-character",
    "persona show nobody": "no-such-persona",
    "lore show nothing": "no-such-lorebook",
    "campaign show nothing": "no-such-campaign",
    "scene show nothing": "no-such-scene",
    "scene export the-quay --to odt": "unknown-format",
    "scene stop the-quay": "no-round-runs",
    "agent show nothing": "unknown-agent",
    "models test nothing": "unknown-model",
    "logs activitys": "log-unknown",
    "web tokens revoke nothing": "no-token",
    "init": "usage",
    "write": "usage",
    "new": "usage",
}
"""Command that fails -> the code of its error; in order: the advice of the first fills the book."""

FILLED = {"FOLDER", "FILE", "BOOK", "NOVEL", "WORLD"}
"""Placeholders in advice that stand for something that has to exist, or must not."""


@pytest.fixture
def named(
    run: Run, book: Path, services: StageServices, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> dict[str, str]:
    """Values of the placeholders in commands, in a home and a current folder of the test's own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PENWRIGHT_HOME", str(tmp_path / "home"))
    empty, novel, text = tmp_path / "empty", tmp_path / "ebb", tmp_path / "text.md"
    sealed, scheduled = (Path(shutil.copytree(book, tmp_path / name)) for name in ("sealed", "scheduled"))
    run("book", "session", str(sealed))
    run("book", "complete", str(sealed), "--early")
    run("book", "schedule", str(scheduled), "--every", "6h")
    empty.mkdir()
    text.write_text("He waits.\n", "utf-8")
    texts = {"-": "# Ebb\n", "empty": ""}
    made = new_novels.create(services, novel, {"title": "Low Tide", "author": "M. Orr"}, scenes=texts)
    world = a_world(services)
    a_scene(services, world)
    given = {"FILE": str(text), "BOOK": str(book), "NOVEL": made.novel_id, "WORLD": world}
    places = {"book": book, "sealed": sealed, "scheduled": scheduled, "novel": novel, "empty": empty}
    return {**{name: str(place) for name, place in places.items()}, **given}


@pytest.fixture
def follow(
    run: Run, services: StageServices, named: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[list[str]], tuple[int, str]]:
    """Runs a command of an advice as a person would, in a folder of its own: exit code and errors."""

    def follow(step: list[str]) -> tuple[int, str]:
        here = Path(tempfile.mkdtemp(dir=tmp_path))
        monkeypatch.chdir(here)
        if step[0] == "up":
            services.runs = True
            return 0, ""
        values = {**named, "FOLDER": str(here / "new")}
        ended, _, err = run(*(values[word] if word in FILLED else word for word in step))
        return ended, err

    return follow


@pytest.mark.long
@for_each("line, code", ERRORS.items())
def test_what_an_error_names_next_works(
    run: Run, named: dict[str, str], follow: Callable[[list[str]], tuple[int, str]], line: str, code: str
) -> None:
    words = line.format(**named).split()
    _, _, printed = run(*words)
    steps = list(_steps(printed, words))

    assert f"error[{code}]" in printed
    assert steps, printed
    for step in steps:
        ended, err = follow(step)
        assert not ended, f"{printed}{step} -> {ended}: {err}"


def _steps(printed: str, failed: list[str]) -> Iterator[list[str]]:
    """The words of each command after ``next:``; of an option alone, those of the failed command with it."""
    for text in re.findall("`([^`]+)`", printed.partition("\n  next: ")[2]):
        words = shlex.split(text)
        if words[0] == "penwright":
            yield words[1:]
        elif words[0].startswith("--"):
            yield [*failed, *words]
