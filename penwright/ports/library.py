"""Port of the sources that belong to a novel or paper."""

from typing import Protocol

from schemas.library import LibraryPassage
from schemas.scholarly import Reference
from schemas.workspace import Workspace


class SourceLibrary(Protocol):
    """Passages of the files in ``sources/``; nothing of a question leaves the machine."""

    def search(self, workspace: Workspace, words: str, limit: int) -> tuple[LibraryPassage, ...]:
        """Return passages about ``words``, best first; those of reference lists are left out."""
        ...

    def passages_of(self, workspace: Workspace, work: Reference) -> tuple[LibraryPassage, ...]:
        """Return all passages of the source that is this work, in its order; empty if there is none."""
        ...
