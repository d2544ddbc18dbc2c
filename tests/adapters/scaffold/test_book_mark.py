"""The private note of which book a repository holds."""

from pathlib import Path

import pytest

from penwright.adapters.scaffold.book_mark import BookMark, read_mark, write_mark
from schemas.base import BookId
from schemas.workspace import Workspace
from tests.support.books.repos import git, make_repository


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(path=str(make_repository(tmp_path / "book")))


def test_a_note_is_read_as_it_was_written_and_is_no_part_of_the_book(workspace: Workspace) -> None:
    mark = BookMark(BookId("tide-1"), workspace.path, "tide")

    assert read_mark(workspace) is None
    write_mark(workspace, mark)

    assert read_mark(workspace) == mark
    assert git(Path(workspace.path), "status", "--porcelain") == ""


def test_a_worktree_of_the_repository_has_a_note_of_its_own(workspace: Workspace, tmp_path: Path) -> None:
    write_mark(workspace, BookMark(BookId("tide"), workspace.path))
    git(Path(workspace.path), "worktree", "add", "-q", "-b", "other", str(tmp_path / "other"))

    assert read_mark(Workspace(path=str(tmp_path / "other"), branch="other")) is None


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"book_id": "tide"}', "\0"])
def test_a_note_that_cannot_be_read_is_none(workspace: Workspace, text: str) -> None:
    file = Path(workspace.path) / ".git/penwright/book.json"
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)

    assert read_mark(workspace) is None
    write_mark(workspace, BookMark(BookId("tide"), workspace.path))
    assert read_mark(workspace) is not None


def test_a_folder_where_no_note_can_be_written_is_no_error(workspace: Workspace) -> None:
    (Path(workspace.path) / ".git/penwright").write_text("a file is in the way")

    write_mark(workspace, BookMark(BookId("tide"), workspace.path))

    assert read_mark(workspace) is None
