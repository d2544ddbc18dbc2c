"""Subjects of rights: how the store's names of books, novels and scenes read in a principal's list."""

from collections.abc import Iterable
from typing import Final

from gateway.desk.principals import Principal, sees
from gateway.desk.services import CommandStore, Services
from penwright.errors import NotFound, UsageMistake
from schemas.base import BookId
from schemas.memory_indexing import SUBJECT as MEMORIES
from schemas.worlds import Scene

WORLDS: Final = "worlds"
"""Worlds, campaigns, arcs, characters, personas and lorebooks; many scenes share them, so rights name all
of them together."""

_LISTS: Final = {
    "book": "penwright book list",
    "novel": "penwright manuscript list",
    "scene": "penwright scene list",
}
"""Kinds of subjects, each with the command that lists its ids."""


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


def check_subjects(services: Services, named: Iterable[str], *, future: bool = False) -> None:
    """Refuse what is no subject of rights, or one that does not exist.

    Args:
        future: whether it may come into being later.

    Raises:
        UsageMistake: ``bad-subject``.
        NotFound: ``no-such-subject``.
    """
    with services.open_store() as store:
        for each in named:
            kind, _, id = each.partition("/")
            if each not in (WORLDS, MEMORIES) and not (kind in _LISTS and id):
                raise UsageMistake(
                    "bad-subject",
                    f"{each!r} is no subject of a token",
                    hint=f"write {', '.join(f'{one}/ID' for one in _LISTS)}, {WORLDS} or {MEMORIES}",
                )
            if kind in _LISTS and not (future or _exists(store, kind, id)):
                raise NotFound(
                    "no-such-subject",
                    f"there is no {kind} {id!r}; no token was made",
                    hint=f"`{_LISTS[kind]}` shows the ids; `--future` of "
                    "`penwright web tokens create NAME --scope read` takes one that does not exist yet",
                )


def _exists(store: CommandStore, kind: str, id: str) -> bool:
    if kind == "scene":
        return store.worlds.read(Scene, id) is not None
    row = store.records.book(BookId(id))
    return row is not None and row.kind == kind
