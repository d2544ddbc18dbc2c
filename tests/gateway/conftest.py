"""A stage for commands."""

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.main import get_command

from gateway.cli import output
from gateway.cli import program as cli
from gateway.cli.book.init import init_book
from gateway.desk.works import books
from penwright.domain.book.files.layout import CONFIG
from tests.support.gateway.sealing import sealed_with
from tests.support.gateway.services import IDENTITY, Run, StageServices, git_in


@pytest.fixture
def in_vienna(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The user's time zone is an hour ahead of UTC in winter."""
    with monkeypatch.context() as changed:
        changed.setenv("TZ", "Europe/Vienna")
        time.tzset()
        yield
    time.tzset()


@pytest.fixture
def services() -> StageServices:
    return StageServices()


@pytest.fixture
def run(services: StageServices, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs ``penwright`` with the given arguments, as a process would."""

    def run(*arguments: str, stdin: bytes | None = None) -> tuple[int, str, str]:
        services.stdin = stdin
        capsys.readouterr()
        code = output.run(get_command(cli.app), "penwright", arguments, obj=services)
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.fixture(scope="session")
def founded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh book, to be copied."""
    place = tmp_path_factory.mktemp("founded") / "tide"
    init_book(StageServices(), place, {"title": "Low Tide", "author": "M. Orr"}, ask=False)
    config = place / CONFIG
    # A planner's proposals are the subject of few tests.
    config.write_text(config.read_text("utf-8").replace("planning: propose", "planning: off"), "utf-8")
    git_in(place, *IDENTITY, "commit", "-qa", "--amend", "--no-edit")
    return place


@pytest.fixture
def book(founded: Path, services: StageServices, tmp_path: Path) -> Path:
    """A fresh book of its own."""
    place = Path(shutil.copytree(founded, tmp_path / "tide"))
    books.register(services.store, services, services.book(place))
    return place


@pytest.fixture
def write_config(book: Path) -> Callable[..., None]:
    """Replaces numbers of the book's Config.yml, as an author would."""

    def write(**numbers: object) -> None:
        path = book / "Global Material/Config.yml"
        lines = path.read_text().splitlines()
        for key, number in numbers.items():
            lines = [f"{key}: {number}" if line.startswith(f"{key}:") else line for line in lines]
        path.write_text("\n".join(lines) + "\n")

    return write


@pytest.fixture
def sealed(run: Run, book: Path, services: StageServices) -> None:
    """The book was sealed by its last session, which tells so."""
    run("book", "session", str(book))
    run("book", "complete", str(book), "--early")
    sealed_with(services, books.find(services, str(book)).book_id, "The last 9 words were sealed.")


@pytest.fixture
def lost_by_remote(run: Run, book: Path) -> str:
    """The remote of the book lost its first session; what the next session said of it."""
    remote = book.with_name("remote.git")
    git_in(book.parent, "init", "-q", "--bare", "-b", "main", str(remote))
    git_in(book, "remote", "add", "origin", str(remote))
    git_in(book, "push", "-q", "origin", "main")
    run("book", "session", str(book))
    git_in(remote, "update-ref", "refs/heads/main", git_in(book, "rev-list", "--max-parents=0", "HEAD"))
    return run("book", "session", str(book), "--json")[1]
