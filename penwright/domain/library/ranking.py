"""Which passages come first, when several searches have ranked them."""

from collections import defaultdict
from collections.abc import Hashable, Sequence
from typing import TypeVar

T = TypeVar("T", bound=Hashable)
_SMOOTHING = 60
"""Of reciprocal rank fusion: the larger, the less the very first places count."""


def fused(rankings: Sequence[Sequence[T]], limit: int) -> tuple[T, ...]:
    """Return the best of several rankings, each best first; of equals the one that the first ranking has."""
    scores: defaultdict[T, float] = defaultdict(float)
    for ranking in rankings:
        for place, each in enumerate(ranking, 1):
            scores[each] += 1 / (_SMOOTHING + place)
    return tuple(sorted(scores, key=lambda each: -scores[each])[:limit])
