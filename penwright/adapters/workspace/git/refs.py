"""Refs as git keeps them in files, read without a process."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from penwright.adapters.workspace.git.layout import plain_bytes

_NAME = re.compile(r"refs/(?:heads|tags|remotes|penwright)/[A-Za-z0-9_./+@=#-]+")
"""The names that all worktrees share, without anything that means another commit than the ref's."""
_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_DEEPEST = 5


def is_id(name: str) -> bool:
    """Whether a name is the whole id of an object."""
    return _ID.fullmatch(name) is not None


def is_ref(name: str) -> bool:
    """Whether a name is that of a ref which is looked up here."""
    return _NAME.fullmatch(name) is not None and not any(part in name for part in ("..", "@{", "//"))


@dataclass(frozen=True, slots=True)
class RefFiles:
    """The refs of one repository, by the folder that all its worktrees share."""

    folder: Path

    def read(self, name: str) -> str | None:
        """The id that a ref holds; None if there is no such ref."""
        for _ in range(_DEEPEST):
            said = self._loose(name) or self._packed_one(name)
            if not said.startswith("ref: "):
                break
            name = said.removeprefix("ref: ").strip()
        return said if is_id(said) else None

    def below(self, *patterns: str) -> dict[str, str]:
        """Refs in folders, or with names that have a star at the end, and the ids they hold, by name.

        Of a packed tag, the id is that of the commit it means.
        """
        # Loose ones first: one that is packed meanwhile is found twice rather than never.
        loose = {name: self._loose(name) for pattern in patterns for name in self._files(pattern)}
        found = {**dict(self._packed()), **{name: sha for name, sha in loose.items() if is_id(sha)}}
        return {name: found[name] for name in sorted(found) if any(_fits(name, each) for each in patterns)}

    def _loose(self, name: str) -> str:
        try:
            return plain_bytes(self.folder / name).decode("ascii", "replace").strip()
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return ""

    def _files(self, pattern: str) -> Iterator[str]:
        """Loose refs in the folder that a pattern names, or in that of a name with a star."""
        top = pattern.rpartition("/")[0] if "*" in pattern else pattern
        for folder, _, names in os.walk(self.folder / top):
            below = Path(folder).relative_to(self.folder)
            yield from (f"{below}/{name}" for name in names if not name.endswith(".lock"))

    def _packed_one(self, name: str) -> str:
        before, found, _ = self._packed_file().partition(f" {name}\n".encode())
        return before.rpartition(b"\n")[2].decode("ascii", "replace") if found else ""

    def _packed(self) -> Iterator[tuple[str, str]]:
        name = ""
        for line in self._packed_file().decode("utf-8", "replace").splitlines():
            if line.startswith("^"):
                yield name, line[1:]
            elif not line.startswith("#"):
                sha, _, name = line.partition(" ")
                yield name, sha

    def _packed_file(self) -> bytes:
        try:
            return plain_bytes(self.folder / "packed-refs")
        except FileNotFoundError:
            return b""


def _fits(name: str, pattern: str) -> bool:
    return name.startswith(f"{pattern.rstrip('/')}/") or fnmatchcase(name, pattern)


def are_plain(folder: Path) -> bool:
    """Whether files say all of the refs, and no object is replaced by another."""
    refs = RefFiles(folder)
    return not (folder / "reftable").exists() and not refs.below("refs/replace")
