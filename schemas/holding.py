"""Holder of a document: the manuscript loop or the citation scan, never both."""

from schemas.base import Value


def lock_id(novel: str, scene: str) -> str:
    """The id of the child workflow that is a document's lock."""
    return f"document/{novel}/{scene}"


class DocumentHolder(Value):
    """The workflow that has a document to itself, or wants to."""

    novel: str
    scene: str
    workflow_id: str
    session: str
    what: str
    """For people: ``manuscript loop``, ``citation scan``."""

    @property
    def lock_id(self) -> str:
        """The id of the child workflow that is the lock."""
        return lock_id(self.novel, self.scene)


class DocumentHeld(Value):
    """Whether the document was taken; an empty ``code`` says yes."""

    code: str = ""
    """``document-busy``: another workflow has it."""
    message: str = ""
    holder: DocumentHolder | None = None
    """Holder of the lock, where that could be read."""


class FindHolder(Value):
    """Ask who holds a document."""

    lock_id: str


class HolderFound(Value):
    """None: it has just been released, or its holder cannot be read."""

    holder: DocumentHolder | None = None
