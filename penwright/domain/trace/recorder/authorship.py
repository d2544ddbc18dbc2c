"""The author of each block after a change: text keeps its author when it is split, joined or moved."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from penwright.domain.text.blocks import Block
from penwright.domain.text.comparing.changes import BlockChange
from penwright.domain.text.comparing.descent import BlockKey, Descent
from penwright.domain.trace.authors import UNKNOWN_ORIGIN, Origin, combined, model_author
from penwright.domain.trace.recorder.origins import Origins
from schemas.trace import Author, Range, TracedFile, TraceRecord
from schemas.workspace import Contributor


def author_of(contributor: Contributor, model: str) -> Author:
    """The contributor as the ledger names it; the engine is not an author of prose."""
    match contributor:
        case Contributor.HUMAN:
            return Author(entity_type="HUMAN")
        case Contributor.MODEL:
            return model_author(model)
        case Contributor.ENGINE:
            return Author(entity_type="UNKNOWN")


@dataclass(frozen=True, slots=True)
class Authorship:
    """Answers for the blocks of one commit."""

    mover: Author
    origins: Origins
    descents: Mapping[BlockKey, Descent]
    intent: str | None = None
    """The commit's."""

    def of(self, path: str, change: BlockChange) -> Origin | None:
        """The author of the block after the change; None if it is the contributor of the commit."""
        if change.after is None:
            return None
        descent = self.descents.get((path, change.after.start_line), Descent())
        if change.change == "moved":
            return self.origins.of(descent.sources[0].path, descent.sources[0].block)
        if not descent.sources:
            return self.origins.copied(change.after)
        origins = [self.origins.of(each.path, each.block) for each in descent.sources]
        return combined(origins, self.mover, self.intent, new=descent.new)

    def before(self, path: str, block: Block) -> Origin | None:
        """Look up the origin of a block that is gone; None if the ledger does not know."""
        found = self.origins.newest(path, block.hash)
        return None if found is UNKNOWN_ORIGIN else found

    def former(self, path: str, change: BlockChange) -> Origin | None:
        """Whose a replaced or moved block was; None if it is theirs now as well."""
        if change.before is None or change.change not in ("replaced", "moved"):
            return None
        was = self.origins.newest(change.from_path or path, change.before.hash)
        now = self.of(path, change) or Origin(self.mover, None)
        intent = now.intent if _is_exact(now.author, self.mover) else now.intent or self.intent
        return was if was != Origin(now.author, intent) else None


def _is_exact(author: Author, mover: Author) -> bool:
    return author != mover and author.entity_type != "MIXED"


def origins_in(records: Sequence[TraceRecord]) -> Mapping[str, Origin]:
    """Whose each block is that the records name, by its hash."""
    found: dict[str, Origin] = {}
    for record in records:
        intent = record.intent.id if record.intent else None
        for part in (part for file in record.files for part in file.conversations):
            for row in part.ranges:
                own = Origin(part.contributor, intent)
                found[row.block_hash] = Origin(row.contributor, row.intent) if row.contributor else own
    return found


def with_origins(file: TracedFile, known: Mapping[str, Origin]) -> TracedFile:
    """The file with the authors that are ``known`` of its blocks."""
    parts = (
        part.model_copy(
            update={"ranges": tuple(_with_origin(row, known, part.contributor) for row in part.ranges)}
        )
        for part in file.conversations
    )
    return file.model_copy(update={"conversations": tuple(parts)})


def _with_origin(row: Range, known: Mapping[str, Origin], mover: Author) -> Range:
    origin = known.get(row.block_hash)
    if origin is None:
        return row
    by_mover = origin.author == mover
    return row.model_copy(
        update={
            "contributor": None if by_mover else origin.author,
            "intent": None if by_mover else origin.intent,
        }
    )
