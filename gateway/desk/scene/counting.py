"""Counts of scenes' played rounds, as people count them."""

from collections.abc import Iterable

from gateway.desk.services import CommandStore
from schemas.worlds import Scene


def played(store: CommandStore, scenes: Iterable[Scene]) -> dict[str, int]:
    """Rounds that stand, by scene: without those that were taken back or only made one reply again."""
    rounds = {each.id: each.rounds for each in scenes}
    aside = store.scenes.set_aside(tuple(rounds))
    return {id: number - aside.get(id, 0) for id, number in rounds.items()}
