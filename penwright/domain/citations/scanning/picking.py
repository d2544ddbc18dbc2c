"""How many sentences the orchestrator may name, and what of its reply counts."""

from collections.abc import Collection, Iterable

from schemas.manuscript_roles import ChosenSentence

BATCH = 10
"""Sentences that it may name in one reply."""


def wanted(limit: int, found: int) -> int:
    """How many targets the next reply may name."""
    return max(0, min(BATCH, limit - found))


def picked(
    chosen: Iterable[ChosenSentence], window: Collection[int], before: Collection[int], most: int
) -> tuple[ChosenSentence, ...]:
    """What counts of a reply: sentences of the window that are new, each once, no more than asked for."""
    new: dict[int, ChosenSentence] = {}
    for each in chosen:
        if each.sentence in window and each.sentence not in before:
            new.setdefault(each.sentence, each)
    return tuple(new.values())[:most]
