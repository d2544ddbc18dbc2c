"""The port ``Tree`` over a committed tree."""

from dataclasses import dataclass
from typing import Literal

from penwright.adapters.workspace import trees
from penwright.adapters.workspace.git.entries import FOLDER, LINK, Entry
from penwright.adapters.workspace.git.objects import Objects


@dataclass(frozen=True, slots=True)
class CommittedTree:
    """A tree as the gate and the ledger read it."""

    objects: Objects
    tree: str

    def kind(self, path: str) -> Literal["file", "folder", "link", "submodule"] | None:
        entry = self._entry(path)
        if entry is None:
            return None
        kinds: dict[str, Literal["folder", "link"]] = {FOLDER: "folder", LINK: "link"}
        return "file" if entry.is_text_file else kinds.get(entry.mode, "submodule")

    def content(self, path: str) -> bytes | None:
        entry = self._entry(path)
        return self.objects.blob(entry.sha) if entry and entry.is_text_file else None

    def blob(self, path: str) -> str:
        entry = self._entry(path)
        return entry.sha if entry and entry.is_text_file else ""

    def names(self, folder: str) -> tuple[str, ...]:
        entry = self._entry(folder) if folder else Entry(FOLDER, self.tree)
        if entry is None or entry.mode != FOLDER:
            return ()
        return tuple(self.objects.tree(entry.sha))

    def _entry(self, path: str) -> Entry | None:
        return trees.entry_at(self.objects, self.tree, path)
