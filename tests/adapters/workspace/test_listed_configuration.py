"""The configuration of a repository is listed by git once, and again when a file of it has changed."""

from pathlib import Path

import pytest

from penwright.adapters.scaffold.repository_folder import remote_url
from penwright.errors import BrokenWorkspace
from tests.support.books.repos import Book, git, make_repository
from tests.support.books.started_gits import note_started


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book(make_repository(tmp_path / "book"))


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The git commands started since, by name."""
    return note_started(monkeypatch)


def listings(book: Book, started: list[str]) -> int:
    """Times that git is asked for the configuration while the book is read once."""
    started.clear()
    book.port.snapshot(book.workspace, ())
    return started.count("config")


def test_the_configuration_is_listed_again_only_when_a_file_of_it_has_changed(
    book: Book, tmp_path: Path, started: list[str]
) -> None:
    assert (listings(book, started), listings(book, started)) == (1, 0)

    git(book.folder, "config", "core.abbrev", "11")
    assert (listings(book, started), listings(book, started)) == (1, 0)

    git(book.folder, "config", "include.path", str(tmp_path / "later"))
    assert (listings(book, started), listings(book, started)) == (1, 1)
    (tmp_path / "later").write_text('[filter "mark"]\n\tclean = hostile\n')
    with pytest.raises(BrokenWorkspace, match=r"filter\.mark\.clean"):
        book.port.snapshot(book.workspace, ())


def test_a_program_named_since_is_refused(book: Book) -> None:
    book.port.snapshot(book.workspace, ())
    git(book.folder, "config", "filter.mark.clean", "hostile")

    with pytest.raises(BrokenWorkspace, match=r"filter\.mark\.clean"):
        book.port.snapshot(book.workspace, ())


def test_the_configuration_around_a_folder_with_a_damaged_head_is_listed_each_time(book: Book) -> None:
    inner = make_repository(book.folder / "inner")
    (inner / ".git/HEAD").write_text("damaged\n")
    git(book.folder, "remote", "add", "origin", "before")
    assert remote_url(inner, "origin") == "before"

    git(book.folder, "remote", "set-url", "origin", "after")

    assert remote_url(inner, "origin") == "after"
