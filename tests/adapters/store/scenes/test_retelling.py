"""The contract of scenes: rounds that fail to be replaced, and memories of texts that change."""

import pytest

from penwright.domain.scene.remembering import Occasion, memories_of
from schemas.scene import ChooseAlternative, OpenRound, SceneState
from tests.adapters.store.builders import NOON, AnyStore
from tests.adapters.store.scenes.builders import (
    a_branch,
    a_redo,
    a_scene,
    a_turn,
    an_edit,
    an_effect,
    an_end,
    an_undo,
    play,
    texts,
)


def again(scene: str, message: str = "") -> OpenRound:
    return OpenRound(
        effect=an_effect(), scene=scene, session="s2", kind="regenerate", message=message, who="sam"
    )


def remember(store: AnyStore, scene: str, round: int) -> None:
    occasion = Occasion(op_id=f"op/keep-{round}", world="coast", scene=scene, round=round, at=NOON)
    said = store.scenes.messages(scene)
    store.memories.remember(memories_of(occasion, said, {"mira", "bo"}), None)


def remembered(store: AnyStore, scene: str) -> list[str]:
    return [each.text for each in store.memories.of(scene) if not each.undone]


@pytest.mark.parametrize("status", ["failed", "stopped"])
def test_a_whole_round_that_fails_to_be_played_again_brings_the_old_one_back(
    store: AnyStore, status: str
) -> None:
    scene = a_scene(store)
    play(store, scene.id, "Hello.", mood="glad")
    opened = store.scenes.open_round(again(scene.id))
    assert texts(store, scene.id) == ["Hello."]

    store.scenes.close_round(an_end(scene.id, opened.number, opened.state, status=status))

    assert texts(store, scene.id) == ["Hello.", "Hello.?"]
    assert {each.id: each.mood for each in store.scenes.state(scene.id).characters}["mira"] == "glad"
    first, second = store.scenes.rounds(scene.id)
    assert first.status == "completed"
    assert second.status == ("failed" if status == "failed" else "undone")
    undone = store.scenes.undo(an_undo(scene.id))
    assert (undone.round, texts(store, scene.id)) == (1, [])


def test_a_round_played_again_that_is_stopped_after_a_reply_replaces_the_old_one(store: AnyStore) -> None:
    scene = a_scene(store)
    play(store, scene.id, "Hello.")
    opened = store.scenes.open_round(again(scene.id))
    turn = a_turn(store, scene.id, opened.number, "bo", "Me first.")
    message = store.scenes.keep_turn(turn)
    end = an_end(scene.id, opened.number, opened.state, status="stopped")
    spoken = (turn.record.model_copy(update={"message": message}),)
    end = end.model_copy(update={"round": end.round.model_copy(update={"turns": spoken})})

    store.scenes.close_round(end)

    assert texts(store, scene.id) == ["Hello.", "Me first."]


def test_no_memory_keeps_the_old_text_of_an_edited_message(store: AnyStore) -> None:
    scene = a_scene(store)
    play(store, scene.id, "Hello.")
    remember(store, scene.id, 1)

    store.scenes.edit(an_edit(f"{scene.id}/1", "Good night."))

    assert remembered(store, scene.id)
    assert all("Good night." in each for each in remembered(store, scene.id))
    assert not any("Ada: Hello.\n" in f"{each}\n" for each in remembered(store, scene.id))
    store.scenes.choose(ChooseAlternative(effect=an_effect(), message=f"{scene.id}/1", index=0, who="sam"))
    assert all("Good night." not in each for each in remembered(store, scene.id))


def test_no_memory_keeps_a_reply_that_was_made_anew_and_undo_brings_it_back(store: AnyStore) -> None:
    scene = a_scene(store)
    play(store, scene.id, "Hello.")
    store.scenes.edit(an_edit(f"{scene.id}/1", "Hear me."))
    remember(store, scene.id, 1)
    before = remembered(store, scene.id)
    answered = store.scenes.messages(scene.id)[-1].id
    opened = store.scenes.open_round(again(scene.id, answered))
    turn = a_turn(store, scene.id, opened.number, "mira", "Otherwise.", replaces=answered)
    store.scenes.keep_turn(turn)
    store.scenes.close_round(an_end(scene.id, opened.number, SceneState(roster=("mira", "bo"))))

    assert all("Hello.?" not in each for each in remembered(store, scene.id))
    store.scenes.undo(an_undo(scene.id))

    assert remembered(store, scene.id) == before


def test_a_branch_forgets_the_round_whose_text_it_changes_and_its_source_does_not(store: AnyStore) -> None:
    scene = a_scene(store)
    play(store, scene.id, "Hello.")
    remember(store, scene.id, 1)
    before = remembered(store, scene.id)
    branch = store.scenes.branch(a_branch(scene.id, 1)).scene
    assert branch is not None
    assert remembered(store, branch.id) == before

    shared = store.scenes.messages(branch.id)[0].id
    store.scenes.edit(an_edit(shared, "Good night."))

    assert remembered(store, branch.id) == []
    assert remembered(store, scene.id) == before


def test_a_branch_forgets_a_shared_round_whose_text_its_source_changes(store: AnyStore) -> None:
    scene = a_scene(store)
    play(store, scene.id, "Hello.")
    remember(store, scene.id, 1)
    branch = store.scenes.branch(a_branch(scene.id, 1)).scene
    assert branch is not None

    store.scenes.edit(an_edit(f"{scene.id}/1", "Good night."))

    assert remembered(store, branch.id) == []
    assert any("Good night." in each for each in remembered(store, scene.id))


def sum_up(store: AnyStore, scene: str, first: int, last: int) -> bool:
    """Messages in their own words."""
    said = {each.number: each.text for each in store.scenes.messages(scene)}
    shown = {number: text for number, text in said.items() if first <= number <= last}
    return store.scenes.summarised(scene, " ".join(shown.values()), an_effect().op_id, ("mira",), shown)


def summary(store: AnyStore, scene: str) -> list[str]:
    return [each.text for each in store.scenes.summed_up(scene).stretches]


def outside(store: AnyStore, scene: str) -> list[int]:
    return [each.number for each in store.scenes.summed_up(scene).outside]


def summarised_twice(store: AnyStore) -> str:
    """A scene of four rounds: one stretch tells round 1, another one rounds 2 and 3."""
    scene = a_scene(store).id
    for text in ("One.", "Two.", "Three.", "Four."):
        play(store, scene, text)
    sum_up(store, scene, 1, 2)
    sum_up(store, scene, 3, 6)
    return scene


@pytest.mark.parametrize(
    ("number", "left"),
    [
        (1, ["Two. Two.? Three. Three.?"]),
        (3, ["One. One.?"]),
        (6, ["One. One.?"]),
        (7, ["One. One.?", "Two. Two.? Three. Three.?"]),
    ],
)
def test_another_text_of_a_message_takes_away_the_stretch_that_tells_it_and_no_other(
    store: AnyStore, number: int, left: list[str]
) -> None:
    scene = summarised_twice(store)

    store.scenes.edit(an_edit(f"{scene}/{number}", "Otherwise."))

    assert summary(store, scene) == left
    assert number in outside(store, scene)
    store.scenes.choose(
        ChooseAlternative(effect=an_effect(), message=f"{scene}/{number}", index=0, who="sam")
    )
    assert len(summary(store, scene)) == 2, "the text is the one that was told"
    assert outside(store, scene) == [7, 8]


def test_a_stretch_that_was_made_anew_stands_beside_the_others(store: AnyStore) -> None:
    scene = summarised_twice(store)
    store.scenes.edit(an_edit(f"{scene}/1", "Otherwise."))

    sum_up(store, scene, 1, 2)

    assert summary(store, scene) == ["Otherwise. One.?", "Two. Two.? Three. Three.?"]


def test_an_undone_round_is_in_no_summary_and_stands_in_it_again_after_a_redo(store: AnyStore) -> None:
    scene = summarised_twice(store)
    for _ in range(2):
        store.scenes.undo(an_undo(scene))

    assert summary(store, scene) == ["One. One.?"]
    assert outside(store, scene) == [3, 4]
    for _ in range(2):
        store.scenes.redo(a_redo(scene))
    assert len(summary(store, scene)) == 2


def test_a_branch_has_the_stretches_that_it_shares(store: AnyStore) -> None:
    scene = summarised_twice(store)
    branch = store.scenes.branch(a_branch(scene, 1)).scene
    assert branch is not None
    play(store, branch.id, "Else.")

    assert summary(store, branch.id) == ["One. One.?"]
    sum_up(store, branch.id, 3, 4)
    assert summary(store, branch.id) == ["One. One.?", "Else. Else.?"]
    assert len(summary(store, scene)) == 2
    store.scenes.edit(an_edit(f"{branch.id}/1", "Otherwise."))
    assert summary(store, branch.id) == ["Else. Else.?"]
    assert len(summary(store, scene)) == 2, "its source keeps what it told"


@pytest.mark.parametrize("shown", [{7: "Four was otherwise."}, {7: "Four.", 99: "Not there."}, {}])
def test_a_summary_of_what_reads_otherwise_by_now_is_not_kept(store: AnyStore, shown: dict[int, str]) -> None:
    scene = summarised_twice(store)

    assert not store.scenes.summarised(scene, "All.", f"op/late-{scene}", ("mira",), shown)

    assert len(summary(store, scene)) == 2
    for _ in range(2):  # an activity may be repeated
        assert store.scenes.summarised(scene, "All.", f"op/good-{scene}", ("mira",), {7: "Four."})
        assert summary(store, scene)[2:] == ["All."]


def test_a_reply_that_is_made_again_takes_its_stretch_away(store: AnyStore) -> None:
    scene = summarised_twice(store)
    answered = store.scenes.messages(scene)[1].id
    opened = store.scenes.open_round(again(scene, answered))
    store.scenes.keep_turn(a_turn(store, scene, opened.number, "mira", "Otherwise.", replaces=answered))

    store.scenes.close_round(an_end(scene, opened.number, opened.state))

    assert summary(store, scene) == ["Two. Two.? Three. Three.?"]
    store.scenes.undo(an_undo(scene))
    assert len(summary(store, scene)) == 2
