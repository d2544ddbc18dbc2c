"""The contract of ``Scenes``: other texts, rounds taken back and played again, and branches."""

import pytest

from penwright.errors import NotFound
from schemas.lore import Attachment, Lorebook
from schemas.scene import ChooseAlternative, OpenRound, PatchState
from schemas.worlds import Character, Scene, World
from tests.adapters.store.builders import AnyStore
from tests.adapters.store.scenes.builders import (
    a_branch,
    a_change,
    a_pass,
    a_scene,
    a_state,
    a_turn,
    an_edit,
    an_effect,
    an_end,
    an_order,
    an_undo,
    play,
    texts,
)


def a_choice(message: str, index: int) -> ChooseAlternative:
    return ChooseAlternative(effect=an_effect(), message=message, index=index, who="sam")


def again(scene: str, message: str = "") -> OpenRound:
    return an_order(scene, "").model_copy(update={"kind": "regenerate", "message": message})


def branched(store: AnyStore, scene: str, after: int, title: str = "Another way") -> Scene:
    changed = store.scenes.branch(a_branch(scene, after, title))
    assert changed.scene is not None, changed.message
    return changed.scene


def moods(store: AnyStore, scene: str) -> set[str]:
    return {one.mood for one in store.scenes.state(scene).characters}


def test_an_edit_is_an_alternative_that_is_chosen_and_the_old_can_be_chosen_again(store: AnyStore) -> None:
    scene = a_scene(store)
    play(store, scene.id)
    edit = an_edit("the-harbour/2", "Hello you.")

    edited, repeated = store.scenes.edit(edit), store.scenes.edit(edit)
    after = texts(store, scene.id)
    chosen = store.scenes.choose(a_choice("the-harbour/2", 0))

    message = store.scenes.message("the-harbour/2")
    assert edited == repeated
    assert (edited.code, edited.round, edited.messages) == ("", 1, ("the-harbour/2",))
    assert after == ["Hello.", "Hello you."]
    assert chosen.code == ""
    assert message is not None
    assert (message.text, message.chosen) == ("Hello.?", 0)
    assert [(one.author.kind, one.author.name) for one in message.alternatives] == [
        ("model", "quill-1"),
        ("person", "sam"),
    ]


def test_texts_that_are_not_there_are_not_changed(store: AnyStore) -> None:
    scene = a_scene(store)
    play(store, scene.id)

    codes = [
        store.scenes.edit(an_edit("the-harbour/3", "x")).code,
        store.scenes.edit(an_edit("mars/1", "x")).code,
        store.scenes.edit(an_edit("", "x")).code,
        store.scenes.edit(an_edit("the-harbour/1", "\n")).code,
        store.scenes.choose(a_choice("the-harbour/9", 0)).code,
        store.scenes.choose(a_choice("the-harbour/1", 1)).code,
        store.scenes.choose(a_choice("the-harbour/1", -1)).code,
    ]

    assert codes == [
        *("no-such-message",) * 3,
        "empty-message",
        "no-such-message",
        *("no-such-alternative",) * 2,
    ]
    assert texts(store, scene.id) == ["Hello.", "Hello.?"]


def test_an_undone_round_is_hidden_and_the_state_is_as_before(store: AnyStore) -> None:
    scene = a_scene(store)
    play(store, scene.id, "One", mood="calm")
    play(store, scene.id, "Two", mood="wary")
    undo = an_undo(scene.id)

    undone, repeated = store.scenes.undo(undo), store.scenes.undo(undo)

    assert undone == repeated
    assert (undone.code, undone.round, undone.messages) == ("", 2, ("the-harbour/3", "the-harbour/4"))
    assert texts(store, scene.id) == ["One", "One?"]
    assert texts(store, scene.id, undone=True) == ["One", "One?", "Two", "Two?"]
    assert moods(store, scene.id) == {"calm"}
    assert [one.status for one in store.scenes.rounds(scene.id)] == ["completed", "undone"]
    restored = [one.change for one in store.scenes.changes(scene.id)]
    assert [(one.subject, one.old, one.new, one.source) for one in restored] == [
        ("bo", "wary", "calm", "undo"),
        ("mira", "wary", "calm", "undo"),
    ]
    assert store.scenes.edit(an_edit("the-harbour/4", "x")).code == "no-such-message"


def test_rounds_are_undone_one_after_the_other_to_the_first(store: AnyStore) -> None:
    scene = a_scene(store)
    for said in ("One", "Two"):
        play(store, scene.id, said)

    rounds = [store.scenes.undo(an_undo(scene.id)).round for _ in range(2)]
    none = store.scenes.undo(an_undo(scene.id))
    third = play(store, scene.id, "Three")

    assert rounds == [2, 1]
    assert none.code == "nothing-to-undo"
    assert (third.number, third.user_message) == (3, "the-harbour/5")
    assert texts(store, scene.id) == ["Three", "Three?"]
    assert store.scenes.undo(an_undo("mars")).code == "no-such-scene"


def test_nothing_is_undone_while_a_round_runs(store: AnyStore) -> None:
    scene = a_scene(store)
    play(store, scene.id)
    store.scenes.open_round(an_order(scene.id))

    refused = store.scenes.undo(an_undo(scene.id))

    assert (refused.code, refused.round) == ("round-runs", 2)


def test_an_undo_brings_back_who_was_present(store: AnyStore) -> None:
    scene = a_scene(store)
    store.worlds.create(Character(id="", name="Cy"))
    store.scenes.open_round(an_order(scene.id))
    store.scenes.close_round(an_end(scene.id, 1, a_state("mira", "cy")))

    store.scenes.undo(an_undo(scene.id))

    now = store.worlds.read(Scene, scene.id)
    assert now is not None
    assert now.roster == ("mira", "bo")


def test_one_reply_is_written_again_and_the_old_is_kept(store: AnyStore) -> None:
    scene = a_scene(store)
    play(store, scene.id, "One")
    play(store, scene.id, "Two")

    opened = store.scenes.open_round(again(scene.id, "the-harbour/2"))
    id = store.scenes.keep_turn(
        a_turn(store, scene.id, opened.number, "mira", "Better.", replaces="the-harbour/2")
    )
    store.scenes.close_round(an_end(scene.id, opened.number, a_state("mira", "bo")))
    after = texts(store, scene.id)
    store.scenes.undo(an_undo(scene.id))

    assert opened.regenerates is not None
    assert (opened.number, opened.user_message, opened.regenerates.text) == (3, "", "One?")
    assert id == "the-harbour/2"
    assert after == ["One", "Better.", "Two", "Two?"]
    assert texts(store, scene.id) == ["One", "One?", "Two", "Two?"]
    message = store.scenes.message(id)
    assert message is not None
    assert [one.text for one in message.alternatives] == ["One?", "Better."]


def test_what_is_no_reply_is_not_written_again(store: AnyStore) -> None:
    scene = a_scene(store)
    nothing = store.scenes.open_round(again(scene.id))
    play(store, scene.id)

    codes = [
        nothing.code,
        store.scenes.open_round(again(scene.id, "the-harbour/1")).code,
        store.scenes.open_round(again(scene.id, "the-harbour/7")).code,
        store.scenes.open_round(again(scene.id, "mars/1")).code,
    ]

    assert codes == ["no-message", "no-message", "no-such-message", "no-such-message"]
    assert store.scenes.running(scene.id) is None


def test_a_round_is_played_again_from_its_beginning_and_undo_brings_the_first_back(store: AnyStore) -> None:
    scene = a_scene(store)
    play(store, scene.id, "One", mood="calm")
    play(store, scene.id, "Two", mood="wary")

    opened = store.scenes.open_round(again(scene.id))
    state = a_state("mira", "bo", mood="glad")
    store.scenes.keep_pass(a_pass(scene.id, 3, opened.state))
    store.scenes.keep_turn(a_turn(store, scene.id, 3, "mira", "Two!", state=state))
    store.scenes.close_round(an_end(scene.id, 3, state))
    after = texts(store, scene.id)
    store.scenes.undo(an_undo(scene.id))

    assert {one.mood for one in opened.state.characters} == {"calm"}
    assert opened.user_message == "the-harbour/5"
    assert (opened.replays, opened.earlier) == (2, {"mira": "the-harbour/4"})
    assert after == ["One", "One?", "Two", "Two!"]
    assert texts(store, scene.id) == ["One", "One?", "Two", "Two?"]
    assert moods(store, scene.id) == {"wary"}
    statuses = {one.number: one.status for one in store.scenes.rounds(scene.id)}
    assert statuses == {1: "completed", 2: "completed", 3: "undone"}


def test_a_reply_of_a_round_played_again_carries_the_earlier_texts(store: AnyStore) -> None:
    scene = a_scene(store)
    play(store, scene.id, "One")
    opened = store.scenes.open_round(again(scene.id))
    turn = a_turn(store, scene.id, 2, "mira", "Better.")

    id = store.scenes.keep_turn(turn.model_copy(update={"carries": opened.earlier["mira"]}))

    message = store.scenes.message(id)
    assert message is not None
    assert (message.id, message.text, message.chosen) == ("the-harbour/4", "Better.", 1)
    assert [one.text for one in message.alternatives] == ["One?", "Better."]
    assert texts(store, scene.id) == ["One", "Better."]
    lost = turn.model_copy(update={"carries": "the-harbour/9", "effect": an_effect()})
    with pytest.raises(NotFound) as caught:
        store.scenes.keep_turn(lost)
    assert caught.value.code == "no-such-message"


def test_a_branch_shares_what_was_before_it_and_goes_its_own_way(store: AnyStore) -> None:
    scene = a_scene(store)
    for said, mood in [("One", "calm"), ("Two", "wary"), ("Three", "sad")]:
        play(store, scene.id, said, mood=mood)
    request = a_branch(scene.id, 2)

    made, repeated = store.scenes.branch(request), store.scenes.branch(request)
    branch = made.scene
    assert branch is not None
    opened = play(store, branch.id, "Other", mood="glad")

    assert made == repeated
    assert (branch.id, branch.branched_from, branch.branched_at) == ("another-way", scene.id, 2)
    assert (branch.rounds, branch.position, branch.roster) == (2, 1, scene.roster)
    assert (opened.number, opened.user_message) == (3, "another-way/5")
    assert {one.mood for one in opened.state.characters} == {"wary"}
    assert texts(store, branch.id) == ["One", "One?", "Two", "Two?", "Other", "Other?"]
    assert texts(store, scene.id) == ["One", "One?", "Two", "Two?", "Three", "Three?"]
    assert [one.id for one in store.scenes.messages(branch.id, newest=3)] == [
        f"another-way/{number}" for number in (4, 5, 6)
    ]
    assert [(one.scene, one.number) for one in store.scenes.rounds(branch.id)] == [
        (branch.id, number) for number in (1, 2, 3)
    ]
    assert (moods(store, branch.id), moods(store, scene.id)) == ({"glad"}, {"sad"})
    assert store.worlds.list(Scene, below=scene.arc)[1].id == branch.id


def test_a_branch_from_the_newest_round_or_the_beginning_has_the_state_of_then(store: AnyStore) -> None:
    scene = a_scene(store)
    play(store, scene.id, mood="calm")
    patch = PatchState(
        effect=an_effect(),
        scene=scene.id,
        changes=(a_change("mira", "merry"), a_change("bo", "merry")),
        who="sam",
    )
    store.scenes.patch(patch)

    newest, first = branched(store, scene.id, 1), branched(store, scene.id, 0, "From the start")

    assert moods(store, newest.id) == {"merry"}
    assert store.scenes.state(first.id).characters == ()
    assert store.scenes.state(first.id).roster == ("mira", "bo")
    assert texts(store, first.id) == []
    assert play(store, first.id, "Anew").user_message == "from-the-start/1"


@pytest.mark.parametrize("after", [-1, 2, 3, 4])
def test_no_branch_leaves_a_round_that_does_not_stand(store: AnyStore, after: int) -> None:
    scene = a_scene(store)
    play(store, scene.id, "One")
    play(store, scene.id, "Two")
    store.scenes.undo(an_undo(scene.id))
    store.scenes.open_round(an_order(scene.id))

    refused = store.scenes.branch(a_branch(scene.id, after))

    assert refused.code == "no-such-round"
    assert [one.id for one in store.worlds.list(Scene)] == [scene.id]


def test_a_change_of_a_shared_message_is_seen_in_its_own_scene_only(store: AnyStore) -> None:
    scene = a_scene(store)
    play(store, scene.id, "One")
    play(store, scene.id, "Two")
    branch = branched(store, scene.id, 2)
    leaf = branched(store, branch.id, 1, "Leaf")

    store.scenes.edit(an_edit(f"{branch.id}/2", "in the branch"))
    store.scenes.edit(an_edit(f"{scene.id}/2", "in the first"))
    store.scenes.edit(an_edit(f"{scene.id}/1", "One!"))
    store.scenes.edit(an_edit(f"{leaf.id}/1", "in the leaf"))
    store.scenes.edit(an_edit(f"{scene.id}/2", "in the first again"))
    store.scenes.choose(a_choice(f"{leaf.id}/2", 0))

    assert texts(store, scene.id) == ["One!", "in the first again", "Two", "Two?"]
    assert texts(store, branch.id) == ["One", "in the branch", "Two", "Two?"]
    assert texts(store, leaf.id) == ["in the leaf", "One?"]
    assert [one.text for one in store.scenes.messages(branch.id, newest=2, before=3)] == [
        "One",
        "in the branch",
    ]


def test_shared_rounds_are_undone_in_one_scene_only(store: AnyStore) -> None:
    scene = a_scene(store)
    for said in ("One", "Two", "Three"):
        play(store, scene.id, said, mood=said)
    store.scenes.undo(an_undo(scene.id))
    branch = branched(store, scene.id, 2)
    leaf = branched(store, branch.id, 2, "Leaf")

    in_first = store.scenes.undo(an_undo(scene.id))
    in_leaf = [store.scenes.undo(an_undo(leaf.id)) for _ in range(3)]

    assert (in_first.round, [one.code for one in in_leaf]) == (2, ["", "", "nothing-to-undo"])
    assert in_leaf[0].messages == ("leaf/3", "leaf/4")
    assert texts(store, scene.id) == ["One", "One?"]
    assert texts(store, branch.id) == ["One", "One?", "Two", "Two?"]
    assert texts(store, leaf.id) == []
    assert (moods(store, scene.id), moods(store, branch.id)) == ({"One"}, {"Two"})
    assert [one.status for one in store.scenes.rounds(branch.id)] == ["completed", "completed"]


def test_a_branch_of_a_branch_reads_through_both(store: AnyStore) -> None:
    scene = a_scene(store)
    for said in ("One", "Two", "Three"):
        play(store, scene.id, said)
    branch = branched(store, scene.id, 2)
    play(store, branch.id, "Fork")
    leaf = branched(store, branch.id, 3, "Leaf")
    early = branched(store, leaf.id, 1, "Early")
    play(store, leaf.id, "Twig")
    play(store, early.id, "Bud")

    assert texts(store, leaf.id) == ["One", "One?", "Two", "Two?", "Fork", "Fork?", "Twig", "Twig?"]
    assert texts(store, early.id) == ["One", "One?", "Bud", "Bud?"]
    assert [one.text for one in store.scenes.messages(leaf.id, newest=3, before=8)] == [
        "Fork",
        "Fork?",
        "Twig",
    ]
    assert [one.number for one in store.scenes.rounds(leaf.id, newest=3)] == [2, 3, 4]
    found = store.scenes.message("leaf/1")
    assert found is not None
    assert found.text == "One"


def test_a_reply_written_again_in_a_branch_stays_there(store: AnyStore) -> None:
    scene = a_scene(store)
    play(store, scene.id, "One")
    branch = branched(store, scene.id, 1)

    store.scenes.open_round(again(branch.id, "another-way/2"))
    store.scenes.keep_turn(a_turn(store, branch.id, 2, "mira", "Better.", replaces="another-way/2"))

    assert texts(store, branch.id) == ["One", "Better."]
    assert texts(store, scene.id) == ["One", "One?"]


def test_a_round_may_run_in_a_branch_while_one_runs_in_its_origin(store: AnyStore) -> None:
    scene = a_scene(store)
    play(store, scene.id)
    store.scenes.open_round(an_order(scene.id))

    branch = branched(store, scene.id, 1)
    opened = store.scenes.open_round(an_order(branch.id))

    assert opened.code == ""
    assert (store.scenes.running(scene.id), store.scenes.running(branch.id)) == (2, 2)


def test_rounds_that_do_not_stand_are_counted_in_each_scene_that_sees_them(store: AnyStore) -> None:
    scene = a_scene(store)
    play(store, scene.id, "First.")
    play(store, scene.id, "Second.")
    answered = store.scenes.messages(scene.id)[-1].id
    opened = store.scenes.open_round(again(scene.id, answered))
    store.scenes.keep_turn(a_turn(store, scene.id, opened.number, "mira", "Otherwise.", replaces=answered))
    store.scenes.close_round(an_end(scene.id, opened.number, opened.state))
    play(store, scene.id, "Third.")
    refused = store.scenes.branch(a_branch(scene.id, opened.number))
    branch = branched(store, scene.id, 4)
    for _ in range(3):
        store.scenes.undo(an_undo(branch.id))

    assert refused.code == "no-such-round"
    assert store.scenes.set_aside((scene.id, branch.id, "nowhere")) == {scene.id: 1, branch.id: 3}
    assert store.scenes.set_aside(()) == {}


def test_a_branch_has_the_books_of_its_origin(store: AnyStore) -> None:
    scene = a_scene(store)
    book = store.worlds.create(Lorebook(id="", name="Tides"))
    store.worlds.attach(Attachment(book=book.id, level="scene", at=scene.id))

    branch = branched(store, scene.id, 0)

    assert store.worlds.active_books(branch.id) == (book,)


def test_a_branch_outlives_the_scenes_it_comes_from(store: AnyStore) -> None:
    scene = a_scene(store)
    for said in ("One", "Two"):
        play(store, scene.id, said, mood=said)
    branch = branched(store, scene.id, 2)
    play(store, branch.id, "Three", mood="Three")
    leaf = branched(store, branch.id, 3, "Leaf")
    store.scenes.edit(an_edit(f"{leaf.id}/2", "edited"))

    store.worlds.remove(Scene, branch.id)
    store.worlds.remove(Scene, scene.id)

    now = store.worlds.read(Scene, leaf.id)
    assert now is not None
    assert (now.branched_from, now.branched_at) == ("", 0)
    assert texts(store, leaf.id) == ["One", "edited", "Two", "Two?", "Three", "Three?"]
    assert [one.status for one in store.scenes.rounds(leaf.id)] == ["completed"] * 3
    assert store.scenes.undo(an_undo(leaf.id)).round == 3
    assert moods(store, leaf.id) == {"Two"}
    assert play(store, leaf.id, "Four").number == 4
    assert store.worlds.remove(World, "coast")
    assert store.scenes.messages(leaf.id) == ()


def test_people_are_told_of_what_others_change(store: AnyStore) -> None:
    scene = a_scene(store)
    play(store, scene.id)
    store.scenes.edit(an_edit("the-harbour/2", "Hi."))
    store.scenes.undo(an_undo(scene.id))
    branched(store, scene.id, 0)

    told = [(one.kind, one.subject) for one in store.records.events_after(0, run=f"scene/{scene.id}")]

    assert told == [
        ("message.changed", "scene/the-harbour"),
        ("round.undone", "scene/the-harbour"),
        ("state.updated", "scene/the-harbour"),
        ("scene.branched", "scene/the-harbour"),
    ]
