"""Git repositories for tests: a workspace, a remote, a second clone, and plans for them."""

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psutil

from penwright.adapters.workspace import GitWorkspaces
from penwright.adapters.workspace.publishing import OpenGate
from penwright.domain.book.profile import BOOK_PROFILE
from penwright.ports.workspaces import Gate, Recorder
from schemas.base import Effect, OpId
from schemas.workspace import Contributor, MutationPlan, Operation, Workspace

START = datetime(2026, 3, 1, 8, 0, tzinfo=UTC)
KNOWN = ("*.md", "Chapters/**", ".ink-kill")
ENGINE = (".ink-*", "Book.md")


@dataclass
class SettableClock:
    """A clock that moves one second with every look."""

    present: datetime = START
    step: timedelta = timedelta(seconds=1)

    def now(self) -> datetime:
        """The present."""
        self.present += self.step
        return self.present


def git(folder: Path, *arguments: str, data: bytes = b"") -> str:
    """Output of a git command that a person runs."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment |= {"LC_ALL": "C", "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        # Without automatic tidying a commit is one process instead of three.
        ["git", "-c", "core.quotePath=false", "-c", "maintenance.auto=false", *arguments],
        cwd=folder,
        input=data,
        capture_output=True,
        env=environment,
        check=False,
    )
    assert done.returncode == 0, (arguments, done.stderr.decode())
    return done.stdout.decode("utf-8", "surrogateescape").rstrip("\n")


def write(folder: Path, files: Mapping[str, str]) -> None:
    """Write files as an editor would."""
    for path, content in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content.encode())


def commit_all(folder: Path, message: str = "By hand") -> str:
    """A person's commit of everything."""
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def make_repository(folder: Path, files: Mapping[str, str] | None = None) -> Path:
    """A repository on branch main with one commit."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main", "--template=")
    (folder / ".git/hooks").mkdir()
    identify(folder)
    write(folder, {"Book.md": "Once.\n", "notes.md": "One.\n\nTwo.\n\nThree.\n"} if files is None else files)
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "Begin")
    return folder


def identify(folder: Path) -> None:
    """Set the person's git identity."""
    with (folder / ".git/config").open("a") as config:
        config.write("[user]\n\tname = Ada Author\n\temail = ada@example.org\n")


def add_remote(folder: Path, bare: Path) -> Path:
    """A bare remote with the commits of the repository."""
    git(folder.parent, "init", "-q", "--bare", "-b", "main", "--template=", str(bare))
    (bare / "hooks").mkdir()
    with (folder / ".git/config").open("a") as config:
        config.write(f'[remote "origin"]\n\turl = {bare}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n')
    git(folder, "push", "-q", "origin", "main")
    return bare


def through_ssh(folder: Path, script: Path) -> dict[str, str]:
    """Make the remote one that is reached through ``script``; returns the environment that says so."""
    git(folder, "remote", "set-url", "origin", "ssh://remote.invalid/book.git")
    return {"PATH": os.environ["PATH"], "GIT_SSH_COMMAND": str(script)}


def clone(bare: Path, folder: Path) -> Path:
    """Another person's clone."""
    git(bare, "clone", "-q", str(bare), str(folder))
    identify(folder)
    return folder


@dataclass
class Book:
    """A workspace under test, with shorthands."""

    folder: Path
    clock: SettableClock = field(default_factory=SettableClock)
    gate: Gate | None = None
    recorder: Recorder | None = None
    lock_wait_s: float = 10.0
    counter: int = 0

    @property
    def workspace(self) -> Workspace:
        """The workspace."""
        return Workspace(path=str(self.folder))

    @property
    def port(self) -> GitWorkspaces:
        """The adapter."""
        return GitWorkspaces(
            self.clock,
            self.gate or OpenGate(),
            self.recorder,
            profile=BOOK_PROFILE,
            lock_wait_s=self.lock_wait_s,
            network_timeout_s=20,
        )

    def effect(self, op_id: str | None = None) -> Effect:
        """A new effect, or the one named."""
        self.counter += 1
        return Effect(op_id=OpId(op_id or f"op-{self.counter}"), issued_at=self.clock.present)

    def blob(self, path: str, at: str = "main") -> str:
        """Blob id of a path."""
        return git(self.folder, "rev-parse", f"{at}:{path}")

    def text(self, path: str, at: str = "main") -> str:
        """Content at a commit."""
        return git(self.folder, "show", f"{at}:{path}")

    def read(self, path: str) -> str:
        """Content in the worktree."""
        return (self.folder / path).read_bytes().decode()

    def status(self) -> str:
        """The output of ``git status``."""
        return git(self.folder, "status", "--porcelain", "--untracked-files=all")

    def tip(self) -> str:
        """The branch tip."""
        return git(self.folder, "rev-parse", "main")


def plan_of(
    workspace: Workspace,
    *operations: Operation,
    message: str = "Write",
    tag: str | None = None,
    trailers: tuple[tuple[str, str], ...] = (),
    contributor: Contributor = Contributor.ENGINE,
) -> MutationPlan:
    """A plan by the engine."""
    return MutationPlan(
        workspace=workspace,
        message=message,
        contributor=contributor,
        operations=operations,
        tag=tag,
        trailers=trailers,
    )


def is_alive(pid: int) -> bool:
    """Whether a process runs, in one question: it may end at any moment."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
