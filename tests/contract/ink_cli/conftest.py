"""``ink-cli`` twice: on a stage in this process, and as the console script before a running engine."""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest

from gateway import ink_cli
from gateway.book_init import init_book
from tests.support.doors import IDENTITY, StageDoors, git_in
from tests.support.engine import console_script


@dataclass(frozen=True)
class Answer:
    """What a tool call leaves."""

    code: int
    out: str
    err: str


class Tool(Protocol):
    """Calls ``ink-cli``."""

    def __call__(self, *arguments: str, stdin: bytes | None = None) -> Answer: ...


@pytest.fixture(params=["stage", pytest.param("engine", marks=pytest.mark.server)])
def tool(request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> Tool:
    return _on_stage(capsys) if request.param == "stage" else _before_engine(request)


@pytest.fixture
def stage(capsys: pytest.CaptureFixture[str]) -> Tool:
    """For what no engine is asked about."""
    return _on_stage(capsys)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A fresh book of 40-word sessions with a remote."""
    place = tmp_path / "tide"
    init_book(StageDoors(), place, {"title": "Low Tide"}, ask=False)
    git_in(tmp_path, "init", "-q", "--bare", "-b", "main", "tide.git")
    git_in(place, "remote", "add", "origin", str(tmp_path / "tide.git"))
    set_config(place, words_per_session=40, words_per_chapter=100, target_length=100, chapter_count=2)
    return place


def set_config(book: Path, **numbers: int) -> None:
    """The author changes numbers of Config.yml."""
    path = book / "Global Material/Config.yml"
    text = path.read_text()
    for key, number in numbers.items():
        text = "\n".join(
            f"{key}: {number}" if line.startswith(f"{key}:") else line for line in text.splitlines()
        )
    path.write_text(text + "\n")
    commit(book, "Set the length")


def commit(book: Path, message: str) -> None:
    """The author commits everything."""
    git_in(book, "add", "-A")
    git_in(book, *IDENTITY, "commit", "-qm", message)


def _on_stage(capsys: pytest.CaptureFixture[str]) -> Tool:
    doors = StageDoors()

    def call(*arguments: str, stdin: bytes | None = None) -> Answer:
        doors.stdin = stdin
        doors.clock.later(minutes=1)
        capsys.readouterr()
        code = ink_cli.run(arguments, obj=doors)
        return Answer(code, *capsys.readouterr())

    return call


def _before_engine(request: pytest.FixtureRequest) -> Tool:
    environment = request.getfixturevalue("running_engine")

    def call(*arguments: str, stdin: bytes | None = None) -> Answer:
        done = subprocess.run(
            [console_script("ink-cli"), *arguments],
            env=environment,
            input=stdin or b"",
            capture_output=True,
            timeout=120,
            check=False,
        )
        return Answer(done.returncode, done.stdout.decode(), done.stderr.decode())

    return call
