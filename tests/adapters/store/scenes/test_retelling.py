"""The contract of scenes: rounds that fail to be replaced, and memories of texts that change."""

import pytest

from penwright.domain.scene.remembering import Occasion, memories_of
from schemas.scene import ChooseAlternative, OpenRound, SceneState, SummaryBasis
from tests.adapters.store.builders import NOON, AnyStore
from tests.adapters.store.scenes.builders import (
    a_branch,
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


def summary(store: AnyStore, scene: str) -> tuple[str, int]:
    state = store.scenes.state(scene)
    return state.summary, state.summarised_to


def summarised_twice(store: AnyStore) -> str:
    """A scene of four rounds: the first summary covers round 1, the second one rounds 1 to 3."""
    scene = a_scene(store).id
    play(store, scene, "One.")
    store.scenes.summarised(scene, "One was said.", 2, f"op/first-{scene}", ("mira",))
    play(store, scene, "Two.")
    play(store, scene, "Three.")
    store.scenes.summarised(scene, "One, two, three.", 6, f"op/second-{scene}", ("mira",))
    play(store, scene, "Four.")
    return scene


@pytest.mark.parametrize(
    ("number", "left"),
    [(1, ("", 0)), (3, ("One was said.", 2)), (6, ("One was said.", 2)), (7, ("One, two, three.", 6))],
)
def test_no_summary_keeps_the_old_text_of_an_edited_message(
    store: AnyStore, number: int, left: tuple[str, int]
) -> None:
    scene = summarised_twice(store)
    assert summary(store, scene) == ("One, two, three.", 6)

    store.scenes.edit(an_edit(f"{scene}/{number}", "Otherwise."))

    assert summary(store, scene) == left
    store.scenes.undo(an_undo(scene))
    assert summary(store, scene) == left


@pytest.mark.parametrize(
    "basis",
    [
        SummaryBasis(summary="One, two, three.", texts={7: "Four was otherwise."}),
        SummaryBasis(summary="One, two, three.", texts={99: "Not there."}),
        SummaryBasis(summary="One was said.", texts={7: "Four."}),
    ],
)
def test_a_summary_of_what_reads_otherwise_by_now_is_not_kept(store: AnyStore, basis: SummaryBasis) -> None:
    scene = summarised_twice(store)

    kept = store.scenes.summarised(scene, "All.", 8, f"op/late-{scene}", ("mira",), basis=basis)

    assert not kept
    assert summary(store, scene) == ("One, two, three.", 6)
    stands = SummaryBasis(summary="One, two, three.", texts={7: "Four."})
    for _ in range(2):  # an activity may be repeated
        assert store.scenes.summarised(scene, "All.", 8, f"op/good-{scene}", ("mira",), basis=stands)
        assert summary(store, scene) == ("All.", 8)


def test_a_round_that_runs_meanwhile_does_not_bring_the_old_summary_back(store: AnyStore) -> None:
    scene = summarised_twice(store)
    answered = store.scenes.messages(scene)[1].id
    opened = store.scenes.open_round(again(scene, answered))
    store.scenes.keep_turn(a_turn(store, scene, opened.number, "mira", "Otherwise.", replaces=answered))

    store.scenes.close_round(an_end(scene, opened.number, opened.state))

    assert opened.state.summary == "One, two, three."
    assert summary(store, scene) == ("", 0)
