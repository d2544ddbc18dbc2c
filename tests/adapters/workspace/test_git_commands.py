"""git as GitPython runs it: its environment, the commands allowed, and the processes left."""

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from penwright.adapters.workspace.git.commands import (
    GitCommands,
    GitFailed,
    GitTimedOut,
    Repo,
    git_environment,
)
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.domain.trace.recorder.recording import LedgerRecorder
from penwright.errors import BrokenWorkspace
from schemas.workspace import Append, Create, Modify, Workspace
from tests.support.books.repos import (
    ENGINE,
    KNOWN,
    Book,
    add_remote,
    commit_all,
    git,
    identify,
    is_alive,
    make_repository,
    plan_of,
    through_ssh,
    write,
)
from tests.support.engine.home import until


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book(make_repository(tmp_path / "book"))


def commands(folder: Path, **variables: str) -> GitCommands:
    return GitCommands.within(folder, git_environment({"PATH": os.environ["PATH"], **variables}))


def a_session(book: Book) -> None:
    """Sync, publish, save, push and roll back, as a session and its errands do."""
    book.port.sync(book.workspace, book.effect(), known=KNOWN, engine=ENGINE)
    for tail in ("Twice.\n", "Thrice.\n"):
        plan = plan_of(
            book.workspace,
            Append(path="Book.md", tail=tail, base=book.blob("Book.md")),
            Create(path=f"Chapters/{tail[:-2]}.md", content=tail),
            tag="ink-2026-03-01-08-00",
        )
        assert book.port.publish(plan, book.effect()).unsaved == ()
    write(book.folder, {"notes.md": "By hand.\n"})
    book.port.save_human_edits(book.workspace, book.effect(), known=KNOWN, engine=ENGINE)
    book.port.push(book.workspace, book.effect())
    book.port.restore(book.workspace, book.effect(), target=None, undo=False)


def assert_sound(book: Book) -> None:
    assert book.read("Book.md") == "Once.\nTwice.\n"
    assert book.status() == ""
    assert git(book.folder, "fsck", "--strict", "--no-dangling") == ""


def test_a_sha256_repository_is_a_workspace(tmp_path: Path) -> None:
    folder = tmp_path / "book"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main", "--object-format=sha256")
    identify(folder)
    write(folder, {"Book.md": "Once.\n", "notes.md": "One.\n"})
    commit_all(folder, "Begin")
    book = Book(folder, recorder=LedgerRecorder("test", BOOK_PROFILE))

    a_session(book)

    assert len(book.tip()) == 64
    assert_sound(book)


def test_an_index_of_version_4_stays_one(book: Book) -> None:
    git(book.folder, "update-index", "--index-version", "4")

    a_session(book)

    assert (book.folder / ".git/index").read_bytes()[:8] == b"DIRC\0\0\0\4"
    assert_sound(book)


def test_a_linked_worktree_has_its_own_index_and_journal(book: Book, tmp_path: Path) -> None:
    linked = tmp_path / 'linked "here"\\'
    git(book.folder, "worktree", "add", "-q", "-b", "draft", str(linked))
    port, workspace = book.port, book.workspace.model_copy(update={"path": str(linked), "branch": "draft"})

    port.publish(plan_of(workspace, Create(path="a.md", content="A\n")), book.effect())

    assert git(linked, "status", "--porcelain") == ""
    assert git(linked, "show", "draft:a.md") == "A"
    assert book.status() == ""


def test_no_hook_or_monitor_of_a_repository_runs(book: Book, tmp_path: Path) -> None:
    add_remote(book.folder, tmp_path / "remote.git")
    marker, script = tmp_path / "ran", tmp_path / "hostile.sh"
    script.write_text(f'#!/bin/sh\necho "$0 $@" >> {marker}\n')
    script.chmod(0o755)
    for name in ("pre-commit", "reference-transaction", "post-index-change", "post-checkout", "pre-push"):
        (book.folder / ".git/hooks" / name).symlink_to(script)
    settings = ("core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "gpg.program")
    for setting in settings:
        git(book.folder, "config", setting, str(script))
    git(book.folder, "config", "commit.gpgSign", "true")

    a_session(book)

    assert not marker.exists()
    git(book.folder, "config", "--unset", "core.fsmonitor")
    assert_sound(book)


def test_git_sees_only_the_variables_it_needs(book: Book, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    wrapper = tmp_path / "bin/git"
    wrapper.parent.mkdir()
    real = subprocess.run(["which", "git"], capture_output=True, text=True, check=True).stdout.strip()
    wrapper.write_text(f'#!/bin/sh\nenv >> {seen}\nexec {real} "$@"\n')
    wrapper.chmod(0o755)
    environment = {
        "PATH": f"{wrapper.parent}:{os.environ['PATH']}",
        "https_proxy": "http://proxy:1",
        "PENWRIGHT_ENCRYPTION_KEY": "secret",
        "GIT_DIR": str(tmp_path),
    }
    port = type(book.port)(book.clock, profile=book.port.profile, environment=environment)

    port.publish(plan_of(book.workspace, Create(path="a.md", content="A")), book.effect())

    told = seen.read_text()
    assert "https_proxy=http://proxy:1" in told
    assert "secret" not in told
    assert "GIT_DIR" not in told


def test_no_setting_of_a_repository_makes_writing_less_durable(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "core.fsync", "none")
    git(tmp_path, "config", "core.fsyncMethod", "writeout-only")

    told = {name: commands(tmp_path).run("config", name) for name in ("core.fsync", "core.fsyncMethod")}

    assert told == {"core.fsync": b"loose-object\n", "core.fsyncMethod": b"fsync\n"}


def test_a_hanging_git_command_is_killed_with_its_process_group(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    child = tmp_path / "child"
    # An alias that begins with an exclamation mark is a shell command.
    git(tmp_path, "config", "alias.hang", f"!sleep 600 & echo $! > {child}; wait")

    with pytest.raises(GitTimedOut):
        commands(tmp_path).run("hang", timeout_s=1.0)

    until(lambda: not is_alive(int(child.read_text())))


def test_closing_the_repository_kills_a_hanging_reader_and_its_group(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    child = tmp_path / "child"
    git(tmp_path, "config", "alias.hang", f"!sleep 600 & echo $! > {child}; echo begun; wait")
    process = commands(tmp_path).start("hang")
    assert process.stdout.readline() == b"begun\n"

    process.__del__()

    until(lambda: not is_alive(int(child.read_text())))


def test_a_failed_command_reports_its_name_and_stderr(book: Book) -> None:
    with pytest.raises(GitFailed, match="git rev-parse ended with 128: fatal"):
        commands(book.folder).run("rev-parse", "--verify", "nothing")
    with pytest.raises(GitFailed, match="git rev-parse ended with 128: fatal"):
        commands(book.folder).rev_parse("nothing", verify=True)


def test_commands_of_gitpythons_own_run_in_the_same_way(book: Book) -> None:
    with closing(Repo(book.folder, expand_vars=False)) as repo:
        repo.git.variables = git_environment({"PATH": os.environ["PATH"]})

        assert repo.git.rev_parse("main") == book.tip()
        assert repo.git.get_object_data("main")[:2] == (book.tip(), "commit")


def test_publishes_leave_no_process_and_no_descriptor(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []

    class Counted(subprocess.Popen[bytes]):
        def __init__(self, command: Sequence[str], **options: Any) -> None:
            super().__init__(command, **options)
            started.append(self)

    monkeypatch.setattr(subprocess, "Popen", Counted)
    port, before = book.port, len(os.listdir("/proc/self/fd"))
    base = book.blob("notes.md")
    rounds = 500 if os.environ.get("PENWRIGHT_SWEEP") == "long" else 25
    for number in range(rounds):
        plan = plan_of(book.workspace, Modify(path="notes.md", content=f"Note {number}.\n", base=base))
        assert port.publish(plan, book.effect()).outcome == "published"
        (base,) = port.snapshot(book.workspace, (), names=("notes.md",)).names.values()

    assert len(started) >= 5 * rounds
    assert all(process.returncode is not None for process in started)
    assert len(os.listdir("/proc/self/fd")) <= before  # fewer: what an earlier test left was collected


def test_a_variable_that_names_another_git_is_ignored(tmp_path: Path) -> None:
    program = "from penwright.adapters.workspace.git.commands import git; print(git.Git('.').version())"
    environ = {**os.environ, "GIT_PYTHON_GIT_EXECUTABLE": "/bin/false"}

    done = subprocess.run([sys.executable, "-c", program], env=environ, capture_output=True, text=True)

    assert done.stdout.startswith("git version"), done.stderr


def test_a_partial_clone_whose_remote_hangs_fails_by_name_and_leaves_no_process(
    book: Book, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(book.folder, "config", "uploadpack.allowFilter", "true")
    partial = tmp_path / "partial"
    git(tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{book.folder}", str(partial))
    marker, script = tmp_path / "child", tmp_path / "hang.sh"
    script.write_text(f"#!/bin/sh\nsleep 600 & echo $! > {marker}\nwait\n")
    script.chmod(0o755)
    environment = through_ssh(partial, script)
    monkeypatch.setattr(GitCommands, "silent_s", 1.0)
    port = type(book.port)(book.clock, profile=BOOK_PROFILE, environment=environment)

    with pytest.raises(BrokenWorkspace) as broken:
        port.snapshot(Workspace(path=str(partial)), ["*.md"])

    assert broken.value.code == "git-timed-out"
    assert "git clone --filter" in broken.value.message
    until(lambda: not is_alive(int(marker.read_text())))


def test_a_writer_that_keeps_silent_is_killed_in_time(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GitCommands, "silent_s", 0.3)
    commands = GitCommands.within(book.folder, git_environment(os.environ))
    process = commands.start("hash-object", "--stdin-paths")

    with pytest.raises(GitTimedOut):
        process.stdout.readline()

    assert process.proc is not None
    assert process.proc.wait() == -9


def test_a_fetch_ends_with_the_process_that_asked_for_it(book: Book, tmp_path: Path) -> None:
    marker, script = tmp_path / "child", tmp_path / "hang.sh"
    script.write_text(f"#!/bin/sh\nsleep 600 & echo $! > {marker}\nwait\n")
    script.chmod(0o755)
    add_remote(book.folder, tmp_path / "remote.git")
    environment = through_ssh(book.folder, script)
    program = (
        "import os, sys; from pathlib import Path\n"
        "from penwright.adapters.workspace.git.commands import *\n"
        "GitCommands.within(Path(sys.argv[1]), git_environment(os.environ)).run('fetch', 'origin')"
    )
    worker = subprocess.Popen([sys.executable, "-c", program, str(book.folder)], env=environment)
    until(lambda: marker.exists() and marker.read_text().strip() != "")
    child = int(marker.read_text())
    assert is_alive(child)

    worker.kill()
    worker.wait()

    until(lambda: not is_alive(child))


def test_a_remote_command_keeps_its_status_and_complaints_and_leaves_nothing(
    book: Book, tmp_path: Path
) -> None:
    add_remote(book.folder, tmp_path / "remote.git")
    told = commands(book.folder).run("ls-remote", "--", "origin", "main")
    assert told.split() == [book.tip().encode(), b"refs/heads/main"]

    status, out, complaint = commands(book.folder).attempt("fetch", "origin", "no-such-branch")

    assert (status, out) == (128, b"")
    assert complaint.strip() == "fatal: couldn't find remote ref no-such-branch"
    listed = subprocess.run(["ps", "-eo", "ppid,args"], capture_output=True, text=True).stdout.splitlines()
    assert not [row for row in listed if row.split()[0] == str(os.getpid()) and "kill -9 -$$" in row]
