"""A desk: a workspace with a person at it, over real git or in memory, for the contract of ``Workspaces``."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from penwright.domain.book.profile import BOOK_PROFILE
from penwright.ports.workspaces import Gate, Recorder, Workspaces
from schemas.base import Effect, OpId
from schemas.workspace import Workspace
from tests.support.books import repos
from tests.support.doubles.workspaces import MemoryWorkspaces

FILES = {"Book.md": "Once.\n", "notes.md": "One.\n\nTwo.\n\nThree.\n", "settings.yml": "a: 1\n"}


class Desk(Protocol):
    """A person's actions, and the port under test."""

    @property
    def port(self) -> Workspaces: ...
    @property
    def workspace(self) -> Workspace: ...
    def effect(self, op_id: str | None = None) -> Effect: ...
    def edit(self, path: str, text: str | None) -> None: ...
    def commit(self, path: str, text: str) -> None: ...
    def add_remote(self) -> None: ...
    def cut_remote(self) -> None: ...
    def push_from_elsewhere(self, path: str, text: str) -> None: ...
    def lying(self, path: str) -> str | None: ...


@dataclass
class GitDesk:
    """A desk over real git."""

    root: Path
    gate: Gate | None = None
    recorder: Recorder | None = None
    book: repos.Book = field(init=False)

    def __post_init__(self) -> None:
        folder = repos.make_repository(self.root / "book", FILES)
        self.book = repos.Book(folder, gate=self.gate, recorder=self.recorder)

    @property
    def port(self) -> Workspaces:
        return self.book.port

    @property
    def workspace(self) -> Workspace:
        return self.book.workspace

    def effect(self, op_id: str | None = None) -> Effect:
        return self.book.effect(op_id)

    def edit(self, path: str, text: str | None) -> None:
        if text is None:
            (self.book.folder / path).unlink()
        else:
            repos.write(self.book.folder, {path: text})

    def commit(self, path: str, text: str) -> None:
        repos.write(self.book.folder, {path: text})
        repos.git(self.book.folder, "add", "--", path)
        repos.git(self.book.folder, "commit", "-q", "-m", "By hand", "--", path)

    def add_remote(self) -> None:
        repos.add_remote(self.book.folder, self.root / "remote.git")
        repos.clone(self.root / "remote.git", self.root / "elsewhere")

    def cut_remote(self) -> None:
        (self.root / "remote.git").rename(self.root / "gone.git")

    def push_from_elsewhere(self, path: str, text: str) -> None:
        elsewhere = self.root / "elsewhere"
        repos.git(elsewhere, "pull", "-q", "--ff-only")
        repos.write(elsewhere, {path: text})
        repos.commit_all(elsewhere)
        repos.git(elsewhere, "push", "-q", "origin", "main")

    def lying(self, path: str) -> str | None:
        file = self.book.folder / path
        return file.read_bytes().decode() if file.exists() else None


@dataclass
class MemoryDesk:
    """A desk in memory."""

    root: Path
    gate: Gate | None = None
    recorder: Recorder | None = None
    clock: repos.SettableClock = field(default_factory=repos.SettableClock)
    counter: int = 0
    memory: MemoryWorkspaces = field(init=False)

    def __post_init__(self) -> None:
        self.memory = MemoryWorkspaces(self.clock, self.gate, self.recorder, profile=BOOK_PROFILE)
        self.memory.create(self.workspace, FILES)

    @property
    def port(self) -> Workspaces:
        return self.memory

    @property
    def workspace(self) -> Workspace:
        return Workspace(path=str(self.root / "book"))

    def effect(self, op_id: str | None = None) -> Effect:
        self.counter += 1
        return Effect(op_id=OpId(op_id or f"op-{self.counter}"), issued_at=self.clock.present)

    def edit(self, path: str, text: str | None) -> None:
        self.memory.edit(self.workspace, path, text)

    def commit(self, path: str, text: str) -> None:
        self.memory.commit_by_hand(self.workspace, path, text)

    def add_remote(self) -> None:
        self.memory.add_remote(self.workspace)

    def cut_remote(self) -> None:
        self.memory.cut_remote(self.workspace)

    def push_from_elsewhere(self, path: str, text: str) -> None:
        self.memory.push_from_elsewhere(self.workspace, path, text)

    @property
    def tip(self) -> str:
        """The commit the branch is at."""
        return self.port.snapshot(self.workspace, []).tip

    def identify(self, name: str) -> None:
        """Let ``name`` be git's author of what people commit from now on, here or elsewhere."""
        self.memory.identify(self.workspace, name)

    def make_remote_since(self, commit: str) -> None:
        """Let what was committed since ``commit`` have been pushed from elsewhere, and not be here."""
        self.memory.make_remote_since(self.workspace, commit)

    def rebase(self, *, stripped: bool) -> None:
        """Replay what the remote lacks on top of it; ``stripped``: without trailers."""
        self.memory.rebase(self.workspace, stripped=stripped)

    def lying(self, path: str) -> str | None:
        return self.memory.lying(self.workspace, path)
