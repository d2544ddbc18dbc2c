"""Double of what is remembered of a round when one of its texts changes afterwards."""

from penwright.adapters.store.scenes.remembering.summaries import fields_of
from penwright.domain.scene.remembering import retold
from schemas.scene import SceneMessage, SceneState
from tests.support.doubles.scenes.shelf import Shelf


def retell_message(shelf: Shelf, scene: str, message: SceneMessage) -> None:
    """As its like in the store: the memories of its round, and the summary; the caller holds the lock."""
    retell(shelf, scene, message.round)
    played = shelf.played[scene]
    if played.state.summarised_to < message.number:
        return
    earlier = (each.round.before for each in played.rounds)
    kept = [each for each in earlier if each.summarised_to < message.number]
    best = max(kept, key=lambda each: each.summarised_to, default=SceneState())
    fields = fields_of(best)
    played.state = played.state.model_copy(update=fields)
    for each in played.rounds:
        if each.round.before.summarised_to >= message.number:
            before = each.round.before.model_copy(update=fields)
            each.round = each.round.model_copy(update={"before": before})
        if (hidden := played.scene_with.get(each.round.number)) is not None:
            at, scene_with = hidden
            if scene_with.state.summarised_to >= message.number:
                state = scene_with.state.model_copy(update=fields)
                played.scene_with[each.round.number] = (at, scene_with.model_copy(update={"state": state}))
        if each.restores and each.restores.summarised_to >= message.number:
            each.restores = each.restores.model_copy(update=fields)


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
