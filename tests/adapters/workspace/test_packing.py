"""A small book is packed by night: what is reachable stays, and what a session may yet write as well."""

import os
import time
from pathlib import Path

import pytest

from penwright.adapters.workspace.git.layout import locate
from penwright.adapters.workspace.git.locking import held
from penwright.adapters.workspace.packing import FEW, MANY_PACKS
from penwright.errors import WorkspaceBusy
from schemas.workspace import Create
from tests.support.books.repos import Book, git, make_repository, plan_of

THREE_WEEKS_S = 21 * 86_400


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book(make_repository(tmp_path / "book"))


def loose(book: Book) -> int:
    return int(git(book.folder, "count-objects").split()[0])


def write(book: Book, sessions: int, *, first: int = 0) -> None:
    for number in range(first, first + sessions):
        text = f"Chapter {number}. " + "It was a long night at the harbour.\n" * 40
        book.port.publish(plan_of(book.workspace, Create(path=f"{number}.md", content=text)), book.effect())


def test_loose_objects_are_packed_and_the_history_is_whole(book: Book) -> None:
    write(book, 25)
    before, commits = loose(book), git(book.folder, "rev-list", "--all")
    assert before > FEW

    freed = book.port.pack(book.workspace)

    assert freed is not None
    assert freed > 0
    assert loose(book) == 0
    assert git(book.folder, "rev-list", "--all") == commits
    assert git(book.folder, "fsck", "--strict", "--no-dangling") == ""
    write(book, 1, first=25)
    assert book.port.pack(book.workspace) is None  # few are left alone


def test_packs_do_not_become_many(book: Book) -> None:
    packs = []
    for night in range(MANY_PACKS + 2):
        add_loose(book, night)
        assert book.port.pack(book.workspace) is not None
        packs.append(len(list((book.folder / ".git/objects/pack").glob("*.pack"))))

    assert packs == [*range(1, MANY_PACKS + 1), 1, 2]
    assert git(book.folder, "fsck", "--strict", "--no-dangling") == ""


def add_loose(book: Book, night: int) -> None:
    """A commit by hand with many files."""
    for number in range(FEW):
        (book.folder / f"{night}-{number}.md").write_text(f"{night} {number}\n")
    git(book.folder, "add", "-A")
    git(book.folder, "-c", "user.name=ada", "-c", "user.email=a@b", "commit", "-q", "-m", "by hand")


def test_a_repository_that_a_session_holds_is_left_alone_at_once(book: Book) -> None:
    write(book, 25)
    before, began = loose(book), time.monotonic()

    with held(locate(book.workspace), "main", wait_s=1), pytest.raises(WorkspaceBusy):
        book.port.pack(book.workspace)

    assert time.monotonic() - began < book.port.lock_wait_s
    assert loose(book) == before


def test_objects_that_nothing_reaches_are_deleted_only_after_two_weeks(book: Book) -> None:
    """A publish in progress, or a person's git, writes objects before anything reaches them."""
    write(book, 25)
    book.port.pack(book.workspace)
    (book.folder / "new.txt").write_text("new")
    (book.folder / "old.txt").write_text("old")
    new, old = (git(book.folder, "hash-object", "-w", f"{name}.txt").strip() for name in ("new", "old"))
    os.utime(book.folder / ".git/objects" / old[:2] / old[2:], (time.time() - THREE_WEEKS_S,) * 2)

    write(book, 25, first=25)
    book.port.pack(book.workspace)

    assert new in objects(book)
    assert old not in objects(book)


def objects(book: Book) -> set[str]:
    listed = git(book.folder, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)")
    return set(listed.split())
