"""Two connections at once."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from penwright.errors import Refused
from schemas.worlds import Notes, World
from tests.adapters.store.builders import AnyStore
from tests.adapters.store.scenes.builders import a_scene, a_turn, an_order, texts


def test_of_rounds_begun_at_once_exactly_one_begins(store: AnyStore) -> None:
    scene = a_scene(store)
    orders = [an_order(scene.id, f"{number}", session=f"s{number}") for number in range(8)]

    with ThreadPoolExecutor(4) as speakers:
        answers = list(speakers.map(store.scenes.open_round, orders))

    assert Counter(one.code for one in answers) == {"": 1, "round-runs": 7}
    won = next(number for number, one in enumerate(answers) if not one.code)
    assert texts(store, scene.id) == [f"{won}"]
    assert {one.number for one in answers} == {1}


def test_attempts_of_one_effect_at_once_agree(store: AnyStore) -> None:
    scene = a_scene(store)
    order = an_order(scene.id)
    with ThreadPoolExecutor(4) as attempts:
        opened = list(attempts.map(store.scenes.open_round, [order] * 8))
    turn = a_turn(store, scene.id, 1, "mira", "Once.")

    with ThreadPoolExecutor(4) as attempts:
        ids = list(attempts.map(store.scenes.keep_turn, [turn] * 8))

    assert all(one == opened[0] for one in opened)
    assert set(ids) == {"the-harbour/2"}
    assert texts(store, scene.id) == ["Hello.", "Once."]


def test_of_changes_of_one_version_at_once_one_is_made(store: AnyStore) -> None:
    world = store.worlds.create(World(id="", name="Coast"))

    def change(number: int) -> str:
        try:
            store.worlds.change(world.model_copy(update={"notes": Notes(plot=f"{number}")}))
        except Refused as refused:
            return refused.code
        return ""

    with ThreadPoolExecutor(4) as people:
        codes = list(people.map(change, range(8)))

    now = store.worlds.read(World, "coast")
    assert Counter(codes) == {"": 1, "stale": 7}
    assert now is not None
    assert (now.version, now.notes.plot) == (2, f"{codes.index('')}")


def test_things_created_at_once_get_different_ids(store: AnyStore) -> None:
    with ThreadPoolExecutor(4) as people:
        made = list(people.map(lambda _: store.worlds.create(World(id="", name="Coast")).id, range(8)))

    assert sorted(made) == sorted(["coast", *(f"coast-{number}" for number in range(2, 9))])
