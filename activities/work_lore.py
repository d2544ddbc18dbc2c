"""The lorebooks of books and novels, for the prompts of their writers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock

from penwright.domain.lore.index import LoreIndexes
from penwright.domain.lore.telling import for_section, for_session
from penwright.ports.scenes import Worlds
from schemas.base import BookId
from schemas.book import SessionPayload
from schemas.lore import Lorebook, LoreTold
from schemas.records import WorkspaceKind


def lorebooks_of(worlds: Worlds, kind: WorkspaceKind, work: str) -> tuple[Lorebook, ...]:
    """Return the lorebooks that are attached to a book or novel, with entries; attached longest first."""
    read = (worlds.read(Lorebook, each.book) for each in worlds.attachments([(kind, work)]))
    return tuple(each for each in read if each is not None)


@dataclass(frozen=True, slots=True)
class WorkLore:
    """Chooses lore for prompts."""

    worlds: Worlds | None = None
    """None: there is none."""
    indexes: LoreIndexes = field(default_factory=lambda: LoreIndexes(lock=Lock()))

    def in_session(self, book: BookId, payload: SessionPayload) -> SessionPayload:
        """Return a session's payload with the lore of what else is in it; as it is, if none is attached."""
        books = lorebooks_of(self.worlds, "book", book) if self.worlds is not None else ()
        told = for_session(books, book, payload, self.indexes) if books else None
        return payload.model_copy(update={"lore": told})

    def in_novel(self, novel: str, scene: str, texts: Mapping[str, str]) -> LoreTold | None:
        """Tell a role what the novel's lorebooks have of some texts, as ``for_section``; None without any."""
        books = lorebooks_of(self.worlds, "novel", novel) if self.worlds is not None else ()
        return for_section(books, f"{novel}/{scene}", texts, self.indexes) if books else None
