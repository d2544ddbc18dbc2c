"""The author of each block after a change: a moved block keeps its author."""

from dataclasses import dataclass

from penwright.domain.text.changes import BlockChange
from penwright.domain.trace.recorder.origins import UNKNOWN_ORIGIN, Origin, Origins
from schemas.trace import Author
from schemas.workspace import Contributor

_SHARED = 60
"""Likeness, per cent, from which a rewritten block still is partly its first author's."""


def author_of(contributor: Contributor, model: str) -> Author:
    """The contributor as the ledger names it; the engine is not an author of prose."""
    match contributor:
        case Contributor.HUMAN:
            return Author(entity_type="HUMAN")
        case Contributor.MODEL:
            return Author(entity_type="AI", model_identifier=model or None)
        case Contributor.ENGINE:
            return Author(entity_type="UNKNOWN")


@dataclass(frozen=True, slots=True)
class Authorship:
    """Answers for the blocks of one commit."""

    mover: Author
    origins: Origins
    intent: str | None = None
    """The commit's."""

    def of(self, change: BlockChange) -> Origin | None:
        """The author of the block after the change; None if it is the contributor of the commit."""
        if change.after is None or change.before is None:
            return None
        if change.change == "moved":
            return self.origins.of(change.after.hash)
        if change.change != "replaced" or (change.similarity or 0) < _SHARED:
            return None
        return self._shared(self.origins.of(change.before.hash))

    def before(self, change: BlockChange) -> Origin | None:
        """Who had written a block that is gone; None if the ledger does not know."""
        found = self.origins.of(change.before.hash) if change.before else UNKNOWN_ORIGIN
        return None if found is UNKNOWN_ORIGIN else found

    def former(self, change: BlockChange) -> Origin | None:
        """Whose a replaced block was; None if it is theirs now as well."""
        if change.before is None or change.change != "replaced":
            return None
        was, now = self.origins.of(change.before.hash), self.of(change) or Origin(self.mover, None)
        return was if was != Origin(now.author, now.intent or self.intent) else None

    def _shared(self, origin: Origin) -> Origin | None:
        first, mover = origin.author, self.mover
        if first.entity_type == mover.entity_type:
            return None
        if first.entity_type == "UNKNOWN" and mover.entity_type != "AI":
            return Origin(first, None)
        model = mover.model_identifier or first.model_identifier
        return Origin(Author(entity_type="MIXED", model_identifier=model), None)
