"""The order in which characters act: total, the same for every arrangement of a plan.

An explicit ``order`` comes first, lowest first; then the higher priority; then the name by code point; then
the id. A missing priority is 0, and what is no finite number counts as missing.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from penwright.domain.scene.resolving import name_of
from schemas.director import CastMember, PlannedActor


class Rank(NamedTuple):
    """Place of an actor: what is smaller acts earlier."""

    unordered: bool
    order: float
    behind: float
    name: str
    id: str
    guidance: tuple[bool, str]
    """Only tells two entries of one character apart: one with guidance is the better."""


def rank(character: str, actor: PlannedActor, cast: Sequence[CastMember]) -> Rank:
    """Return where an entry of a plan stands."""
    order = actor.order if actor.order is not None and math.isfinite(actor.order) else None
    priority = actor.priority if math.isfinite(actor.priority) else 0.0
    return Rank(
        unordered=order is None,
        order=order or 0.0,
        behind=-priority,
        name=name_of(character, cast),
        id=character,
        guidance=(not actor.guidance.strip(), actor.guidance),
    )


def ordered(
    actors: Sequence[tuple[str, PlannedActor]], cast: Sequence[CastMember]
) -> tuple[tuple[str, PlannedActor], ...]:
    """Return who acts, each once and in order, each with the best of its entries.

    Args:
        actors: ids with entries of the plan, in any order.
    """
    ranked = sorted(actors, key=lambda each: rank(each[0], each[1], cast))
    best: dict[str, PlannedActor] = {}
    for character, actor in ranked:
        best.setdefault(character, actor)
    return tuple(best.items())
