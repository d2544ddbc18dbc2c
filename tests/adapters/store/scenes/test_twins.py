"""The same operations on the store and on its double: the same answers, and the same is there afterwards."""

from collections.abc import Callable
from contextlib import closing
from datetime import datetime, timedelta
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

from penwright.adapters.store import open_store
from penwright.errors import PenwrightError
from schemas.base import Value
from schemas.memory import MemoryQuery
from schemas.scene import ChooseAlternative, PatchState
from tests.adapters.store.builders import NOON, AnyStore, SetClock
from tests.adapters.store.scenes.builders import (
    a_branch,
    a_change,
    a_memory,
    a_pass,
    a_redo,
    a_scene,
    a_state,
    a_turn,
    an_edit,
    an_effect,
    an_end,
    an_order,
    an_undo,
)
from tests.support.doubles.store import memory_store

PICK = st.integers(0, 3)
WHO = st.sampled_from(["ann", "bob"])
SAID = st.sampled_from(["The lamp is out.", "Who goes there?", "A boat, a boat.", "Salt."])
UNTIL = (None, NOON, NOON + timedelta(days=1))
MOOD = st.sampled_from(["calm", "wary", ""])

pytestmark = pytest.mark.server


class Twins(RuleBasedStateMachine):
    """Scenes that are played on both."""

    stores: ClassVar[tuple[AnyStore, AnyStore]]

    def __init__(self) -> None:
        super().__init__()
        self.scenes: list[str] = []

    # Any: an answer, as it is compared.
    def both(self, call: Callable[[AnyStore], Any]) -> Any:
        first, second = (_answer(call, store) for store in self.stores)
        assert first == second
        return first

    @initialize()
    def found(self) -> None:
        self.scenes = [self.both(lambda store: a_scene(store, "Ann", "Bob").id)]

    @rule(at=PICK, text=SAID, kind=st.sampled_from(["message", "continue", "regenerate", "message"]))
    def open_round(self, at: int, text: str, kind: str) -> None:
        order = an_order(self._scene(at), text).model_copy(update={"kind": kind})
        self.both(lambda store: store.scenes.open_round(order))
        self._compare(order.scene)

    @rule(at=PICK, number=st.integers(1, 4), text=SAID)
    def another_take(self, at: int, number: int, text: str) -> None:
        scene = self._scene(at)
        message = f"{scene}/{number}"
        order = an_order(scene, "").model_copy(update={"kind": "regenerate", "message": message})
        self.both(lambda store: store.scenes.open_round(order))
        turns = [
            a_turn(store, scene, self._round(scene), "ann", text, replaces=message) for store in self.stores
        ]
        self.both(lambda store: store.scenes.keep_turn(turns[0]))
        end = an_end(scene, self._round(scene), a_state("ann", "bob"))
        self.both(lambda store: _bare(store.scenes.close_round(end)))
        self._compare(scene)

    @rule(at=PICK, who=WHO, text=SAID, mood=MOOD)
    def turn(self, at: int, who: str, text: str, mood: str) -> None:
        scene, state = self._scene(at), a_state("ann", "bob", mood=mood)
        turns = [a_turn(store, scene, self._round(scene), who, text, state=state) for store in self.stores]
        heard = turns[0].model_copy(update={"witnesses": ("ann", "bob")})
        self.both(lambda store: store.scenes.keep_turn(heard))
        self._compare(scene)

    @rule(at=PICK, mood=MOOD)
    def plan(self, at: int, mood: str) -> None:
        scene = self._scene(at)
        state = a_state("ann", "bob", mood=mood)
        kept = a_pass(
            scene, self._round(scene), state, actors=["ann"], changes=[a_change("ann", mood or "calm")]
        )
        self.both(lambda store: store.scenes.keep_pass(kept))
        self._compare(scene)

    @rule(at=PICK, status=st.sampled_from(["completed", "failed", "stopped"]), mood=MOOD)
    def close(self, at: int, status: str, mood: str) -> None:
        scene = self._scene(at)
        end = an_end(scene, self._round(scene), a_state("ann", "bob", mood=mood), status=status)
        self.both(lambda store: _bare(store.scenes.close_round(end)))
        self._compare(scene)

    @rule(at=PICK, number=st.integers(1, 4), text=SAID)
    def edit(self, at: int, number: int, text: str) -> None:
        scene = self._scene(at)
        wish = an_edit(f"{scene}/{number}", text)
        self.both(lambda store: store.scenes.edit(wish))
        self._compare(scene)

    @rule(at=PICK, number=st.integers(1, 4), index=st.integers(0, 2))
    def choose(self, at: int, number: int, index: int) -> None:
        scene = self._scene(at)
        wish = ChooseAlternative(effect=an_effect(), message=f"{scene}/{number}", index=index, who="sam")
        self.both(lambda store: store.scenes.choose(wish))
        self._compare(scene)

    @rule(at=PICK)
    def undo(self, at: int) -> None:
        wish = an_undo(self._scene(at))
        self.both(lambda store: store.scenes.undo(wish))
        self._compare(wish.scene)

    @rule(at=PICK, number=st.integers(0, 4))
    def redo(self, at: int, number: int) -> None:
        wish = a_redo(self._scene(at), number)
        self.both(lambda store: store.scenes.redo(wish))
        self._compare(wish.scene)

    @rule(at=PICK, after=st.integers(0, 3))
    def branch(self, at: int, after: int) -> None:
        wish = a_branch(self._scene(at), after)
        made = self.both(lambda store: store.scenes.branch(wish))
        if isinstance(made, dict) and made.get("scene"):
            self.scenes.append(made["scene"]["id"])
            self._compare(self.scenes[-1])

    @rule(at=PICK, who=WHO, mood=MOOD)
    def patch(self, at: int, who: str, mood: str) -> None:
        change = a_change(who, mood, source="person")
        wish = PatchState(effect=an_effect(), scene=self._scene(at), changes=(change,), who="sam")
        self.both(lambda store: store.scenes.patch(wish))
        self._compare(wish.scene)

    @rule(at=PICK, who=WHO, text=SAID)
    def remember(self, at: int, who: str, text: str) -> None:
        scene = self._scene(at)
        made = a_memory(scene, text, round=self._round(scene), who=who)
        self.both(lambda store: store.memories.remember([made], None))

    @rule(at=PICK, who=WHO, text=SAID, before=st.none() | st.integers(1, 3), until=st.sampled_from(UNTIL))
    def recall(self, at: int, who: str, text: str, before: int | None, until: datetime | None) -> None:
        fields = {"scene": self._scene(at), "world": "coast", "character": who, "text": text}
        bounds = {"before_round": before, "until": until}
        query = MemoryQuery.model_validate(fields | bounds | {"limit": 3, "now_round": 9})
        self.both(
            lambda store: [(each.id, round(each.score, 6)) for each in store.memories.recall(query, None)]
        )

    def teardown(self) -> None:
        for scene in self.scenes:
            self._compare(scene)

    def _scene(self, at: int) -> str:
        return self.scenes[at % len(self.scenes)]

    def _round(self, scene: str) -> int:
        """The round that runs, else the newest."""
        memory = self.stores[0]
        running = memory.scenes.running(scene)
        newest = [each.number for each in memory.scenes.rounds(scene, newest=1)]
        return running or max(newest, default=1)

    def _compare(self, scene: str) -> None:
        self.both(lambda store: store.scenes.messages(scene, undone=True))
        self.both(lambda store: store.scenes.state(scene))
        self.both(lambda store: store.scenes.rounds(scene))
        self.both(lambda store: store.scenes.running(scene))
        self.both(lambda store: store.scenes.takes(scene))
        self.both(lambda store: [_bare(each) for each in store.scenes.changes(scene)])
        self.both(lambda store: store.memories.of(scene))


# Any: an answer, as it is compared.
def _answer(call: Callable[[AnyStore], Any], store: AnyStore) -> Any:
    try:
        found = call(store)
    except PenwrightError as error:
        return error.code
    if isinstance(found, Value):
        return _bare(found)
    return [_bare(each) for each in found] if isinstance(found, list | tuple) else found


def _bare(value: Any) -> Any:
    """Without what numbers rows of the whole store."""
    if not isinstance(value, Value):
        return value
    return value.model_dump(exclude={"number"} if type(value).__name__ == "StateEvent" else None)


def test_the_store_and_its_double_do_the_same(database_url: str) -> None:
    clock = SetClock()
    with closing(open_store(database_url, clock=clock)) as kept:

        class Here(Twins):
            stores = (memory_store(clock=clock), kept)

        run_state_machine_as_test(
            Here,
            settings=settings(
                max_examples=6,
                stateful_step_count=12,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
