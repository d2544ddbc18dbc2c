"""Double of what is remembered of a round when one of its texts changes afterwards."""

from penwright.domain.scene.remembering import retold
from tests.support.doubles.scenes.shelf import Shelf


def retell(shelf: Shelf, scene: str, round: int) -> None:
    """See ``penwright.adapters.store.scenes.remembering.retelling``; the caller holds the lock."""
    played = shelf.played[scene]
    before = [each for each in shelf.memories.values() if (each.scene, each.round) == (scene, round)]
    if not before:
        if any(round <= to for _, to in played.line):
            played.forgotten.add(round)
        return
    said = [each for each in played.messages if each.round not in played.undone]
    after = retold(before, said)
    if set(after) == set(before):
        return
    for other in shelf.played.values():
        if any(name == scene and round <= to for name, to in other.line):
            other.forgotten.add(round)
    for memory in before:
        del shelf.memories[memory.id]
        shelf.vectors.pop(memory.id, None)
    shelf.memories |= {each.id: each for each in after}
