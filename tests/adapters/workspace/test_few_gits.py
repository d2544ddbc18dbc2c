"""Git processes that are started, and those that are not because files say the same."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from penwright.adapters.workspace.git.loose import LooseObjects
from penwright.adapters.workspace.git.refs import RefFiles
from penwright.errors import BrokenWorkspace
from schemas.workspace import Create
from tests.support.books.repos import Book, git, make_repository, plan_of


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book(make_repository(tmp_path / "book"))


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The git commands started since, by name."""
    commands: list[str] = []

    class Noted(subprocess.Popen[bytes]):
        def __init__(self, command: Sequence[str], **options: Any) -> None:
            commands.append(next(word for word in command[1:] if word != "-c" and "=" not in word))
            super().__init__(command, **options)

    monkeypatch.setattr(subprocess, "Popen", Noted)
    return commands


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


def test_packed_objects_and_refs_are_read_as_loose_ones(book: Book, started: list[str]) -> None:
    book.port.publish(plan_of(book.workspace, Create(path="a.md", content="A\n"), tag="ink-1"), book.effect())
    git(book.folder, "tag", "-a", "-m", "Annotated", "ink-2")
    refs, loose = RefFiles(book.folder / ".git"), book.port.tags(book.workspace)
    before = refs.below("refs/tags/ink-*", "refs/heads")
    git(book.folder, "repack", "-adq")
    git(book.folder, "pack-refs", "--all")
    started.clear()

    assert book.port.snapshot(book.workspace, ["a.md"]).files["a.md"].text == "A\n"
    assert started.count("cat-file") == 1
    assert book.port.tags(book.workspace) == loose
    assert refs.below("refs/tags/ink-*", "refs/heads").keys() == before.keys()
    assert refs.read("refs/heads/main") == book.tip()
    assert refs.read("refs/heads/mai") is None


def test_an_object_that_another_replaces_is_read_by_git(book: Book) -> None:
    old, new = book.blob("notes.md"), book.blob("Book.md")
    git(book.folder, "replace", old, new)

    assert book.port.text(book.workspace, old) == book.read("Book.md")


def test_what_is_written_is_what_git_writes(book: Book) -> None:
    objects = LooseObjects(book.folder / ".git/objects")
    content = b"Text\r\n\0" * 1000

    theirs = git(book.folder, "hash-object", "--stdin", data=content)
    sha = objects.write("blob", content)

    assert sha == objects.write("blob", content) == theirs
    assert objects.read(sha) == ("blob", content)
    place = book.folder / f".git/objects/{sha[:2]}/{sha[2:]}"
    assert place.stat().st_mode & 0o777 == 0o444
    assert [each.name for each in place.parent.iterdir()] == [place.name]


def test_a_ref_or_object_that_never_ends_is_not_read(book: Book) -> None:
    folder = book.folder / ".git"
    os.mkfifo(folder / "refs/heads/pipe")
    (folder / "objects/ab").mkdir(exist_ok=True)
    (folder / f"objects/ab/{'c' * 38}").symlink_to("/dev/zero")

    assert RefFiles(folder).read("refs/heads/pipe") is None
    assert LooseObjects(folder / "objects").read(f"ab{'c' * 38}") is None


def test_an_object_cut_short_is_told_by_git(book: Book) -> None:
    sha = book.blob("notes.md")
    place = book.folder / f".git/objects/{sha[:2]}/{sha[2:]}"
    place.chmod(0o644)
    place.write_bytes(place.read_bytes()[:5])

    with pytest.raises(BrokenWorkspace) as broken:
        book.port.snapshot(book.workspace, ["notes.md"])

    assert broken.value.code == "repository-damaged"
