"""A file stands at its place whole and on the disk, or not at all."""

import os
from pathlib import Path

import pytest

from gateway.desk.durable_file import durable_file

over = pytest.mark.parametrize("over", [True, False])


def write_and_fail(place: Path, *, over: bool) -> None:
    with durable_file(place, over=over) as file:
        file.write(b"half")
        raise ZeroDivisionError


@over
def test_it_appears_when_it_is_whole_and_on_the_disk(
    tmp_path: Path, over: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, seen = tmp_path / "a.txt", list[bool]()
    sync = os.fsync

    def noted(descriptor: int) -> None:
        seen.append(place.exists())
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    with durable_file(place, over=over) as file:
        file.write(b"one ")
        file.write(b"two")

    assert (seen, place.read_bytes(), os.listdir(tmp_path)) == ([False], b"one two", ["a.txt"])


@over
def test_an_error_leaves_what_was_there_and_nothing_else(tmp_path: Path, over: bool) -> None:
    place = tmp_path / "a.txt"
    place.write_text("old")

    with pytest.raises(ZeroDivisionError):
        write_and_fail(place, over=over)

    assert (place.read_text(), os.listdir(tmp_path)) == ("old", ["a.txt"])


def test_it_takes_no_other_files_place_unless_told_to(tmp_path: Path) -> None:
    place = tmp_path / "a.txt"
    place.write_text("old")

    with pytest.raises(FileExistsError), durable_file(place, over=False) as file:
        file.write(b"new")
    assert (place.read_text(), os.listdir(tmp_path)) == ("old", ["a.txt"])

    with durable_file(place, over=True) as file:
        file.write(b"new")
    assert place.read_text() == "new"


def test_it_has_the_permissions_of_a_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()

    with durable_file(tmp_path / "durable", over=False):
        pass

    assert (tmp_path / "durable").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_without_links_it_is_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsupported(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", unsupported)
    with durable_file(tmp_path / "a.txt", over=False) as file:
        file.write(b"one")
    with pytest.raises(FileExistsError), durable_file(tmp_path / "a.txt", over=False) as file:
        file.write(b"two")

    assert ((tmp_path / "a.txt").read_text(), os.listdir(tmp_path)) == ("one", ["a.txt"])
