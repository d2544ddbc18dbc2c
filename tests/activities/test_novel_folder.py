"""What lies in a novel's folder and cannot be taken in: it is named, and nothing of it is committed."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from penwright.domain.manuscript import transitions
from penwright.domain.manuscript.left_out import emptied_told
from penwright.domain.text.words import count_words
from penwright.errors import BrokenBook, UsageMistake
from schemas.manuscript import ManuscriptOpened, ManuscriptState
from schemas.manuscript_text import PushNovel, SyncNovel
from tests.support.books.repos import add_remote, clone, commit_all, git, write
from tests.support.gateway.services import NOW
from tests.support.manuscripts.novel_repo import NovelRepo, replace
from tests.support.manuscripts.plays import given

DRAFT = "# Ebb\n\nThe keeper counts the lamps at dusk.\n\n# Flow\n\nNobody asks him why.\n"
LATIN = DRAFT.replace("keeper", "gardi\u00e9n").encode("latin-1")


@pytest.fixture
def novel(tmp_path: Path) -> NovelRepo:
    return NovelRepo(tmp_path / "tides", {"-": DRAFT})


def opening(novel: NovelRepo) -> SyncNovel:
    """The first thing that a run asks."""
    fields = novel.fields()
    fields.pop("scene")
    return SyncNovel(**fields)


def pushing(novel: NovelRepo, op: str = "") -> PushNovel:
    return PushNovel(**novel.fields(op))


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        ("title: [\n", "novel-broken-yaml"),
        ("titel: x\n", "novel-missing-key"),
        ("title: a\nid: Über\n", "bad-novel-id"),
    ],
)
def test_a_run_is_refused_while_its_settings_cannot_be_read_and_they_are_not_committed(
    novel: NovelRepo, settings: str, code: str
) -> None:
    before = novel.commits
    write(novel.folder, {"Novel.yml": settings})

    with pytest.raises((BrokenBook, UsageMistake)) as refused:
        novel.ask.sync_novel(opening(novel))

    assert refused.value.code == code
    assert novel.commits == before
    assert (novel.folder / "Novel.yml").read_text() == settings


def test_broken_settings_stay_in_the_folder_when_a_text_is_read_and_are_named(novel: NovelRepo) -> None:
    write(novel.folder, {"Novel.yml": "title: [\n", "manuscript.md": DRAFT + "\nMore.\n"})

    read = novel.read()

    assert read.human_edits == ("manuscript.md",)
    assert "title: [" not in git(novel.folder, "show", "main:Novel.yml")
    assert "'Novel.yml' in the folder was left out" in read.left_out[0]
    assert "line" in read.left_out[0]


def test_mended_settings_are_taken_in_though_broken_ones_were_committed(novel: NovelRepo) -> None:
    sound = (novel.folder / "Novel.yml").read_text()
    write(novel.folder, {"Novel.yml": "title: [\n"})
    commit_all(novel.folder, "Break it")
    write(novel.folder, {"Novel.yml": sound})

    novel.ask.sync_novel(opening(novel))

    assert git(novel.folder, "show", "main:Novel.yml") == sound.strip()


def test_a_scene_that_was_emptied_in_the_folder_is_named_with_its_words_and_the_way_back(
    novel: NovelRepo,
) -> None:
    write(novel.folder, {"manuscript.md": "\n"})

    read = novel.read()

    (said,) = read.left_out
    assert said.startswith("manuscript.md holds no words any more")
    assert said.endswith(f"`penwright manuscript undo {novel.fields()['subject']}` brings them back")
    assert novel.read().left_out == ()
    assert novel.undo().words == count_words(DRAFT)


def test_words_that_moved_to_another_scene_are_not_said_to_be_gone(novel: NovelRepo) -> None:
    write(novel.folder, {"manuscript.md": "\n", "scenes/Pier.md": DRAFT})

    assert novel.read().left_out == ()


def test_a_run_names_the_scenes_that_were_emptied_since(novel: NovelRepo) -> None:
    write(novel.folder, {"manuscript.md": "\n"})

    emptied = emptied_told("tides", novel.ask.sync_novel(opening(novel)).emptied)
    opened = transitions.opened(
        given(), ManuscriptState(), ManuscriptOpened(verdict="open", emptied=emptied), NOW
    )

    assert opened.left_out == emptied
    assert emptied[0].startswith("manuscript.md holds no words any more")


def _latin(place: Path) -> None:
    place.write_bytes(LATIN)


def _binary(place: Path) -> None:
    place.write_bytes(b"\x00\x01" + LATIN)


def _link(place: Path) -> None:
    place.unlink()
    place.symlink_to("/etc/hostname")


def _folder(place: Path) -> None:
    place.unlink()
    place.mkdir()


def _full_folder(place: Path) -> None:
    _folder(place)
    (place / "part.md").write_text("Words.\n")


def _pipe(place: Path) -> None:
    place.unlink()
    os.mkfifo(place)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_latin, "not UTF-8"),
        (_binary, "NUL byte"),
        (_link, "a link"),
        (_folder, "a folder stands in its place"),
        (_full_folder, "a folder stands in its place"),
        (_pipe, "no plain file"),
    ],
)
def test_a_file_that_cannot_be_taken_is_named_and_the_committed_text_stays(
    novel: NovelRepo, spoil: Callable[[Path], None], said: str
) -> None:
    spoil(novel.folder / "manuscript.md")

    read = novel.read()

    assert novel.text(read.text) == DRAFT
    assert novel.committed == DRAFT.strip()
    assert read.left_out[0].startswith("'manuscript.md' in the folder was left out: ")
    assert said in read.left_out[0]


def test_a_file_that_is_gone_is_still_a_deletion(novel: NovelRepo) -> None:
    (novel.folder / "manuscript.md").unlink()

    read = novel.read()

    assert (novel.text(read.text), read.human_edits) == ("", ("manuscript.md",))
    assert ["holds no words any more" in said for said in read.left_out] == [True]


def test_an_edit_that_could_be_read_only_after_a_run_is_merged_with_the_runs_revision(
    novel: NovelRepo,
) -> None:
    (novel.folder / "manuscript.md").write_bytes(LATIN)
    novel.apply(DRAFT, replace("Nobody asks him why.", "Nobody has ever asked him why."))
    write(novel.folder, {"manuscript.md": DRAFT.replace("keeper", "gardién")})

    read = novel.read()

    assert novel.text(read.text) == DRAFT.replace("keeper", "gardién").replace(
        "Nobody asks him why.", "Nobody has ever asked him why."
    )
    assert (novel.folder / "manuscript.md").read_text() == novel.text(read.text)


def test_a_push_that_merges_another_machines_text_says_so_again_when_it_is_repeated(
    novel: NovelRepo, tmp_path: Path
) -> None:
    remote = add_remote(novel.folder, tmp_path / "remote.git")
    other = clone(remote, tmp_path / "other")
    write(other, {"manuscript.md": DRAFT + "\nWritten elsewhere.\n"})
    commit_all(other, "Write elsewhere")
    git(other, "push", "-q", "origin", "main")
    mine = novel.apply(DRAFT, replace("lamps", "lanterns"))

    pushed = novel.ask.push_novel(pushing(novel, "t:push"))
    again = novel.ask.push_novel(pushing(novel, "t:push"))

    assert pushed.outcome == "pushed"
    assert pushed.merged is not None
    assert pushed.merged.revision == novel.revision != mine.revision
    assert pushed.merged.words == novel.read().words
    assert again.merged == pushed.merged


def test_a_push_that_merges_nothing_of_the_scene_says_nothing(novel: NovelRepo, tmp_path: Path) -> None:
    remote = add_remote(novel.folder, tmp_path / "remote.git")
    other = clone(remote, tmp_path / "other")
    write(other, {"scenes/pier.md": "Written elsewhere.\n"})
    commit_all(other, "Write elsewhere")
    git(other, "push", "-q", "origin", "main")
    novel.apply(DRAFT, replace("lamps", "lanterns"))

    assert novel.ask.push_novel(pushing(novel)).merged is None
