"""A registered novel is found by the note in its folder, without git, wherever that is sure."""

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gateway.desk.works import novels, registered
from penwright.adapters.workspace.git.commands import GitCommands
from penwright.errors import NotFound
from tests.support.gateway.http import a_novel
from tests.support.gateway.services import StageServices


@pytest.fixture
def novel(services: StageServices, tmp_path: Path) -> Path:
    """A novel that is registered."""
    place = tmp_path / "ebb"
    a_novel(services, place)
    novels.enter(services, novels.at(services, place))
    return place


@pytest.fixture
def without_git(novel: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No git can be started."""

    def refuse(*arguments: object, **options: object) -> None:
        raise AssertionError(f"git was started: {arguments}")

    with monkeypatch.context() as patched:
        patched.setattr(GitCommands, "execute", refuse)
        yield


def test_it_is_what_its_repository_holds(services: StageServices, novel: Path) -> None:
    expected = replace(novels.at(services, novel), is_registered=True)

    assert novels.noted(services, novel) == expected
    assert registered.novel(services, expected.novel_id, noted=True) == expected


@pytest.mark.usefixtures("without_git")
def test_no_git_is_started_for_it(services: StageServices, novel: Path) -> None:
    found = novels.find_noted(services, str(novel))

    assert novels.find_noted(services, found.novel_id) == found
    assert registered.document(services, found.novel_id, "-", noted=True).novel == found
    novels.ensure_registered(services, found)


def test_a_copy_and_a_moved_novel_are_looked_at(services: StageServices, novel: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(novel, tmp_path / "copy"))
    assert novels.noted(services, copy) is None
    assert novels.find_noted(services, str(copy)).origin == novels.at(services, novel).novel_id

    moved = novel.rename(tmp_path / "moved")

    assert novels.noted(services, moved) is None
    assert novels.find_noted(services, str(moved)) == novels.at(services, moved)


@pytest.mark.parametrize("text", ["id: other\ntitle: Ebb\n", "title: Ebb\n", "title: [\n"])
def test_settings_that_do_not_agree_are_looked_at(services: StageServices, novel: Path, text: str) -> None:
    (novel / "Novel.yml").write_text(text, encoding="utf-8")

    assert novels.noted(services, novel) is None
    assert novels.find_noted(services, str(novel)) == novels.at(services, novel)


def test_another_novel_in_its_place_is_not_taken_for_it(
    services: StageServices, novel: Path, tmp_path: Path
) -> None:
    novel_id = novels.at(services, novel).novel_id
    shutil.rmtree(novel)
    other = StageServices()
    a_novel(other, novel)
    novels.enter(other, novels.at(other, novel))

    with pytest.raises(NotFound) as refused:
        registered.document(services, novel_id, "-", noted=True)

    assert refused.value.code == "novel-replaced"


def test_a_novel_that_only_its_note_knows_is_registered_again(novel: Path) -> None:
    elsewhere = StageServices()
    found = novels.find_noted(elsewhere, str(novel))

    novels.ensure_registered(elsewhere, found)

    assert registered.novel(elsewhere, found.novel_id, noted=True) == found


def test_settings_that_never_end_are_not_read(services: StageServices, novel: Path) -> None:
    (novel / "Novel.yml").unlink()
    os.mkfifo(novel / "Novel.yml")

    assert novels.find_noted(services, str(novel)) == novels.at(services, novel)
