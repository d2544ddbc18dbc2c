"""Authors of blocks: as a record says it, and of a block that has words of several."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from penwright.domain.trailers import models_in
from schemas.trace import Author, Conversation, EntityType, Range

UNKNOWN = Author(entity_type="UNKNOWN")
UNNAMED = "unnamed"
"""In place of the name of a model that edited text of unknown origin, where none is known."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Author and intent of a block."""

    author: Author
    intent: str | None


UNKNOWN_ORIGIN = Origin(UNKNOWN, None)
"""The block was there before the ledger, or came in without it."""


_DECLARED: Mapping[str, EntityType] = {"human": "HUMAN", "model": "AI", "mixed": "MIXED"}


def declared_author(authorship: str, model: str = "") -> Author:
    """The author that was declared; unknown for any other word."""
    kind = _DECLARED.get(authorship, "UNKNOWN")
    return _author(kind, models_in(model) if kind in ("AI", "MIXED") else ())


def model_author(model: str) -> Author:
    """The author of what models wrote; ``model``: as in ``trailers.MODEL``."""
    return _author("AI", models_in(model))


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
        None if all of it is the mover's; never for words that someone else wrote, so that it can be seen
        that an engine, whose author is unknown, added none to text of unknown origin.
    """
    authors = [each.author for each in origins]
    if not new:
        found = Origin(together(authors), origins[0].intent)
        known = mover.entity_type != "UNKNOWN"
        return None if known and (found.author, found.intent or intent) == (mover, intent) else found
    author = together([mover, *authors])
    return None if author == mover else Origin(author, None if author.entity_type == "MIXED" else intent)


def together(authors: Sequence[Author]) -> Author:
    """The author of a block that has words of several. Every model that had a part in it is named."""
    if len(set(authors)) == 1:
        return authors[0]
    kinds = {each.entity_type for each in authors}
    named = [model for each in authors for model in each.models]
    if len(kinds) == 1 and "UNKNOWN" not in kinds:
        return _author(authors[0].entity_type, named)
    if "MIXED" in kinds or kinds >= {"AI", "HUMAN"}:
        return _author("MIXED", named)
    return _author("UNKNOWN", _models(authors))


def doubtful(candidates: Iterable[Author]) -> Origin:
    """The origin of a block that one of several authors wrote: unknown, with every model that may have."""
    return Origin(_author("UNKNOWN", _models(candidates)), None)


def models_of(authors: Iterable[Author]) -> frozenset[str]:
    """The models of some authors, with a word for one without a name."""
    return frozenset(_models(authors))


def _models(authors: Iterable[Author]) -> Iterator[str]:
    """The models of some authors, with a word for one without a name."""
    for each in authors:
        yield from each.models or ((UNNAMED,) if each.entity_type in ("AI", "MIXED") else ())


def _author(kind: EntityType, models: Iterable[str]) -> Author:
    first, *others = tuple(dict.fromkeys(models)) or (None,)
    return Author(entity_type=kind, model_identifier=first, other_models=tuple(filter(None, others)) or None)
