"""SIGKILL inside a publish: the next step of the session also updates the worktree."""

from functools import partial
from pathlib import Path

import pytest

from schemas.workspace import Append, Create
from tests.support.books.repos import Book, add_remote, make_repository, plan_of
from tests.support.crash.system_calls import killed_at

pytestmark = pytest.mark.crash

MOMENTS = range(0, 120, 3)


@pytest.mark.parametrize("remote", [True, False], ids=["pushed", "local"])
def test_a_push_updates_the_worktree_after_a_killed_publish(tmp_path: Path, remote: bool) -> None:
    committed_and_behind = 0
    for moment in MOMENTS:
        book = Book(make_repository(tmp_path / f"{moment}"))
        if remote:
            add_remote(book.folder, tmp_path / f"{moment}.git")
        plan = plan_of(
            book.workspace,
            Append(path="Book.md", tail="Twice.\n", base=book.blob("Book.md")),
            Create(path="Chapters/New.md", content="New.\n"),
        )
        effect = book.effect("one")

        if not killed_at(moment, partial(book.port.publish, plan, effect)):
            break
        if book.port.find(book.workspace, effect) is None:
            continue
        committed_and_behind += book.status() != ""
        book.port.push(book.workspace, book.effect("two"))

        assert book.status() == "", moment
        assert book.read("Book.md").endswith("Twice.\n")
    assert committed_and_behind
