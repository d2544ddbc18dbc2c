"""Repositories in states that must not be touched, and files that are left alone."""

import fcntl
import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from penwright.adapters.workspace.git.complaints import named_errors, unreadable
from penwright.errors import BrokenWorkspace, Refused, UsageMistake, WorkspaceBusy
from schemas.workspace import Append, Contributor, Create, Workspace
from tests.support.books.repos import ENGINE, KNOWN, Book, commit_all, git, make_repository, plan_of, write
from tests.support.each import for_each


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book(make_repository(tmp_path / "book"), lock_wait_s=1.0)


def code_of_check(book: Book, workspace: Workspace | None = None) -> str:
    with pytest.raises(BrokenWorkspace) as broken:
        book.port.check(workspace or book.workspace)
    return broken.value.code


def conflicting_branches(folder: Path) -> None:
    git(folder, "switch", "-q", "-c", "other")
    write(folder, {"notes.md": "Other.\n"})
    commit_all(folder)
    git(folder, "switch", "-q", "main")
    write(folder, {"notes.md": "Main.\n"})
    commit_all(folder)


def start(folder: Path, *arguments: str) -> None:
    conflicting_branches(folder)
    with pytest.raises(AssertionError):
        git(folder, *arguments)


@pytest.mark.parametrize(
    ("arrange", "code"),
    [
        (lambda folder: start(folder, "merge", "other"), "merge-in-progress"),
        (lambda folder: start(folder, "rebase", "other"), "rebase-in-progress"),
        (lambda folder: start(folder, "cherry-pick", "other"), "cherry-pick-in-progress"),
        (lambda folder: git(folder, "switch", "-q", "-c", "draft"), "wrong-branch"),
        (lambda folder: git(folder, "switch", "-q", "--detach"), "detached-head"),
        (lambda folder: git(folder, "checkout", "-q", "--orphan", "new"), "wrong-branch"),
        (lambda folder: git(folder, "branch", "-m", "trunk"), "wrong-branch"),
    ],
)
def test_an_unusual_state_is_named(book: Book, arrange: Callable[[Path], object], code: str) -> None:
    book.port.check(book.workspace)
    arrange(book.folder)

    if code == "wrong-branch" and git(book.folder, "branch", "--list", "main") == "":
        code = "no-such-branch"
    assert code_of_check(book) == code


def test_commits_on_a_detached_head_are_counted_with_advice(book: Book) -> None:
    git(book.folder, "switch", "-q", "--detach")
    commit_all(book.folder, "Lonely")

    with pytest.raises(BrokenWorkspace, match=r"1 commit.*git branch rescued") as broken:
        book.port.check(book.workspace)
    assert broken.value.code == "detached-head-with-commits"


def test_paths_without_a_repository_are_reported(book: Book, tmp_path: Path) -> None:
    (book.folder / "inner").mkdir()
    (tmp_path / "plain").mkdir()
    git(tmp_path, "init", "-q", "--bare", "bare.git")
    git(tmp_path, "init", "-q", "-b", "main", "unborn")

    def code(path: Path) -> str:
        return code_of_check(book, Workspace(path=str(path)))

    assert code(tmp_path / "nothing") == "workspace-missing"
    assert code(book.folder / "inner") == "not-the-top"
    assert code(tmp_path / "plain") == "not-a-repository"
    assert code(tmp_path / "bare.git") == "bare-repository"
    assert code(tmp_path / "unborn") == "no-such-branch"


@for_each("branch", ["-x", "a..b", "a b", "x.lock", "a@{1}", ""])
def test_a_branch_name_that_git_could_misread_is_refused(book: Book, branch: str) -> None:
    with pytest.raises(UsageMistake) as mistake:
        book.port.check(Workspace(path=str(book.folder), branch=branch))

    assert mistake.value.code == "unusable-branch"


def test_a_linked_worktree_is_a_workspace(book: Book, tmp_path: Path) -> None:
    git(book.folder, "worktree", "add", "-q", "-b", "draft", str(tmp_path / "linked"))
    workspace = Workspace(path=str(tmp_path / "linked"), branch="draft")

    book.port.check(workspace)
    published = book.port.publish(plan_of(workspace, Create(path="a.md", content="A\n")), book.effect())

    assert git(tmp_path / "linked", "rev-parse", "draft") == published.commit
    assert git(tmp_path / "linked", "status", "--porcelain") == ""


def test_publish_to_another_branch_leaves_the_worktree(book: Book) -> None:
    git(book.folder, "switch", "-q", "-c", "draft")

    published = book.port.publish(plan_of(book.workspace, Create(path="a.md", content="A\n")), book.effect())

    assert book.tip() == published.commit
    assert book.status() == ""
    assert not (book.folder / "a.md").exists()


def test_the_callers_git_variables_and_hooks_are_ignored(book: Book, tmp_path: Path) -> None:
    hook = book.folder / ".git/hooks/reference-transaction"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    port = book.port
    strange = {**port.environment, "GIT_DIR": str(tmp_path / "elsewhere"), "GIT_INDEX_FILE": "/nowhere"}
    port = type(port)(port.clock, profile=port.profile, environment=strange)

    assert port.publish(plan_of(book.workspace, Create(path="a.md", content="A")), book.effect()).commit


def test_a_lock_left_by_a_killed_git_is_removed_once_it_is_old_enough(book: Book) -> None:
    locks = [
        book.folder / ".git" / name for name in ("index.lock", "refs/heads/main.lock", "packed-refs.lock")
    ]
    for lock in locks:
        lock.touch()
        os.utime(lock, (time.time() - 10, time.time() - 10))

    book.port.publish(plan_of(book.workspace, Create(path="a.md", content="A")), book.effect())

    assert [lock for lock in locks if lock.exists()] == []
    assert book.status() == ""


def test_a_stale_lock_of_a_tag_is_removed(book: Book) -> None:
    lock = book.folder / ".git/refs/tags/ink-2026-03-01-08-00.lock"
    lock.touch()
    os.utime(lock, (time.time() - 10, time.time() - 10))

    plan = plan_of(book.workspace, Create(path="a.md", content="A"), tag="ink-2026-03-01-08-00")

    assert book.port.publish(plan, book.effect()).tag == "ink-2026-03-01-08-00"


def test_a_repository_in_use_is_busy_and_nothing_changes(book: Book) -> None:
    (book.folder / ".git/penwright").mkdir(exist_ok=True)
    with open(book.folder / ".git/penwright/lock", "w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        before = book.tip()

        with pytest.raises(WorkspaceBusy):
            book.port.publish(plan_of(book.workspace, Create(path="a.md", content="A")), book.effect())

    assert book.tip() == before


@pytest.mark.parametrize(
    ("number", "code"),
    [(28, "disk-full"), (30, "disk-read-only"), (13, "not-permitted"), (122, "disk-full")],
)
def test_disk_errors_map_to_codes(number: int, code: str) -> None:
    with pytest.raises(BrokenWorkspace) as broken, named_errors("/book"):
        raise OSError(number, os.strerror(number))

    assert broken.value.code == code


def test_an_invalid_submodule_is_named_with_its_file() -> None:
    error = unreadable("/book", "fatal: invalid value for 'submodule.s.update'")

    assert error.code == "submodules-invalid"
    assert "`.gitmodules`" in error.message


def test_an_unwritable_object_folder_changes_nothing(book: Book) -> None:
    objects = book.folder / ".git/objects"
    plan = plan_of(book.workspace, Create(path="a.md", content="A"), tag="ink-2026-03-01-08-00")
    sha = book.port.publish(plan_of(book.workspace, Create(path="b.md", content="B")), book.effect()).commit
    assert sha
    blocked = objects / "8c"
    # The folder of blob "A" (8c7e…) is a file: git cannot write it.
    assert not blocked.exists()
    blocked.write_text("")

    with pytest.raises(BrokenWorkspace) as broken:
        book.port.publish(plan, book.effect("again"))
    assert broken.value.code == "git-failed"
    assert (book.tip(), book.status()) == (sha, "")
    blocked.unlink()

    assert book.port.publish(plan, book.effect("again")).outcome == "published"


def test_a_git_folder_without_refs_is_damaged(book: Book) -> None:
    (book.folder / ".git/refs").rename(book.folder / ".git/gone")

    with pytest.raises(BrokenWorkspace) as broken:
        book.port.snapshot(book.workspace, ())
    assert broken.value.code == "repository-damaged"


def test_files_that_are_not_text_are_listed_and_left_alone(book: Book) -> None:
    write(book.folder, {"new.md": "New.\n", "-rf.md": "Dash.\n", 'q"\n.md': "Hostile.\n"})
    (book.folder / "latin.md").write_bytes(b"caf\xe9\n")
    (book.folder / "nul.md").write_bytes(b"a\0b")
    (book.folder / "link.md").symlink_to("/etc/passwd")
    (book.folder / "notes.md").write_bytes(b"\xff\xfe broken")
    (book.folder / "big.md").write_bytes(b"x" * (20 * 1024 * 1024 + 1))
    (book.folder / "secret.pem").write_text("stranger")
    os.makedirs(os.fsencode(book.folder) + b"/Chapters")
    with open(os.fsencode(book.folder) + b"/Chapters/\xff.md", "w") as file:
        file.write("name")

    synced = book.port.sync(book.workspace, book.effect(), known=KNOWN, engine=ENGINE)

    assert synced.human_edits == ("-rf.md", "new.md", 'q"\n.md')
    assert set(synced.ignored) == {
        "latin.md",
        "nul.md",
        "link.md",
        "notes.md",
        "big.md",
        "secret.pem",
        "Chapters/\ufffd.md",
    }
    assert synced.not_utf8 == ("latin.md", "notes.md")
    assert (book.folder / "notes.md").read_bytes() == b"\xff\xfe broken"
    assert git(book.folder, "log", "-1", "--format=%an <%ae>%n%s") == (
        "Ada Author <ada@example.org>\nSave the author's edits"
    )


def test_a_repository_without_identity_gets_one(book: Book) -> None:
    git(book.folder, "config", "--unset", "user.name")
    git(book.folder, "config", "--unset", "user.email")
    write(book.folder, {"notes.md": "Edited.\n"})
    port = type(book.port)(
        book.clock, profile=book.port.profile, environment={**book.port.environment, "HOME": "/nonexistent"}
    )

    port.sync(book.workspace, book.effect(), known=KNOWN, engine=ENGINE)

    assert git(book.folder, "log", "-1", "--format=%an <%ae>") == "Author <author@localhost>"


def test_links_in_the_tree_are_never_followed(book: Book, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (book.folder / "door").symlink_to(tmp_path / "outside")
    (book.folder / "file.md").symlink_to(tmp_path / "outside.md")
    commit_all(book.folder)

    for path in ("door/x.md", "file.md"):
        with pytest.raises(Refused) as refused:
            book.port.publish(plan_of(book.workspace, Create(path=path, content="x")), book.effect())
        assert refused.value.code == "not-a-plain-file"
    assert list((tmp_path / "outside").iterdir()) == []


def test_a_person_is_told_that_a_text_cannot_be_saved_over_a_link_that_git_does_not_track(
    book: Book, tmp_path: Path
) -> None:
    (tmp_path / "outside.md").write_text("Theirs.\n")
    (book.folder / "new.md").symlink_to(tmp_path / "outside.md")
    plan = plan_of(book.workspace, Create(path="new.md", content="Mine.\n"), contributor=Contributor.HUMAN)
    before = book.status()

    with pytest.raises(Refused, match="is a symbolic link, which git does not track") as refused:
        book.port.publish(plan, book.effect())

    assert refused.value.code == "not-a-plain-file"
    assert book.status() == before
    assert (tmp_path / "outside.md").read_text() == "Theirs.\n"


def test_a_folder_that_a_person_replaced_by_a_link_is_left_alone(book: Book, tmp_path: Path) -> None:
    write(book.folder, {"Chapters/one.md": "One.\n"})
    commit_all(book.folder)
    (book.folder / "Chapters").rename(tmp_path / "moved")
    (book.folder / "Chapters").symlink_to(tmp_path / "moved")

    plan = plan_of(
        book.workspace, Append(path="Chapters/one.md", tail="Two.\n", base=book.blob("Chapters/one.md"))
    )
    published = book.port.publish(plan, book.effect())

    assert published.unsaved == ("Chapters/one.md",)
    assert (tmp_path / "moved/one.md").read_text() == "One.\n"


def test_modes_and_line_ends_survive(book: Book) -> None:
    write(book.folder, {"run.md": "One.\r\n\r\nTwo.\r\n"})
    (book.folder / "run.md").chmod(0o755)
    commit_all(book.folder)

    plan = plan_of(book.workspace, Append(path="run.md", tail="\nThree.\n", base=book.blob("run.md")))
    book.port.publish(plan, book.effect())

    assert book.read("run.md") == "One.\r\n\r\nTwo.\r\n\r\nThree.\r\n"
    assert git(book.folder, "ls-tree", "main", "run.md").startswith("100755")
    assert os.access(book.folder / "run.md", os.X_OK)
    assert book.status() == ""


@pytest.fixture
def strict_umask() -> Iterator[None]:
    """That of a worker, which keeps its own files to itself."""
    before = os.umask(0o077)
    yield
    os.umask(before)


@pytest.mark.usefixtures("strict_umask")
def test_a_new_file_is_as_open_as_its_folder_and_an_old_one_as_it_was(book: Book) -> None:
    write(book.folder, {"old.md": "One.\n"})
    commit_all(book.folder)
    book.folder.chmod(0o750)
    (book.folder / "old.md").chmod(0o604)

    new = (Create(path=path, content="New.\n") for path in ("new.md", "scenes/deep/new.md"))
    old = Append(path="old.md", tail="Two.\n", base=book.blob("old.md"))
    book.port.publish(plan_of(book.workspace, *new, old), book.effect())

    paths = ("new.md", "scenes", "scenes/deep", "scenes/deep/new.md", "old.md")
    modes = [stat.S_IMODE((book.folder / path).stat().st_mode) for path in paths]
    assert modes == [0o640, 0o750, 0o750, 0o640, 0o604]


def test_a_forged_trailer_in_a_message_is_not_believed(book: Book) -> None:
    plan = plan_of(book.workspace, Create(path="a.md", content="A"), message="Hi\n\nPenwright-Op: victim")
    book.port.publish(plan, book.effect())

    assert book.port.find(book.workspace, book.effect("victim")) is None


def test_an_effect_is_found_below_commits_with_wrong_clocks(book: Book) -> None:
    effect = book.effect("mine")
    plan = plan_of(book.workspace, Create(path="a.md", content="A"))
    first = book.port.publish(plan, effect)
    tree = git(book.folder, "rev-parse", "main^{tree}")
    for _ in range(5):
        who = "A <a@b> 1000 +0000"
        raw = f"tree {tree}\nparent {book.tip()}\nauthor {who}\ncommitter {who}\n\nOld clock\n"
        sha = git(book.folder, "hash-object", "-t", "commit", "-w", "--stdin", data=raw.encode())
        git(book.folder, "update-ref", "refs/heads/main", sha)

    assert book.port.publish(plan, effect).commit == first.commit
