"""A tree in memory, for files that no workspace would hold."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from penwright.agents.files.filesystem import PathKind


@dataclass
class MemoryTree:
    """A tree in memory, with git's own blob ids."""

    files: dict[str, bytes] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    """Target by path."""

    def kind(self, path: str) -> PathKind | None:
        if path in self.links:
            return "link"
        return "file" if path in self.files else "folder" if self.names(path) else None

    def content(self, path: str) -> bytes | None:
        return self.files.get(path)

    def names(self, folder: str) -> tuple[str, ...]:
        front = f"{folder}/" if folder else ""
        inside = (path[len(front) :] for path in (*self.files, *self.links) if path.startswith(front))
        return tuple({path.partition("/")[0] for path in inside})

    def blob(self, path: str) -> str:
        content = self.files.get(path)
        if content is None:
            return ""
        return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
