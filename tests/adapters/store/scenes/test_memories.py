"""The contract of ``Memories``."""

import math

import pytest

from penwright.errors import NotFound, UsageMistake
from schemas.memory import MemoryQuery, Remembered, Vectors
from schemas.worlds import Character, Scene, World
from tests.adapters.store.builders import AnyStore
from tests.adapters.store.scenes.builders import a_branch, a_memory, a_scene, an_undo, play

MODEL = "wordllama-256"


def vectors(*directions: float, model: str = MODEL, dimensions: int = 256) -> Vectors:
    """Vectors in a plane, by their angle in degrees."""
    rest = (0.0,) * (dimensions - 2)
    made = ((math.cos(math.radians(one)), math.sin(math.radians(one)), *rest) for one in directions)
    return Vectors(model=model, dimensions=dimensions, vectors=tuple(made))


def a_query(scene: str, text: str = "", *, limit: int = 5, who: str = "mira", now: int = 1) -> MemoryQuery:
    return MemoryQuery(scene=scene, world="coast", character=who, text=text, limit=limit, now_round=now)


def recalled(store: AnyStore, query: MemoryQuery, vector: Vectors | None = None) -> list[str]:
    return [one.text for one in store.memories.recall(query, vector)]


def test_memories_are_written_once(store: AnyStore) -> None:
    scene = a_scene(store)
    first = [a_memory(scene.id, "Rain\x00 ☕"), a_memory(scene.id, "Sun", who="bo")]

    answers = [store.memories.remember([*first, *more], None) for more in ([], [a_memory(scene.id, "Wind")])]

    assert answers == [Remembered(written=2), Remembered(written=1, again=2)]
    assert store.memories.of(scene.id)[:2] == tuple(first)
    assert [one.text for one in store.memories.of(scene.id, "mira")] == ["Rain\x00 ☕", "Wind"]
    assert [one.text for one in store.memories.of(scene.id, newest=1)] == ["Wind"]
    assert store.memories.remember([], None) == Remembered()


def test_without_vectors_memories_are_found_by_their_words(store: AnyStore) -> None:
    scene = a_scene(store)
    said = ["The gold lies under the old lighthouse.", "Bo likes soup.", "灯台の下に金がある", "Gold."]
    store.memories.remember([a_memory(scene.id, text) for text in said], None)

    assert recalled(store, a_query(scene.id, "where is the GOLD of the lighthouse?")) == [said[0], said[3]]
    assert recalled(store, a_query(scene.id, "灯台はどこ")) == [said[2]]
    assert recalled(store, a_query(scene.id, "pirates")) == []
    assert recalled(store, a_query(scene.id, "?!")) == []
    assert recalled(store, a_query(scene.id, "gold", limit=1)) == [said[3]]
    assert recalled(store, a_query(scene.id, "gold", limit=0)) == []


def test_with_vectors_memories_are_found_by_their_direction(store: AnyStore) -> None:
    scene = a_scene(store)
    written = [a_memory(scene.id, text) for text in ("east", "north-east", "north", "west")]
    answer = store.memories.remember(written, vectors(0, 45, 90, 180))

    found = store.memories.recall(a_query(scene.id, "x", limit=3), vectors(10))

    assert answer == Remembered(written=4, model=MODEL)
    assert [one.text for one in found] == ["east", "north-east", "north"]
    assert [round(one.score, 4) for one in found] == [
        round(math.cos(math.radians(angle)), 4) for angle in (10, 35, 80)
    ]
    assert (found[0].id, found[0].character, found[0].round) == (written[0].id, "mira", 1)


def test_of_like_memories_the_newer_comes_first(store: AnyStore) -> None:
    scene = a_scene(store)
    written = [a_memory(scene.id, f"gold {number}", round=number) for number in (1, 200, 100)]
    store.memories.remember(written, vectors(0, 0, 0))

    by_vector = recalled(store, a_query(scene.id, "gold", now=200), vectors(0))
    by_words = recalled(store, a_query(scene.id, "gold", now=200))

    assert by_vector == by_words == ["gold 200", "gold 100", "gold 1"]


def test_nobody_recalls_what_only_another_witnessed(store: AnyStore) -> None:
    scene = a_scene(store)
    store.worlds.create(World(id="", name="Mars"))
    written = [
        a_memory(scene.id, "gold mine", who="bo"),
        a_memory(scene.id, "gold elsewhere", world="mars"),
        a_memory(scene.id, "gold here"),
    ]
    store.memories.remember(written, vectors(0, 0, 0))

    for vector in (None, vectors(0)):
        assert recalled(store, a_query(scene.id, "gold"), vector) == ["gold here"]


def test_memories_of_other_scenes_of_the_world_are_recalled(store: AnyStore) -> None:
    scene = a_scene(store)
    other = store.worlds.create(Scene(id="", arc=scene.arc, title="Inn"))
    store.memories.remember([a_memory(other.id, "gold")], vectors(0))

    assert recalled(store, a_query(scene.id, "gold")) == ["gold"]
    assert recalled(store, a_query(scene.id, ""), vectors(0)) == ["gold"]
    assert store.memories.of(scene.id) == ()


def test_only_vectors_of_one_model_are_compared_and_the_rest_is_found_by_words(store: AnyStore) -> None:
    scene = a_scene(store)
    old = a_memory(scene.id, "gold in the west")
    new = a_memory(scene.id, "silver in the east")
    store.memories.remember([old], vectors(0, model="old"))
    store.memories.remember([new], vectors(90))

    assert recalled(store, a_query(scene.id, "gold"), vectors(0)) == [new.text, old.text]
    assert recalled(store, a_query(scene.id, "gold"), vectors(0, model="other")) == [old.text]
    assert recalled(store, a_query(scene.id, "gold"), vectors(0, dimensions=3)) == [old.text]


def test_a_change_of_model_embeds_again_what_has_no_vector_of_it(store: AnyStore) -> None:
    scene = a_scene(store)
    written = [a_memory(scene.id, f"gold {number}") for number in range(3)]
    store.memories.remember(written[:1], vectors(0, model="old"))
    store.memories.remember(written[1:2], vectors(0))
    store.memories.remember(written[2:], None)

    lacking = store.memories.without(MODEL)
    store.memories.embed(lacking, vectors(40, 20))

    assert [one.text for one in lacking] == ["gold 2", "gold 0"]
    assert store.memories.without(MODEL) == ()
    assert [one.text for one in store.memories.without("old", limit=2)] == ["gold 2", "gold 1"]
    assert recalled(store, a_query(scene.id), vectors(19)) == ["gold 0", "gold 1", "gold 2"]


def test_vectors_of_any_size_are_kept(store: AnyStore) -> None:
    scene = a_scene(store)
    store.memories.remember(
        [a_memory(scene.id, text) for text in ("east", "north")], vectors(0, 90, dimensions=1536)
    )

    assert recalled(store, a_query(scene.id), vectors(80, dimensions=1536)) == ["north", "east"]


def test_a_vector_without_direction_is_like_nothing(store: AnyStore) -> None:
    scene = a_scene(store)
    none = Vectors(model=MODEL, dimensions=256, vectors=((0.0,) * 256,))
    store.memories.remember([a_memory(scene.id, "nothing")], none)
    store.memories.remember([a_memory(scene.id, "east")], vectors(0))

    assert recalled(store, a_query(scene.id), vectors(0))[0] == "east"
    assert {one.score for one in store.memories.recall(a_query(scene.id), none)} <= {0.0}


def test_a_query_without_a_vector_in_it_is_by_words(store: AnyStore) -> None:
    scene = a_scene(store)
    store.memories.remember([a_memory(scene.id, "gold")], vectors(0))
    empty = Vectors(model=MODEL, dimensions=256, vectors=())

    assert recalled(store, a_query(scene.id, "gold"), empty) == ["gold"]


@pytest.mark.parametrize(
    "wrong",
    [
        vectors(0, 1),
        Vectors(model=MODEL, dimensions=3, vectors=((1.0, 0.0),)),
        Vectors(model=MODEL, dimensions=1, vectors=((math.nan,),)),
    ],
)
def test_vectors_that_do_not_fit_are_refused(store: AnyStore, wrong: Vectors) -> None:
    scene = a_scene(store)
    memory = a_memory(scene.id, "gold")

    for store_it in (store.memories.remember, store.memories.embed):
        with pytest.raises(UsageMistake) as caught:
            store_it([memory], wrong)
        assert caught.value.code == "bad-vectors"
    assert store.memories.of(scene.id) == ()


def test_a_memory_needs_its_scene_and_its_character(store: AnyStore) -> None:
    scene = a_scene(store)

    for memory, code in [
        (a_memory("mars", "x"), "no-such-scene"),
        (a_memory(scene.id, "x", world="mars"), "no-such-world"),
        (a_memory(scene.id, "x", who="mars"), "no-such-character"),
    ]:
        with pytest.raises(NotFound) as caught:
            store.memories.remember([a_memory(scene.id, "fine"), memory], None)
        assert caught.value.code == code
    assert store.memories.of(scene.id) == ()


def test_a_removed_character_is_remembered_no_more(store: AnyStore) -> None:
    scene = a_scene(store)
    memory = a_memory(scene.id, "gold")
    store.memories.remember([memory], vectors(0))

    store.worlds.remove(Character, "mira")
    store.memories.embed([memory], vectors(0))

    assert store.memories.of(scene.id) == store.memories.without("x") == ()


def test_memories_of_an_undone_round_are_not_recalled(store: AnyStore) -> None:
    scene = a_scene(store)
    for number in (1, 2):
        play(store, scene.id)
        store.memories.remember([a_memory(scene.id, f"gold {number}", round=number)], vectors(0))

    store.scenes.undo(an_undo(scene.id))

    for vector in (None, vectors(0)):
        assert recalled(store, a_query(scene.id, "gold"), vector) == ["gold 1"]
    assert [(one.text, one.undone) for one in store.memories.of(scene.id)] == [
        ("gold 1", False),
        ("gold 2", True),
    ]


def test_memories_of_a_round_are_taken_back_alone(store: AnyStore) -> None:
    scene = a_scene(store)
    for number in (1, 2):
        play(store, scene.id, f"{number}")
        store.memories.remember([a_memory(scene.id, f"gold {number}", round=number)], None)

    counts = [store.memories.take_back(scene.id, 1) for _ in range(2)]

    assert counts == [1, 1]
    assert store.memories.take_back("mars", 1) == 0
    assert recalled(store, a_query(scene.id, "gold")) == ["gold 2"]
    assert len(store.scenes.messages(scene.id)) == 4
    assert store.scenes.undo(an_undo(scene.id)).round == 2


def test_a_branch_remembers_what_was_before_it_and_not_what_came_after_elsewhere(store: AnyStore) -> None:
    scene = a_scene(store)
    for number in (1, 2, 3):
        play(store, scene.id)
        store.memories.remember([a_memory(scene.id, f"gold {number}", round=number)], vectors(0))
    branch = store.scenes.branch(a_branch(scene.id, 2)).scene
    assert branch is not None
    store.memories.remember([a_memory(branch.id, "gold there", round=3)], vectors(0))
    store.scenes.undo(an_undo(scene.id))
    store.scenes.undo(an_undo(scene.id))

    for vector in (None, vectors(0)):
        assert set(recalled(store, a_query(branch.id, "gold"), vector)) == {"gold 1", "gold 2", "gold there"}
        assert recalled(store, a_query(scene.id, "gold"), vector) == ["gold 1"]
    assert [one.text for one in store.memories.of(branch.id)] == ["gold 1", "gold 2", "gold there"]


@pytest.mark.long
def test_memories_taken_back_in_a_branch_stay_in_its_origin(store: AnyStore) -> None:
    scene = a_scene(store)
    play(store, scene.id)
    store.memories.remember([a_memory(scene.id, "gold")], None)
    branch = store.scenes.branch(a_branch(scene.id, 1)).scene
    assert branch is not None

    store.scenes.undo(an_undo(branch.id))

    assert recalled(store, a_query(branch.id, "gold")) == []
    assert recalled(store, a_query(scene.id, "gold")) == ["gold"]


@pytest.mark.long
def test_a_branch_keeps_its_memories_when_its_origin_is_removed(store: AnyStore) -> None:
    scene = a_scene(store)
    for number in (1, 2):
        play(store, scene.id)
        store.memories.remember([a_memory(scene.id, f"gold {number}", round=number)], vectors(0))
    branch = store.scenes.branch(a_branch(scene.id, 1)).scene
    assert branch is not None

    store.worlds.remove(Scene, scene.id)

    assert recalled(store, a_query(branch.id, "gold")) == ["gold 1"]
    assert recalled(store, a_query(branch.id), vectors(0)) == ["gold 1"]
