"""A reply that a person stopped in the middle, as the store has it."""

from tests.adapters.store.builders import AnyStore
from tests.adapters.store.scenes.builders import a_state, a_turn, an_end, an_order

HALF = "“I lit it, and the"


def stopped_reply(store: AnyStore, scene: str, who: str, name: str) -> None:
    """A round of a message of the user and half a reply."""
    number = store.scenes.open_round(an_order(scene, "Who lit the lamp?")).number
    turn = a_turn(store, scene, number, who, HALF)
    record = turn.record.model_copy(update={"outcome": "stopped"})
    store.scenes.keep_turn(turn.model_copy(update={"record": record, "name": name}))
    state = a_state(*store.scenes.state(scene).roster)
    store.scenes.close_round(an_end(scene, number, state, status="stopped"))
