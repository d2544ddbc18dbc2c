"""Number of sentences the orchestrator may name, and the part of its reply that counts."""

from collections.abc import Collection, Iterable

from schemas.manuscript_roles import ChosenSentence

BATCH = 10
"""Sentences that it may name in one reply."""


def wanted(limit: int, found: int) -> int:
    """Number of targets the next reply may name."""
    return max(0, min(BATCH, limit - found))


def picked(
    chosen: Iterable[ChosenSentence], window: Collection[int], before: Collection[int], most: int
) -> tuple[ChosenSentence, ...]:
    """Targets that count in a reply: new sentences of the window, each once, no more than asked for."""
    new: dict[int, ChosenSentence] = {}
    for each in chosen:
        if each.sentence in window and each.sentence not in before:
            new.setdefault(each.sentence, each)
    return tuple(new.values())[:most]
