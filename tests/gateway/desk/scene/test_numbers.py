"""The numbers that rounds and messages have for people: places in the path, the same in every command."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gateway.desk.scene import changes, chapters, exports, orders, views
from gateway.desk.scene.events import numbered
from penwright.errors import NotFound, PenwrightError
from schemas.scene import NumberedRound
from tests.support.gateway.services import StageServices
from tests.support.scenes.trees import Tree
from tests.support.sweeps import LONG

_ACTS = ("play", "play", "play", "play_again", "another_take", "choose", "undo", "redo", "branch")
_SEQUENCES = st.lists(
    st.tuples(st.sampled_from(_ACTS), st.integers(0, 3), st.integers(0, 3)), min_size=3, max_size=14
)
_ALL = 1_000


@settings(max_examples=5_000 if LONG else 20, deadline=None)
@given(_SEQUENCES)
def test_numbers_of_the_path_have_no_gaps_and_each_names_one_round_everywhere(
    acts: list[tuple[str, int, int]],
) -> None:
    tree, services = Tree(), StageServices()
    services.store = tree.store
    called: dict[tuple[str, int], tuple[int, int]] = {}
    for act, at, more in acts:
        getattr(tree, act)(at, more)
        for scene in tree.scenes:
            shown = views.look(services, scene, newest=_ALL, rounds=_ALL)
            path = [each.number for each in _path(services, scene, shown.rounds)]
            assert path == list(range(1, shown.view.rounds + 1)), acts
            said = [each.round for each in shown.messages]
            assert said == sorted(said), acts
            assert set(said) <= set(path), acts
            for each in shown.rounds:
                name = (each.number, each.take)
                assert called.setdefault((scene, each.id), name) == name, acts
                assert views.timeline(services, scene, *name)[1] == each, acts
                if each.is_meant:
                    assert views.timeline(services, scene, each.number)[1] == each, acts


def _path(services: StageServices, scene: str, shown: tuple[NumberedRound, ...]) -> Iterator[NumberedRound]:
    aside = {each.id for each in services.store.scenes.takes(scene).aside}
    return (each for each in shown if each.id not in aside)


@settings(max_examples=5_000 if LONG else 20, deadline=None)
@given(_SEQUENCES)
@example([("play", 0, 0), ("play", 0, 0), ("branch", 0, 1)])
def test_numbers_of_messages_have_no_gaps_and_each_names_one_message_everywhere(
    acts: list[tuple[str, int, int]],
) -> None:
    tree, services = Tree(), StageServices()
    services.store = tree.store
    called: dict[str, int] = {}
    for act, at, more in acts:
        getattr(tree, act)(at, more)
        for scene in tree.scenes:
            said = views.messages(services, scene, newest=_ALL)
            assert [each.number for each in said] == list(range(1, len(said) + 1)), acts
            assert views.look(services, scene, newest=_ALL, rounds=0).messages == said, acts
            for each in said:
                assert called.setdefault(each.id, each.number) == each.number, acts
                assert views.message(services, scene, f"#{each.number}")[1] == each, acts
                assert views.message(services, scene, each.id)[1] == each, acts
                before = views.messages(services, scene, newest=_ALL, before=each.number)
                assert before == said[: each.number - 1], acts
            rounds = {each.round for each in said}
            told = [each for one in rounds for each in views.timeline(services, scene, one)[2]]
            assert {each.id: each.number for each in told} == {
                each.id: each.number for each in said if each.speaker != "user"
            }, acts
            assert _exported(services, scene) == [each.number for each in said], acts


def _exported(services: StageServices, scene: str) -> list[int]:
    """Numbers of the messages of a file that are played; the others have none in it."""
    messages = json.loads(exports.written(services, scene, "json").content)["messages"]
    assert {each["number"] for each in messages if each["undone"]} <= {0}
    return [each["number"] for each in messages if not each["undone"]]


def test_a_message_of_a_round_that_was_played_again_has_the_number_of_the_old_one_everywhere() -> None:
    tree, services = Tree(), StageServices()
    services.store = tree.store
    (scene,) = tree.scenes
    for _ in range(2):
        tree.play(0, 1)
    tree.play_again(0, 0)
    (newest,) = views.messages(services, scene, newest=1)
    assert (newest.number, newest.id) == (6, f"{scene}/9")

    assert changes.edit(services, scene, "6", "The lamp is lit.")[1].number == 6
    assert changes.choose(services, scene, "6", 1)[1].text == newest.alternatives[0].text
    assert (
        orders.order_of(services, scene, orders.RoundOptions(kind="regenerate", message="6")).message
        == newest.id
    )
    refused = [_no_message(services, scene, named) for named in ("7", "9", f"{scene}/6", "elsewhere/1")]
    assert refused == [
        f"{scene!r} has no message {named!r}" for named in ("7", "9", f"{scene}/6", "elsewhere/1")
    ]
    gone = views.timeline(services, scene, 2, 1)[2]
    assert [each.number for each in gone] == [0, 0]


def _no_message(services: StageServices, scene: str, named: str) -> str:
    with pytest.raises(NotFound) as refused:
        changes.edit(services, scene, named, "Never.")
    return refused.value.message


def test_what_a_chapter_tells_is_named_by_the_numbers_that_people_see() -> None:
    tree, services = Tree(), StageServices()
    services.store = tree.store
    (scene,) = tree.scenes
    tree.play(0, 1)
    tree.play_again(0, 0)
    tree.play(0, 1)
    tree.summarise(0, 0)

    (chapter,) = chapters.chapters(services, scene)[1]
    assert (chapter.rounds, chapter.messages) == ((1, 2), (1, 5))


@settings(max_examples=5_000 if LONG else 20, deadline=None)
@given(_SEQUENCES)
# A reply of an earlier round was made again, and then the last round was replaced by another take of it.
@example([*[("play", 0, 0)] * 3, ("undo", 0, 0), ("play", 0, 0), ("another_take", 0, 0), ("redo", 0, 3)])
# A branch is asked for after a reply that was made again, which is no round of the path.
@example(
    [
        *[("play", 0, 0)] * 2,
        ("another_take", 0, 0),
        ("play_again", 0, 0),
        ("branch", 0, 3),
        ("play", 3, 0),
    ]
)
def test_what_is_taken_back_comes_back_under_the_name_it_was_told_by(
    acts: list[tuple[str, int, int]],
) -> None:
    tree, services = Tree(), StageServices()
    services.store = tree.store
    for act, at, more in acts:
        getattr(tree, act)(at, more)
    for scene in tree.scenes:
        before = views.look(services, scene, newest=_ALL, rounds=0)
        try:
            _, gone = changes.undo(services, scene)
        except PenwrightError:
            continue
        _, back = changes.redo(services, scene, gone.name.number, gone.name.take)
        after = views.look(services, scene, newest=_ALL, rounds=0)
        assert (back.name.number, back.name.take) == (gone.name.number, gone.name.take), acts
        assert after.messages == before.messages, acts


def test_a_round_that_is_played_again_keeps_its_number_and_its_takes_have_names() -> None:
    tree, services = Tree(), StageServices()
    services.store = tree.store
    (scene,) = tree.scenes
    for _ in range(3):
        tree.play(0, 1)
    tree.play_again(0, 0)

    assert [each.name.words for each in views.log(services, scene)[1]] == [
        "round 1",
        "round 2",
        "round 3, take 1",
        "round 3",
    ]
    assert changes.undo(services, scene)[1].name.words == "round 3, take 2"
    assert changes.undo(services, scene)[1].name.options == "--round 3 --take 1"
    tree.play(0, 1)
    assert [each.round for each in views.messages(services, scene, newest=2)] == [3, 3]
    assert changes.redo(services, scene, 3, 1)[1].name.words == "round 3"
    _, new = changes.branch(services, scene, 3, "Elsewhere")
    assert (new.rounds, new.branched_at) == (3, 3)
    told = [
        each.data["round"]
        for each in numbered(services.store, services.store.records.events_after(0, limit=500))
        if each.kind == "round.started"
    ]
    assert told == [1, 2, 3, 3, 3]


def test_a_number_that_several_hidden_takes_have_brings_none_of_them_back_unnamed() -> None:
    tree, services = Tree(), StageServices()
    services.store = tree.store
    (scene,) = tree.scenes
    tree.play(0, 1)
    tree.play_again(0, 0)
    tree.play_again(0, 0)

    refused = _refused(services, scene, 1)
    assert (refused.code, refused.details["hint"]) == (
        "which-take",
        f"`penwright scene redo {scene} --round 1 --take 2` brings one back",
    )
    assert _refused(services, scene, 1, 7).message == f"round 1 of {scene!r} has 3 takes, and no take 7"
    assert _refused(services, scene, 4).code == "no-such-round"


def _refused(services: StageServices, scene: str, number: int, take: int = 0) -> PenwrightError:
    try:
        changes.redo(services, scene, number, take)
    except PenwrightError as refused:
        return refused
    raise AssertionError("it came back")
