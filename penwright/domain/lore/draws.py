"""Draws that are the same at every replay: the seed of the round decides, not chance."""

from collections.abc import Sequence
from hashlib import blake2b


def draw(below: int, *of: str) -> int:
    """A number from 0 to ``below`` - 1 that depends on the texts only."""
    digest = blake2b("\x1f".join(of).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") % below


def chosen(weights: Sequence[int], *of: str) -> int:
    """An index, the likelier the higher its weight; the first one if no weight is above 0."""
    positive = [max(0, weight) for weight in weights]
    if not any(positive):
        return 0
    left = draw(sum(positive), *of)
    for index, weight in enumerate(positive):
        if left < weight:
            return index
        left -= weight
    raise AssertionError("the draw is below the sum")
