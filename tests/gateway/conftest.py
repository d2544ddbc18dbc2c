"""A stage for commands."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.main import get_command

from gateway import cli, output
from tests.support.doors import Run, StageDoors


@pytest.fixture
def doors() -> StageDoors:
    return StageDoors()


@pytest.fixture
def run(doors: StageDoors, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs ``penwright`` with the given arguments, as a process would."""

    def run(*arguments: str, stdin: bytes | None = None) -> tuple[int, str, str]:
        doors.stdin = stdin
        capsys.readouterr()
        code = output.run(get_command(cli.app), "penwright", arguments, obj=doors)
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture
def book(run: Run, tmp_path: Path) -> Path:
    """A fresh book."""
    place = tmp_path / "tide"
    code, _, err = run("book", "init", str(place), "--title", "Low Tide", "--author", "M. Orr", "--json")
    assert code == 0, err
    return place


@pytest.fixture
def write_config(book: Path) -> Callable[..., None]:
    """Replaces numbers of the book's Config.yml, as an author would."""

    def write(**numbers: int) -> None:
        path = book / "Global Material/Config.yml"
        lines = path.read_text().splitlines()
        for key, number in numbers.items():
            lines = [f"{key}: {number}" if line.startswith(f"{key}:") else line for line in lines]
        path.write_text("\n".join(lines) + "\n")

    return write
