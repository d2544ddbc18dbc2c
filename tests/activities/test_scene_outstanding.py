"""Finding what a scene lacks of memories and summary, as the run that makes them finds it."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from activities import scene_memory
from activities.scene_memory import SceneMemoryRunActivities
from penwright.adapters.clock import SystemClock
from penwright.adapters.store import open_store
from penwright.domain.scene.stretches import next_portion
from schemas.memory import Memory
from schemas.scene import BranchScene, UndoRound
from schemas.scene_memory import LookAtScene, Outstanding
from schemas.worlds import Scene
from tests.adapters.store.builders import AnyStore
from tests.adapters.store.scenes.builders import a_scene, a_state, a_turn, an_effect, an_end, an_order
from tests.support.doubles.store import memory_store

BOTH = ("ann", "bob")


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.server)])
def store(request: pytest.FixtureRequest) -> Iterator[AnyStore]:
    if request.param == "memory":
        yield memory_store(clock=SystemClock())
    else:
        with closing(open_store(request.getfixturevalue("database_url"), clock=SystemClock())) as kept:
            yield kept


@pytest.fixture
def scene(store: AnyStore) -> Scene:
    return a_scene(store, "Ann", "Bob", persona="Mira")


def play(store: AnyStore, scene: str, *, ends: bool = True) -> int:
    """A round in which Ann answers."""
    opened = store.scenes.open_round(an_order(scene, "Hello."))
    store.scenes.keep_turn(a_turn(store, scene, opened.number, "ann", "It is out.", witnesses=BOTH))
    if ends:
        store.scenes.close_round(an_end(scene, opened.number, a_state(*BOTH)))
    return opened.number


def remember(store: AnyStore, scene: str, round: int) -> None:
    fields = {
        "scene": scene,
        "world": "coast",
        "character": "ann",
        "round": round,
        "at": an_effect().issued_at,
    }
    store.memories.remember([Memory(id=f"m/{scene}/{round}", text="It is out.", **fields)], None)


def sum_up(store: AnyStore, scene: str, before: int) -> None:
    """The next portion, in its own words."""
    told = store.scenes.summed_up(scene)
    wanted = next_portion(told, before)
    heard = next(each.heard_by for each in told.outside if each.number == wanted[0])
    shown = {each.number: each.text for each in store.scenes.messages(scene) if each.number in wanted}
    assert store.scenes.summarised(
        scene, " ".join(shown.values()), an_effect().op_id, tuple(sorted(heard)), shown
    )


async def look(store: AnyStore, scene: str, after: int = 0, until: int = 0) -> Outstanding:
    looking = SceneMemoryRunActivities(store.worlds, store.scenes, store.memories, store.records)
    return await looking.look_at_scene(LookAtScene(effect=an_effect(), scene=scene, after=after, until=until))


async def test_rounds_that_are_played_and_that_nobody_remembers_are_found_oldest_first(
    store: AnyStore, scene: Scene
) -> None:
    rounds = [play(store, scene.id) for _ in range(4)]
    remember(store, scene.id, rounds[1])
    store.scenes.undo(UndoRound(effect=an_effect("op/undo"), scene=scene.id, who="mira"))
    play(store, scene.id, ends=False)

    assert (await look(store, scene.id)).rounds == (1, 3)
    assert (await look(store, scene.id, after=1)).rounds == (3,)
    assert await look(store, "gone") == Outstanding()


async def test_a_branch_remembers_only_what_it_plays_itself(store: AnyStore, scene: Scene) -> None:
    first = play(store, scene.id)
    order = BranchScene(
        effect=an_effect("op/branch"), scene=scene.id, after_round=first, title="Other", who="mira"
    )
    branch = store.scenes.branch(order).scene
    assert branch is not None
    second = play(store, branch.id)

    assert (await look(store, branch.id)).rounds == (second,)


async def test_a_long_chat_is_summed_up_by_portions_up_to_its_newest_rounds(
    store: AnyStore, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scene_memory, "MESSAGES", 4)
    knobs = scene.settings.model_copy(update={"summarise_after": 2})
    store.worlds.change(scene.model_copy(update={"settings": knobs}))
    for _ in range(5):
        play(store, scene.id)
    play(store, scene.id, ends=False)

    portions = list[int]()
    while (found := await look(store, scene.id, until=max(portions, default=0))).before is not None:
        portions.append(found.before)
        sum_up(store, scene.id, found.before)

    assert portions == [5, 5, 9, 9], "two messages in each round; the fifth is the newest that is over"
    told = [tuple(each.readings) for each in store.scenes.summed_up(scene.id).stretches]
    assert told == [(1, 3), (2, 4), (5, 7), (6, 8)], "Mira heard only what she said"
    assert found.unsummarised == 0
