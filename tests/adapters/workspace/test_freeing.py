"""Files that are replaced or removed are let go of beside the work."""

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from penwright.adapters.workspace.freeing import Freeing


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    made = [tmp_path / str(number) for number in range(200)]
    for file in made:
        file.write_text("old")
    return made


def inodes(files: Iterable[Path | int]) -> Iterator[int]:
    for file in files:
        with contextlib.suppress(OSError):
            yield os.stat(file).st_ino


def test_what_replaces_a_file_is_there_at_once_and_every_old_one_is_let_go(files: list[Path]) -> None:
    freeing, old = Freeing(), set(inodes(files))
    for file in files:
        with freeing.of(file, file.with_suffix(".absent")):
            file.with_suffix(".new").write_text("new")
            file.with_suffix(".new").rename(file)
    assert {file.read_text() for file in files} == {"new"}
    freeing.threads.shutdown()
    assert old.isdisjoint(inodes(map(int, os.listdir("/dev/fd"))))


def test_files_are_let_go_when_the_work_on_them_fails(files: list[Path]) -> None:
    freeing, old = Freeing(), set(inodes(files))
    with pytest.raises(FileExistsError), freeing.of(*files):
        files[0].mkdir()
    freeing.threads.shutdown()
    assert old.isdisjoint(inodes(map(int, os.listdir("/dev/fd"))))


def test_a_pipe_where_a_file_was_keeps_nobody_waiting(tmp_path: Path) -> None:
    pipe, freeing = tmp_path / "pipe", Freeing()
    os.mkfifo(pipe)
    with freeing.of(pipe):
        pipe.unlink()
    freeing.close()
    assert not pipe.exists()
