"""Ports of the sources that belong to a novel or paper."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from schemas.library import IndexedText, LibraryPassage, OwnSource
from schemas.memory import Vectors
from schemas.scholarly import Reference
from schemas.workspace import Workspace


class SourceLibrary(Protocol):
    """Passages of the files in ``sources/``; nothing of a question leaves the machine.

    A file that was not read yet is read first, which may take a minute; one that cannot be read has no
    passages. Calls block.
    """

    def search(self, workspace: Workspace, words: str, limit: int) -> tuple[LibraryPassage, ...]:
        """Return passages about ``words``, best first; those of reference lists are left out."""
        ...

    def passages_of(self, workspace: Workspace, work: Reference) -> tuple[LibraryPassage, ...]:
        """Return all passages of the files that are this work, in their order; empty if there is none."""
        ...

    def sources(self, workspace: Workspace) -> tuple[OwnSource, ...]:
        """Return the sources at the tip, by name, without reading any."""
        ...


class PassageIndex(Protocol):
    """Passages of texts by the git blob id of their file: derived data, made again where it is missing."""

    def known(self, blobs: Collection[str]) -> Mapping[str, IndexedText]:
        """Return what is kept of those texts by the present rules; others are to be put."""
        ...

    def put(
        self, blob: str, indexed: IndexedText, passages: Sequence[LibraryPassage], vectors: Vectors
    ) -> None:
        """Keep the passages of a text in place of what was kept of it."""
        ...

    def search(
        self, blobs: Collection[str], words: str, vector: Vectors, limit: int
    ) -> tuple[tuple[str, LibraryPassage], ...]:
        """Return passages of those texts with the blob of each, best first; none of reference lists."""
        ...

    def passages(self, blob: str) -> tuple[LibraryPassage, ...]:
        """Return all passages of a text in its order."""
        ...
