"""Everyone who may have written a block, where its record knew too little of the block it was made of.

The recorder reads the newest part of the ledger and no commits by hand: it may have taken the author of the
former block for unknown, or for another.
"""

from collections.abc import Sequence
from itertools import product

from penwright.domain.text.comparing.descent import ALIKE
from penwright.domain.trace.authors import together
from schemas.trace import Author, Conversation, Range

_WHOLE = 100
"""Similarity, per cent, of a block that was only cut in pieces, to those together."""
_Part = Sequence[Author | None]
"""One part of the words: the authors it may have; None where there may be no such words."""


def possible_authors(
    was: Sequence[Author], others: Sequence[Author], talk: Conversation, row: Range
) -> tuple[Author, ...]:
    """Everyone it may be.

    Args:
        was: everyone who may have written the former block.
        others: everyone who may have written one of the blocks that went in the same change.
        talk: the change, as it was recorded.
        row: the block, as it was recorded.
    """
    if row.change == "moved" or (row.similarity == _WHOLE and not talk.removed):
        return tuple(was)
    if _is_new(talk, row):
        return (talk.contributor,)
    parts = (_new_words(talk, row), _former_words(was, others, row), _other_words(others, row))
    mixtures = ([author for author in mixture if author] for mixture in product(*parts))
    return tuple(dict.fromkeys(together(mixture) for mixture in mixtures if mixture))


def _is_new(talk: Conversation, row: Range) -> bool:
    """Whether the record says that it has no words of the former block, whosever those were."""
    believed = row.former.contributor if row.former else None
    return row.contributor is None and believed is not None and believed != talk.contributor


def _new_words(talk: Conversation, row: Range) -> _Part:
    mover, given = talk.contributor, row.contributor
    if given is None:
        return (mover, None)
    if given == mover or (given.entity_type in ("HUMAN", "AI") and given.entity_type != mover.entity_type):
        return (None,)
    named = bool(mover.models) and set(mover.models) <= set(given.models)
    return (mover,) if named and given.entity_type != "AI" else (mover, None)


def _former_words(was: Sequence[Author], others: Sequence[Author], row: Range) -> _Part:
    certain = (row.similarity or 0) >= ALIKE or (row.contributor is not None and set(others) <= set(was))
    return was if certain else (*was, None)


def _other_words(others: Sequence[Author], row: Range) -> _Part:
    """Words of other blocks that changed with it."""
    return (None, *others, together(others)) if row.contributor and others else (None,)
