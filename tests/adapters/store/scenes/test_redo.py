"""Rounds that come back: after an undo, and as another take of the newest one."""

from tests.adapters.store.builders import AnyStore
from tests.adapters.store.scenes.builders import (
    a_branch,
    a_memory,
    a_redo,
    a_scene,
    a_state,
    a_turn,
    an_edit,
    an_end,
    an_order,
    an_undo,
    play,
    texts,
)


def again(store: AnyStore, scene: str, said: str, *, mood: str) -> int:
    """The newest round once more, with another reply."""
    order = an_order(scene, "").model_copy(update={"kind": "regenerate"})
    number = store.scenes.open_round(order).number
    state = a_state("mira", "bo", mood=mood)
    store.scenes.keep_turn(a_turn(store, scene, number, "mira", said, state=state))
    store.scenes.close_round(an_end(scene, number, state))
    return number


def mood(store: AnyStore, scene: str) -> str:
    return store.scenes.state(scene).characters[0].mood


def test_what_was_taken_back_comes_back_step_by_step(store: AnyStore) -> None:
    scene = a_scene(store).id
    for number, said in enumerate(("One", "Two", "Three"), start=1):
        play(store, scene, said, mood=f"mood {number}")
        store.memories.remember([a_memory(scene, said, round=number)], None)
    whole, state = texts(store, scene), store.scenes.state(scene)
    for _ in range(2):
        store.scenes.undo(an_undo(scene))

    done = [store.scenes.redo(a_redo(scene)) for _ in range(2)]

    assert [each.round for each in done] == [2, 3]
    assert texts(store, scene) == whole
    assert store.scenes.state(scene).model_copy(update={"version": state.version}) == state
    assert [each.undone for each in store.memories.of(scene)] == [False] * 3
    assert store.scenes.redo(a_redo(scene)).code == "nothing-to-redo"


def test_after_another_round_what_was_taken_back_comes_back_only_by_its_number(store: AnyStore) -> None:
    scene = a_scene(store).id
    play(store, scene, "One", mood="calm")
    play(store, scene, "Two", mood="wary")
    store.scenes.undo(an_undo(scene))
    play(store, scene, "Other", mood="glad")

    assert store.scenes.redo(a_redo(scene)).code == "nothing-to-redo"
    assert store.scenes.redo(a_redo(scene, 2)).round == 2
    assert (texts(store, scene)[2:], mood(store, scene)) == (["Two", "Two?"], "wary")
    assert store.scenes.redo(a_redo(scene, 3)).round == 3
    assert (texts(store, scene)[2:], mood(store, scene)) == (["Other", "Other?"], "glad")
    assert store.scenes.redo(a_redo(scene, 1)).code == "nothing-to-redo"


def test_each_take_of_a_round_can_be_chosen_again(store: AnyStore) -> None:
    scene = a_scene(store).id
    play(store, scene, "Hello", mood="calm")
    takes = {1: ("Hello?", "calm")}
    for said in ("No.", "Yes."):
        takes[again(store, scene, said, mood=said)] = (said, said)

    for number in (1, 3, 2, 1, 2, 3):
        if (texts(store, scene)[1], mood(store, scene)) != takes[number]:
            assert store.scenes.redo(a_redo(scene, number)).round == number
        assert (texts(store, scene)[1], mood(store, scene)) == takes[number]
    store.scenes.undo(an_undo(scene))
    assert texts(store, scene)[1] == "No."
    assert store.scenes.redo(a_redo(scene)).round == 3

    play(store, scene, "And now", mood="glad")
    assert store.scenes.redo(a_redo(scene, 1)).code == "nothing-to-redo", "a later round follows"


def test_another_take_of_one_reply_comes_back_and_a_branch_has_what_its_scene_had(
    store: AnyStore,
) -> None:
    scene = a_scene(store).id
    play(store, scene, "Hello")
    order = an_order(scene, "").model_copy(update={"kind": "regenerate", "message": f"{scene}/2"})
    number = store.scenes.open_round(order).number
    store.scenes.keep_turn(a_turn(store, scene, number, "mira", "No.", replaces=f"{scene}/2"))
    store.scenes.close_round(an_end(scene, number, a_state("mira", "bo")))
    store.scenes.edit(an_edit(f"{scene}/2", "By hand."))
    store.scenes.undo(an_undo(scene))
    branch = store.scenes.branch(a_branch(scene, 1)).scene

    assert texts(store, scene)[1] == "Hello?"
    assert store.scenes.redo(a_redo(scene)).round == number
    assert texts(store, scene)[1] == "By hand."
    assert branch is not None
    assert texts(store, branch.id)[1] == "Hello?"


def test_a_round_that_failed_never_comes_back(store: AnyStore) -> None:
    scene = a_scene(store).id
    play(store, scene, "Hello")
    number = store.scenes.open_round(an_order(scene, "").model_copy(update={"kind": "regenerate"})).number
    store.scenes.close_round(an_end(scene, number, a_state("mira", "bo"), status="failed"))

    assert texts(store, scene) == ["Hello", "Hello?"]
    assert store.scenes.redo(a_redo(scene, number)).code == "nothing-to-redo"
    assert store.scenes.redo(a_redo(scene)).code == "nothing-to-redo"


def another_take(store: AnyStore, scene: str, message: int, said: str) -> int:
    """One reply once more."""
    reply = f"{scene}/{message}"
    order = an_order(scene, "").model_copy(update={"kind": "regenerate", "message": reply})
    number = store.scenes.open_round(order).number
    store.scenes.keep_turn(a_turn(store, scene, number, "mira", said, replaces=reply))
    store.scenes.close_round(an_end(scene, number, a_state("mira", "bo")))
    return number


def test_a_branch_has_the_state_of_its_round_though_an_earlier_reply_was_made_again_since(
    store: AnyStore,
) -> None:
    scene = a_scene(store).id
    for said, mood in (("One", "calm"), ("Two", "sad"), ("Three", "glad")):
        play(store, scene, said, mood=mood)
    another_take(store, scene, 2, "No.")
    again(store, scene, "Again.", mood="angry")

    made = store.scenes.branch(a_branch(scene, 2)).scene

    assert made is not None
    assert {one.mood for one in store.scenes.state(made.id).characters} == {"sad"}


def test_the_last_round_is_played_again_also_after_an_earlier_reply_was_made_again(store: AnyStore) -> None:
    scene = a_scene(store).id
    play(store, scene, "One")
    play(store, scene, "Two")
    another_take(store, scene, 2, "No.")
    play(store, scene, "Three")
    store.scenes.undo(an_undo(scene))

    number = again(store, scene, "Again.", mood="glad")

    assert texts(store, scene) == ["One", "No.", "Two", "Again."]
    store.scenes.undo(an_undo(scene))
    assert texts(store, scene) == ["One", "No.", "Two", "Two?"]
    assert store.scenes.redo(a_redo(scene)).round == number
    assert store.scenes.redo(a_redo(scene, 2)).round == 2
    assert texts(store, scene) == ["One", "No.", "Two", "Two?"]
    store.scenes.undo(an_undo(scene))
    assert texts(store, scene)[:2] == ["One", "One?"], "the reply that was made again was the newest act"


def test_a_reply_of_the_last_round_that_was_made_again_is_made_again_once_more(store: AnyStore) -> None:
    scene = a_scene(store).id
    play(store, scene, "One")
    another_take(store, scene, 2, "No.")

    opened = store.scenes.open_round(an_order(scene, "").model_copy(update={"kind": "regenerate"}))

    assert opened.regenerates is not None
    assert opened.regenerates.text == "No."
