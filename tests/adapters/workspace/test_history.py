"""The contract of ``History``, over real git."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from penwright.adapters.workspace.history import GitHistory
from penwright.errors import BrokenWorkspace
from penwright.ports.history import ChangedFile, History
from schemas.workspace import Workspace
from tests.support.books.repos import commit_all, git, identify, make_repository, write

HISTORY: History = GitHistory()
"""One for all tests: it reads many repositories, each more than once."""
STEP = "Penwright-Step: {}\nPenwright-Session: {}"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(path=str(make_repository(tmp_path / "book", {"a.md": "One.\n"})))


@pytest.fixture
def top(workspace: Workspace) -> Path:
    return Path(workspace.path)


def step(top: Path, name: str, session: str, files: dict[str, str]) -> str:
    write(top, files)
    return commit_all(top, f"Session: {name}\n\nIt went well.\n\n{STEP.format(name, session)}")


def test_a_commit_is_told_with_its_trailers_tags_and_what_it_added(workspace: Workspace, top: Path) -> None:
    sha = step(top, "close", "s1", {"Log/s1.md": "Done.\n", "a.md": "Two.\n", "b.md": "Beside.\n"})
    git(top, "tag", "ink-1")

    (newest,) = HISTORY.log(workspace, 1, paths=("Log", "a.md"))

    assert (newest.sha, newest.subject, newest.tags) == (sha, "Session: close", ("ink-1",))
    assert newest.trailers == {"Penwright-Step": "close", "Penwright-Session": "s1"}
    assert newest.added == ("Log/s1.md",)
    assert newest.author == git(top, "show", "-s", "--format=%an")
    assert newest.at == datetime.fromtimestamp(int(git(top, "show", "-s", "--format=%ct")), UTC)


def test_the_log_begins_with_the_newest_and_keeps_to_steps_paths_and_a_tip(
    workspace: Workspace, top: Path
) -> None:
    begun = git(top, "rev-parse", "HEAD")
    closed = step(top, "close", "s1", {"a.md": "Two.\n"})
    released = step(top, "release", "s2", {"b.md": "Two.\n"})
    opened = step(top, "open", "s3", {"c.md": "Two.\n"})

    def shas(*limit: int, **only: object) -> list[str]:
        return [each.sha for each in HISTORY.log(workspace, *limit, **only)]  # type: ignore[arg-type]

    assert shas() == [opened, released, closed, begun]
    assert shas(2) == [opened, released]
    assert shas(steps=("close", "release")) == [released, closed]
    assert shas(paths=("a.md",)) == [closed, begun]
    assert shas(tip=closed) == [closed, begun]
    assert shas(tip="0" * 40) == []


def test_a_branch_that_is_not_there_has_no_commits(workspace: Workspace) -> None:
    nowhere = workspace.model_copy(update={"branch": "nowhere"})

    assert HISTORY.log(nowhere) == HISTORY.log(nowhere, unpushed=True) == ()
    assert not HISTORY.is_checked_out(nowhere)


def test_people_cannot_write_what_looks_like_a_commit(workspace: Workspace, top: Path) -> None:
    git(top, "config", "user.name", "\x01Ann\x1e")
    write(top, {"a.md": "Two.\n"})
    commit_all(top, "\x01Title\x1f\x1e\n\n\x01\x1e" + "0" * 40)

    assert [each.subject for each in HISTORY.log(workspace)] == ["\x01Title\x1f\x1e", "Begin"]


def test_commits_that_were_set_aside_are_told_apart_from_those_of_the_branch(
    workspace: Workspace, top: Path
) -> None:
    gone = step(top, "close", "s1", {"a.md": "Two.\n"})
    git(top, "update-ref", "refs/penwright/archive/1", gone)
    git(top, "reset", "-q", "--hard", "HEAD^")

    assert [each.sha for each in HISTORY.log(workspace, archived=True)] == [gone]
    assert not HISTORY.holds(workspace, gone)
    assert HISTORY.holds(workspace, git(top, "rev-parse", "HEAD"))
    assert not HISTORY.holds(workspace, "0" * 40)


def test_what_two_commits_have_differently_is_told_by_file_and_in_lines(
    workspace: Workspace, top: Path
) -> None:
    before = git(top, "rev-parse", "HEAD")
    after = step(top, "close", "s1", {"a.md": "Two.\n", "Log/ü \t1.md": "Done.\n", "beside.md": "No.\n"})
    old, new = (git(top, "rev-parse", f"{each}:a.md") for each in (before, after))
    paths = ("a.md", "Log")

    made, changed = HISTORY.between(workspace, before, after, paths)

    assert changed == ChangedFile("a.md", old, new)
    assert (made.path, made.before) == ("Log/ü \t1.md", "")
    assert "\n-One.\n+Two." in HISTORY.lines_between(workspace, before, after, paths)
    assert "beside" not in HISTORY.lines_between(workspace, before, after, paths)
    assert HISTORY.between(workspace, after, after, paths) == ()


def test_texts_are_read_in_the_order_of_their_names(tmp_path: Path) -> None:
    files = {"a.md": "One.\n", "b.md": "", "c.md": "Long.\n" * 9}
    workspace = Workspace(path=str(make_repository(tmp_path / "book", files)))
    names = ("HEAD:b.md", "HEAD:none.md", "HEAD:", "HEAD:c.md", "0" * 40, "HEAD:a.md")

    assert HISTORY.at(workspace, names, longest=20) == ("", None, None, None, None, "One.\n")
    assert HISTORY.at(workspace, names)[3] == "Long.\n" * 9


def test_a_commit_is_found_by_its_id_a_tag_and_the_tip_of_the_branch(workspace: Workspace, top: Path) -> None:
    sha = git(top, "rev-parse", "HEAD")
    git(top, "tag", "-a", "ink-1", "-m", "One")
    git(top, "checkout", "-qb", "aside")
    commit_all(top, "Aside")

    assert {HISTORY.commit(workspace, each) for each in (sha[:12], "ink-1", "HEAD")} == {sha}
    assert HISTORY.commit(workspace, "--all") is None
    assert HISTORY.commit(workspace, "none") is None


def test_edits_in_the_folder_are_named_new_files_too(workspace: Workspace, top: Path) -> None:
    assert HISTORY.edited(workspace, ("a.md", "Log")) == ()

    write(top, {"a.md": "Two.\n", "Log/ü 1.md": "New.\n", "beside.md": "No.\n"})

    assert set(HISTORY.edited(workspace, ("a.md", "Log"))) == {"a.md", "Log/ü 1.md"}
    assert HISTORY.is_checked_out(workspace)


def test_the_branch_of_the_remote_is_compared_as_it_was_fetched(
    workspace: Workspace, top: Path, tmp_path: Path
) -> None:
    assert not HISTORY.ask_remote(workspace)
    assert HISTORY.remote(workspace) == (frozenset(), False)
    git(tmp_path, "clone", "-q", "--bare", str(top), "origin.git")
    git(top, "remote", "add", "origin", str(tmp_path / "origin.git"))
    git(top, "fetch", "-q")
    assert HISTORY.ask_remote(workspace)
    assert HISTORY.remote(workspace) == (frozenset(), False)
    assert HISTORY.log(workspace, unpushed=True) == ()

    git(tmp_path, "clone", "-q", "origin.git", "other")
    identify(tmp_path / "other")
    theirs = commit_all(tmp_path / "other", "Theirs")
    git(tmp_path / "other", "push", "-q")
    git(top, "fetch", "-q")
    ours = commit_all(top, "Ours")

    assert HISTORY.remote(workspace) == (frozenset({theirs}), True)
    assert [each.sha for each in HISTORY.log(workspace, unpushed=True)] == [ours]


def test_a_remote_that_does_not_answer_is_an_error(workspace: Workspace, top: Path) -> None:
    git(top, "remote", "add", "origin", str(top / "nowhere"))

    with pytest.raises(BrokenWorkspace, match="nowhere"):
        HISTORY.ask_remote(workspace)


def test_without_a_remote_every_commit_waits(workspace: Workspace) -> None:
    assert len(HISTORY.log(workspace, unpushed=True)) == 1


def test_a_clone_has_a_name_once_it_has_kept_a_log(workspace: Workspace, top: Path) -> None:
    assert HISTORY.clone(workspace) == ""

    write(top, {".git/penwright/clone": "c1\n"})

    assert HISTORY.clone(workspace) == "c1"
    assert HISTORY.private_folder(workspace) == top / ".git/penwright"


def test_a_folder_without_a_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BrokenWorkspace):
        HISTORY.log(Workspace(path=str(tmp_path)))
