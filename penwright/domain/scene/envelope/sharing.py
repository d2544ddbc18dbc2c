"""Division of a prompt's tokens among its sections. All divisions round down."""

from collections.abc import Mapping
from typing import TypeVar

Part = TypeVar("Part", bound=str)


def allotted(space: int, weights: Mapping[Part, int]) -> dict[Part, int]:
    """Share ``space`` by weights; a section absent from ``weights`` leaves its share to the others."""
    total = sum(weights.values())
    return {part: space * weight // total if total else 0 for part, weight in weights.items()}


def rooms(
    space: int, weights: Mapping[Part, int], wants: Mapping[Part, int], least: Mapping[Part, int]
) -> dict[Part, int]:
    """Return the tokens that each section may use.

    A section that wants less than its share leaves the rest to those that want more, by their weights. One
    whose share is below its ``least`` gets that much, taken from the others by theirs.

    Args:
        space: tokens to share, at least the sum of ``least``.
        wants: tokens of all that each section has.
        least: tokens that a section must get whatever its share; never above its ``wants``.

    Returns:
        As many tokens as there are, or as are wanted by sections with a share; no section more than it wants.
    """
    fair = filled(space, weights, wants)
    short = {part: least[part] for part in weights if fair[part] < least.get(part, 0)}
    if not short:
        return fair
    others = {part: weight for part, weight in weights.items() if part not in short}
    rest = space - sum(short.values())
    return short | rooms(rest, others, wants, least)


def filled(space: int, weights: Mapping[Part, int], wants: Mapping[Part, int]) -> dict[Part, int]:
    """Share ``space`` by weights, give none more than it wants, and what is left to the others."""
    given, open_ = dict[Part, int](), dict(weights)
    while open_:
        shares = allotted(space, open_)
        content = [part for part in open_ if wants[part] <= shares[part]]
        if not content:
            return given | _with_rest(space, shares, open_, wants)
        for part in content:
            given[part] = wants[part]
            space -= wants[part]
            del open_[part]
    return given


def _with_rest(
    space: int, shares: Mapping[Part, int], weights: Mapping[Part, int], wants: Mapping[Part, int]
) -> dict[Part, int]:
    """Hand out the few tokens that rounding left, one each; every part wants more than its share."""
    rest, whole = space - sum(shares.values()), dict(shares)
    for part in [part for part in whole if weights[part]][:rest]:
        whole[part] += 1
    return whole
