"""Drafts of a novel's scenes, saved through the editing of the scene."""

from pathlib import Path

import pytest

from gateway.desk.drafts.desk import DraftDesk
from gateway.desk.principals import Principal, local_user
from gateway.desk.works import novels
from penwright.domain.manuscript.layout import SCENES_FOLDER
from penwright.errors import PenwrightError
from schemas.drafts import Appended
from tests.support.each import for_each
from tests.support.gateway.services import Run, StageServices, git_in

ANN = local_user("ann")
TEXT = "# Dawn\n\nThe tide is out.\n"


@pytest.fixture
def novel(run: Run, services: StageServices, tmp_path: Path) -> Path:
    place = tmp_path / "tides"
    code, _, err = run("manuscript", "new", str(place), "--title", "Low Tide", "--author", "M.")
    assert code == 0, err
    (place / SCENES_FOLDER).mkdir(exist_ok=True)
    (place / SCENES_FOLDER / "dawn.md").write_text(TEXT)
    git_in(place, "add", ".")
    git_in(place, "commit", "-q", "-m", "By hand")
    return place


@pytest.fixture
def named(novel: Path, services: StageServices) -> str:
    found = novels.at(services, novel)
    novels.enter(services, found)
    return found.novel_id


@pytest.fixture
def desk(services: StageServices) -> DraftDesk:
    return DraftDesk(services)


async def test_a_scene_is_typed_into_and_saved(desk: DraftDesk, named: str, novel: Path) -> None:
    opened = desk.open(ANN, named, "dawn")
    assert opened.text == TEXT

    desk.change(ANN, opened.draft.draft_id, 0, "a1", (len(TEXT), (0, "It comes.", "")))
    saved = await desk.save(ANN, opened.draft.draft_id)

    assert saved.commit
    assert not saved.draft.draft.unsaved
    assert (novel / SCENES_FOLDER / "dawn.md").read_text() == TEXT + "It comes.\n"
    assert "Penwright-Person: ann" in git_in(novel, "log", "-1", "--format=%B")


async def test_a_scene_that_is_not_there_yet_begins_with_the_first_words(
    desk: DraftDesk, named: str, novel: Path
) -> None:
    opened = desk.open(ANN, named, "dusk")
    assert opened.text == ""

    desk.change(ANN, opened.draft.draft_id, 0, "a1", ((0, "Night.", ""),))
    await desk.save(ANN, opened.draft.draft_id)

    assert (novel / SCENES_FOLDER / "dusk.md").read_text() == "Night.\n"


async def test_what_was_changed_meanwhile_is_brought_in(desk: DraftDesk, named: str, novel: Path) -> None:
    opened = desk.open(ANN, named, "dawn")
    desk.change(ANN, opened.draft.draft_id, 0, "a1", (len(TEXT), (0, "It comes.", "")))
    (novel / SCENES_FOLDER / "dawn.md").write_text(TEXT.replace("out", "in"))

    saved = await desk.save(ANN, opened.draft.draft_id)

    assert saved.draft.text == TEXT.replace("out", "in") + "It comes.\n"
    assert (novel / SCENES_FOLDER / "dawn.md").read_text() == saved.draft.text


def test_a_right_to_the_novel_is_a_right_to_its_scenes(desk: DraftDesk, named: str) -> None:
    own = Principal("eve", frozenset({"write"}), frozenset({f"novel/{named}"}))
    other = Principal("eve", frozenset({"write"}), frozenset({f"book/{named}"}))

    draft = desk.open(own, named, "dawn").draft.draft_id

    assert desk.change(own, draft, 0, "e1", (len(TEXT), (0, "x"))) == Appended(version=1)
    with pytest.raises(PenwrightError):
        desk.open(other, named, "dawn")


@for_each("scene", ["../x", "a/b", "", ".git", "x\0"])
def test_a_name_that_is_no_scenes_is_refused(desk: DraftDesk, named: str, scene: str) -> None:
    with pytest.raises(PenwrightError):
        desk.open(ANN, named, scene)
