"""Which entries of a lorebook a text mentions, and where."""

from dataclasses import dataclass, field
from threading import Lock

from gateway.desk.principals import Principal
from gateway.desk.services import Services
from gateway.desk.worlds import permitted
from gateway.desk.worlds.kinds import LOREBOOK
from penwright.domain.lore.index import LoreIndexes
from penwright.domain.lore.mentions import Mention, mentions

LONGEST = 65_536
"""Characters of a text; longer ones are asked for piece by piece."""


@dataclass(frozen=True)
class MentionDesk:
    """Finds mentions; one for each process, since it keeps the keys of the books that were asked for last."""

    services: Services
    _kept: LoreIndexes = field(default_factory=lambda: LoreIndexes(lock=Lock()))

    def find(self, principal: Principal, book_id: str, text: str) -> tuple[Mention, ...]:
        """The mentions in ``text`` of entries of the lorebook with this id.

        Raises:
            Refused: ``not-permitted``.
            NotFound: ``no-such-lorebook``.
        """
        permitted.worlds(principal, "read")
        with self.services.open_store() as store:
            book = store.worlds.lorebook(book_id)
        if book is None:
            raise permitted.absent(LOREBOOK, book_id)
        return mentions(self._kept.of(book), text)
