"""Authors of blocks: as a record says it, and of a block that has words of several."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schemas.trace import Author, Conversation, EntityType, Range

UNKNOWN = Author(entity_type="UNKNOWN")


@dataclass(frozen=True, slots=True)
class Origin:
    """Who wrote a block, and under which intent."""

    author: Author
    intent: str | None


UNKNOWN_ORIGIN = Origin(UNKNOWN, None)
"""The block was there before the ledger, or came in without it."""


_DECLARED: Mapping[str, EntityType] = {"human": "HUMAN", "model": "AI", "mixed": "MIXED"}


def declared_author(authorship: str, model: str = "") -> Author:
    """The author that was declared; unknown for any other word."""
    kind = _DECLARED.get(authorship, "UNKNOWN")
    return Author(entity_type=kind, model_identifier=model or None if kind in ("AI", "MIXED") else None)


def origin_of(talk: Conversation, row: Range, intent: str | None) -> Origin:
    """Author and intent of a block that a record brought in. ``intent`` is the record's."""
    if row.contributor is None:
        return Origin(talk.contributor, row.intent or intent)
    if row.change == "moved" or row.contributor.entity_type != "MIXED":
        # It keeps the intent as well as the author, and so may have none.
        return Origin(row.contributor, row.intent)
    return Origin(row.contributor, row.intent or intent)


def combined(origins: Sequence[Origin], mover: Author, intent: str | None, *, new: int) -> Origin | None:
    """The origin of a block with words of other blocks, the largest part first, and ``new`` ones.

    Args:
        mover: who made the change, under ``intent``, and wrote the new words.

    Returns:
        None if all of it is the mover's.
    """
    authors = [each.author for each in origins]
    if not new:
        found = Origin(_together(authors), origins[0].intent)
        return None if (found.author, found.intent or intent) == (mover, intent) else found
    if {each.entity_type for each in authors} == {mover.entity_type}:
        return None
    author = _together([mover, *authors])
    return Origin(author, intent if author.entity_type == "UNKNOWN" else None)


def _together(authors: Sequence[Author]) -> Author:
    """The author of a block that has words of several. A model that had a part in it is named."""
    if len(set(authors)) == 1:
        return authors[0]
    kinds = {each.entity_type for each in authors}
    models = list(dict.fromkeys(filter(None, (each.model_identifier for each in authors))))
    if kinds == {"AI"}:
        return Author(entity_type="AI", model_identifier=models[0] if len(models) == 1 else None)
    if kinds == {"HUMAN"}:
        return Author(entity_type="HUMAN")
    both = "MIXED" in kinds or kinds >= {"AI", "HUMAN"}
    return Author(entity_type="MIXED" if both else "UNKNOWN", model_identifier=models[0] if models else None)
