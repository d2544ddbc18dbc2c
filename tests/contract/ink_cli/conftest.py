"""``ink-cli`` on a stage and before a running engine, both in this process, and as the console script."""

import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Protocol

import pytest

from gateway.cli.book.init import init_book
from gateway.desk.installed_services import InstalledServices
from gateway.ink import program as ink_cli
from tests.support.engine.home import EngineHome
from tests.support.engine.shared import console_script
from tests.support.gateway.services import IDENTITY, StageServices, git_in


@dataclass(frozen=True)
class Answer:
    """The result of a tool call."""

    code: int
    out: str
    err: str


class Tool(Protocol):
    """Calls ``ink-cli``."""

    def __call__(self, *arguments: str, stdin: bytes | None = None) -> Answer: ...


ENGINE = pytest.param("engine", marks=(pytest.mark.server, pytest.mark.long))
SCRIPT = pytest.param("script", marks=(pytest.mark.server, pytest.mark.long))
SCRIPT_TOO = pytest.mark.parametrize("tool", ["stage", ENGINE, SCRIPT], indirect=True)
"""With the console script too: its start costs more than everything else it does."""


@pytest.fixture(params=["stage", ENGINE])
def tool(request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> Tool:
    if request.param == "stage":
        return _on_stage(capsys)
    home: EngineHome = request.getfixturevalue("running_engine")
    return _as_script(home.environ) if request.param == "script" else _before_engine(home.environ, capsys)


@pytest.fixture
def stage(capsys: pytest.CaptureFixture[str]) -> Tool:
    """For commands that need no engine."""
    return _on_stage(capsys)


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A fresh book of 40-word sessions with a remote."""
    place = tmp_path / "tide"
    init_book(StageServices(), place, {"title": "Low Tide"}, ask=False)
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
    services = StageServices()

    def call(*arguments: str, stdin: bytes | None = None) -> Answer:
        services.stdin = stdin
        services.clock.later(minutes=1)
        capsys.readouterr()
        code = ink_cli.run(arguments, obj=services)
        return Answer(code, *capsys.readouterr())

    return call


class _EngineDoors(InstalledServices):
    """The services to a running engine, with something on standard input."""

    def __init__(self, environment: Mapping[str, str], stdin: bytes) -> None:
        super().__init__(environment)
        self._stdin = stdin

    def incoming(self) -> BinaryIO:
        return BytesIO(self._stdin)


def _before_engine(environment: Mapping[str, str], capsys: pytest.CaptureFixture[str]) -> Tool:
    def call(*arguments: str, stdin: bytes | None = None) -> Answer:
        capsys.readouterr()
        code = ink_cli.run(arguments, obj=_EngineDoors(environment, stdin or b""))
        return Answer(code, *capsys.readouterr())

    return call


def _as_script(environment: Mapping[str, str]) -> Tool:
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
