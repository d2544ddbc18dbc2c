"""Loose refs and objects read from files: as git reads them, and git itself for everything else."""

import os
from contextlib import closing
from pathlib import Path

import pytest

from penwright.adapters.workspace.git.caches import ObjectCaches
from penwright.adapters.workspace.git.commands import git_environment, plain_environment
from penwright.adapters.workspace.git.layout import Layout, locate
from penwright.adapters.workspace.git.loose_files import LooseFiles
from penwright.adapters.workspace.git.objects import Objects
from penwright.adapters.workspace.git.repository import opened
from penwright.errors import BrokenWorkspace
from tests.support.books.repos import Book, commit_all, git, make_repository


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book(make_repository(tmp_path / "book"))


def loose(book: Book) -> LooseFiles:
    return LooseFiles(book.folder / ".git")


def test_a_loose_ref_and_its_object_are_read_as_git_reads_them(book: Book) -> None:
    found = loose(book).find("refs/heads/main")

    assert found is not None
    assert found[:2] == (book.tip(), "commit")
    assert found == loose(book).find(book.tip())
    assert found[2].decode().rstrip("\n") == git(book.folder, "cat-file", "commit", "main").rstrip("\n")


def test_what_is_packed_is_read_by_git(book: Book) -> None:
    git(book.folder, "repack", "-adq")
    git(book.folder, "pack-refs", "--all")

    assert loose(book).find("refs/heads/main") is None
    assert book.port.snapshot(book.workspace, ["notes.md"]).files["notes.md"].text == book.read("notes.md")


def test_an_object_that_another_replaces_is_read_by_git(book: Book) -> None:
    old, new = book.blob("notes.md"), book.blob("Book.md")
    git(book.folder, "replace", old, new)
    assert book.port.text(book.workspace, old) == book.read("Book.md")

    git(book.folder, "pack-refs", "--all")
    assert book.port.text(book.workspace, old) == book.read("Book.md")


def test_a_ref_or_object_that_never_ends_is_not_read(book: Book) -> None:
    folder = book.folder / ".git"
    os.mkfifo(folder / "refs/heads/pipe")
    (folder / "objects/ab").mkdir(exist_ok=True)
    (folder / f"objects/ab/{'c' * 38}").symlink_to("/dev/zero")

    assert loose(book).find("refs/heads/pipe") is None
    assert loose(book).find(f"ab{'c' * 38}") is None


@pytest.mark.parametrize(
    "name", ["refs/heads/../../config", "HEAD", "refs/bisect/bad", "refs/heads/main^{tree}"]
)
def test_a_name_that_is_no_shared_ref_is_left_to_git(book: Book, name: str) -> None:
    assert loose(book).find(name) is None


def test_an_object_cut_short_is_told_by_git(book: Book) -> None:
    sha = book.blob("notes.md")
    place = book.folder / f".git/objects/{sha[:2]}/{sha[2:]}"
    place.chmod(0o644)
    place.write_bytes(place.read_bytes()[:5])

    with pytest.raises(BrokenWorkspace) as broken:
        book.port.snapshot(book.workspace, ["notes.md"])

    assert broken.value.code == "repository-damaged"


def test_a_repository_of_another_user_is_left_to_git(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    layout = locate(book.workspace)
    assert LooseFiles.of(layout) is not None

    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert LooseFiles.of(layout) is None


def test_ancestry_is_asked_of_git_where_commits_have_other_parents_than_they_name(book: Book) -> None:
    caches, first = ObjectCaches(), book.tip()
    root, newest = commit_all(book.folder, "Begin again"), commit_all(book.folder, "Go on")
    assert _is_ancestor(book, caches, first, newest)

    git(book.folder, "replace", "--graft", root)
    assert not _is_ancestor(book, caches, first, newest)

    git(book.folder, "replace", "-d", root)
    (book.folder / ".git/info").mkdir(exist_ok=True)
    (book.folder / ".git/info/grafts").write_text(f"{root}\n")
    assert not _is_ancestor(book, caches, first, newest)


def _is_ancestor(book: Book, caches: ObjectCaches, older: str, newer: str) -> bool:
    def objects(layout: Layout) -> closing[Objects]:
        return closing(Objects.of(layout, git_environment(plain_environment()), caches))

    with opened(book.workspace, book.clock, objects, wait_s=None) as repository:
        return repository.is_ancestor(older, newer)
