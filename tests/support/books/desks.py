"""A desk: a git workspace with a person at it."""

from dataclasses import dataclass, field
from pathlib import Path

from penwright.ports.workspaces import Gate, Recorder, Workspaces
from schemas.base import Effect
from schemas.workspace import Workspace
from tests.support.books import repos

FILES = {"Book.md": "Once.\n", "notes.md": "One.\n\nTwo.\n\nThree.\n", "settings.yml": "a: 1\n"}


@dataclass
class Desk:
    """A person's actions, and the port under test."""

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

    def identify(self, name: str) -> None:
        """Let ``name`` be git's author of what people commit from now on, here or elsewhere."""
        for folder in (self.book.folder, self.root / "elsewhere"):
            if folder.exists():
                repos.git(folder, "config", "user.name", name)

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
