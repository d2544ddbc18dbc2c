"""Everyone who may have written a block, where its record knew too little of the blocks it was made of.

The recorder reads the newest part of the ledger and no commits by hand: it may have taken the author of a
block for unknown. Of all mixtures of words, those count that it would have recorded as it did.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from penwright.domain.text.comparing.descent import ALIKE
from penwright.domain.trace.authors import together
from schemas.trace import Author, Conversation, Range

_WHOLE, _CITED = 100, 99
"""Similarity, per cent, of a block that was only cut in pieces, to those together; of one that was cited."""


@dataclass(frozen=True, slots=True)
class Part:
    """Words of one author."""

    author: Author
    believed: Author
    """Their author, as the recorder believed."""


def possible_authors(
    former: Sequence[Part], others: Sequence[Part], talk: Conversation, row: Range
) -> tuple[Author, ...]:
    """Everyone it may be.

    Args:
        former: everyone who may have written the block that it was; empty if it was none.
        others: everyone who may have written one of the blocks that went in the same change.
        talk: the change, as it was recorded.
        row: the block, as it was recorded.
    """
    if former and _is_whole(talk, row):
        return tuple(dict.fromkeys(each.author for each in former))
    said = row.contributor or talk.contributor
    if not (former or others):
        # Its words are from blocks that no record, nor a commit by hand, brought in.
        return (said,)
    every = product(_new_words(talk, row), _former_words(former, row), _other_words(others, row))
    mixtures = [found for each in every if (found := [part for part in each if part])]
    right = [each for each in mixtures if together([part.believed for part in each]) == said]
    # What the recorder believed of a block may not be known: it may have meant an equal one elsewhere.
    authors = (together([part.author for part in each]) for each in right or mixtures)
    return tuple(dict.fromkeys(authors)) or (said,)


def _is_whole(talk: Conversation, row: Range) -> bool:
    """Whether it has the words of its former self, and no others."""
    no_new = row.contributor == talk.contributor
    least = _CITED if no_new else _WHOLE
    return row.change == "moved" or ((row.similarity or 0) >= least and not talk.removed)


def _new_words(talk: Conversation, row: Range) -> Sequence[Part | None]:
    # An author is recorded beside an equal one only where there are no new words.
    return (
        (None,) if row.contributor == talk.contributor else (Part(talk.contributor, talk.contributor), None)
    )


def _former_words(former: Sequence[Part], row: Range) -> Sequence[Part | None]:
    return former if former and (row.similarity or 0) >= ALIKE else (*former, None)


def _other_words(others: Sequence[Part], row: Range) -> Sequence[Part | None]:
    """Words of other blocks that changed with it."""
    if row.contributor is None or not others:
        return (None,)
    whole = Part(together([each.author for each in others]), together([each.believed for each in others]))
    return (None, *others, whole)
