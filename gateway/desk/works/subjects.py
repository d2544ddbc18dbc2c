"""Subjects of rights: how the store's names of books, novels and scenes read in a principal's list."""

from typing import Final

from gateway.desk.principals import Principal, sees
from schemas.memory_indexing import SUBJECT as MEMORIES

WORLDS: Final = "worlds"
"""Worlds, campaigns, arcs, characters, personas and lorebooks; many scenes share them, so rights name all
of them together."""


def subject_of(stored: str) -> str:
    """``book/ID``, ``novel/ID`` or ``scene/ID`` for the subject of a run or an event.

    The store names a book by its id, a document of a novel as ``NOVEL/SCENE``, a scene as ``scene/ID``; the
    memories of all scenes are one subject.
    """
    if stored == MEMORIES or stored.startswith("scene/"):
        return stored
    first, slash, _ = stored.partition("/")
    return f"novel/{first}" if slash else f"book/{first}"


def sees_stored(principal: Principal, stored: str) -> bool:
    """Whether ``principal`` may see a run or an event about ``stored``."""
    return sees(principal, subject_of(stored))
