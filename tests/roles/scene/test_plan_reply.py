"""What a director's JSON is read as."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penwright.errors import ModelMistake
from schemas.director import (
    DirectorPlan,
    PlannedActor,
    PlannedEntry,
    PlannedExit,
    PlannedState,
    PlannedTracker,
    StatePatch,
)
from schemas.scene_roles import PassPlanned
from tests.support.each import for_each
from tests.support.scenes.replies import GOOD, PLAN, blobs, read
from tests.support.sweeps import examples


def plan_of(said: Any) -> DirectorPlan:
    found = read("director", said if isinstance(said, str) else json.dumps(said))
    assert isinstance(found, PassPlanned), found
    return found.plan


def complaint(said: Any) -> ModelMistake:
    found = read("director", said if isinstance(said, str) else json.dumps(said))
    assert isinstance(found, ModelMistake), found
    return found


def test_a_plan_in_the_seeds_words_is_read_in_full() -> None:
    assert plan_of(PLAN) == DirectorPlan(
        acting=(
            PlannedActor(
                who="Ann", guidance="Ask him where the boat is; “do not” let go.", priority=5, order=1
            ),
            PlannedActor(who="bob", or_else="Bob", guidance="Deny it.\nLook away.", priority=3),
        ),
        activations=(PlannedEntry(who="Dov", entry_guidance="He comes in wet, with a lantern."),),
        deactivations=(PlannedExit(who="Cleo", exit_guidance="She slips out."),),
        states=(PlannedState(who="Ann", patch=StatePatch(location="the roof")),),
        trackers=(PlannedTracker(name="lanterns left", value="2"),),
        open_guidance="Slow, and quiet. Braces {like these} are only text.",
    )


@for_each(
    "said",
    [
        {"characters": ["Ann", "Bob"], "guidance": "Go."},
        {"actingCharacters": [{"character": "Ann"}, {"id": "Bob"}], "openGuidance": "Go."},
        {"remainingActors": ["Ann", "Bob"], "open_guidance": "Go."},
        {"remaining": ["Ann", "Bob"], "actingCharacters": ["Cleo"], "openGuidance": "Go."},
        {"plan": {"acting_characters": ["Ann", "Bob"], "openGuidance": "Go."}},
        {"acting characters": ["Ann", {"name": "Bob"}], "OPENGUIDANCE": "Go.", "reasoning": "They are here."},
    ],
)
def test_other_spellings_mean_the_same(said: Any) -> None:
    assert plan_of(said) == DirectorPlan(
        acting=(PlannedActor(who="Ann"), PlannedActor(who="Bob")), open_guidance="Go."
    )


def test_who_enters_beside_actors_who_remain_acts_after_them() -> None:
    said = {"remainingActors": [{"name": "Ann", "priority": 3}], "newActivations": ["Dov", "ann"]}

    assert plan_of(said).acting == (
        PlannedActor(who="Ann", priority=3),
        PlannedActor(who="Dov", priority=2),
    )
    assert plan_of({"actingCharacters": ["Ann"], "activations": ["Dov"]}).acting == (PlannedActor(who="Ann"),)


def test_those_who_enter_may_be_plain_names_and_are_named_once() -> None:
    said = {"activations": ["Dov", {"name": "Eve", "guidance": "Late."}], "newActivations": ["dov"]}

    assert plan_of(said).activations == (
        PlannedEntry(who="dov"),
        PlannedEntry(who="Eve", entry_guidance="Late."),
    )


@pytest.mark.parametrize(
    "states",
    [
        [{"name": "Ann", "mood": "glad"}],
        {"name": "Ann", "mood": "glad"},
        {"Ann": {"mood": "glad", "position": "left"}},
        {"mood": "glad"},
        [{"name": "Ann", "mood": ["glad"], "clothing": "", "activity": "DEFAULT", "location": None}],
    ],
)
def test_states_may_be_a_list_one_object_or_by_name(states: Any) -> None:
    plan = plan_of({"actingCharacters": ["Ann"], "stateUpdates": states})

    assert plan.states == (PlannedState(who="Ann", patch=StatePatch(mood="glad")),)


def test_a_state_of_nobody_is_refused_unless_only_one_acts() -> None:
    said = {"actingCharacters": ["Ann", "Bob"], "stateUpdates": {"mood": "glad"}}

    assert "say whose state it is" in complaint(said).message
    assert plan_of({"actingCharacters": [], "stateUpdates": [{"mood": ""}]}).states == ()


@for_each("said, meant", [("9", 9), (" 2.5 ", 2.5), (None, 0), ("", 0), (7, 7), (-1, -1)])
def test_a_priority_may_be_written_as_text(said: Any, meant: float) -> None:
    (actor,) = plan_of({"actingCharacters": [{"name": "Ann", "priority": said, "order": said}]}).acting

    assert actor.priority == meant
    assert actor.order == (meant if said not in {None, ""} else None)


@for_each("said", ["high", True, [1], {"a": 1}, 1e9, "1e3", "NaN"])
def test_a_priority_that_is_no_plain_number_is_named_with_its_path(said: Any) -> None:
    found = complaint({"actingCharacters": [{"name": "Ann"}, {"name": "Bob", "priority": said}]})

    assert found.code == "invalid-output"
    assert "actingCharacters.1.priority: " in found.message


@for_each(
    "said, words",
    [
        ("{}", "`actingCharacters` is missing"),
        ({"openGuidance": "Nobody."}, "`actingCharacters` is missing"),
        ({"guidance": "Deny it."}, "`actingCharacters` is missing"),
        ({"actingCharacters": [{"guidance": "Deny it."}]}, "say who is meant"),
        ({"actingCharacters": [{"name": "Ann", "guidanc": "x"}]}, "actingCharacters.0.guidanc"),
        ({"actingCharacter": ["Ann"], "activations": []}, "actingCharacter: "),
        ({"actingCharacters": [{"name": "Ann", "guidance": "x" * 5_000}]}, "actingCharacters.0.guidance"),
        ({"actingCharacters": ["A"] * 300}, "at most 200"),
        ({"actingCharacters": ["Ann"], "trackers": {"a": [[1]]}}, "trackers.0.value"),
    ],
)
def test_what_is_missing_unknown_or_too_much_is_named(said: Any, words: str) -> None:
    assert words in complaint(said).message


def test_an_empty_plan_is_a_plan() -> None:
    assert plan_of({"actingCharacters": []}) == DirectorPlan()
    assert plan_of({"actingCharacters": None, "openGuidance": None}) == DirectorPlan()


@pytest.mark.parametrize(
    "said",
    [
        "Sure, here it is:\n```json\nPLAN\n```\nI hope it helps!",
        "<think>{} or not</think>PLAN",
        'First I thought of {"actingCharacters": ["Zog"]}, but then:\n\nPLAN',
    ],
)
def test_talk_around_the_plan_is_not_read(said: str) -> None:
    assert plan_of(said.replace("PLAN", GOOD["director"])) == plan_of(PLAN)


def test_line_ends_in_texts_and_commas_too_many_are_mended() -> None:
    said = '{"actingCharacters": [{"name": "Ann", "guidance": "One,\n\ttwo,]",},],}'

    assert plan_of(said).acting == (PlannedActor(who="Ann", guidance="One,\n\ttwo,]"),)


@settings(max_examples=examples(400))
@given(st.data())
def test_one_spoiled_character_never_loses_a_part_of_the_plan(data: st.DataObject) -> None:
    good, text = plan_of(PLAN), GOOD["director"]
    at = data.draw(st.integers(0, len(text) - 1))
    sign = data.draw(st.sampled_from(["", '"', "{", "}", "[", "]", ",", ":", "\\", "\n", "x", "\x00"]))

    found = read("director", text[:at] + sign + text[at + 1 :])

    if isinstance(found, PassPlanned):
        assert sizes(found.plan) == sizes(good), text[:at] + sign + text[at + 1 :]
    else:
        assert isinstance(found, ModelMistake)


def test_a_part_of_a_broken_plan_that_looks_whole_is_none() -> None:
    text, kept, good = GOOD["director"], blobs(), sizes(plan_of(PLAN))

    for sign in "{}[]":
        for at in range(len(text)):
            for spoiled in (text[:at] + sign + text[at:], text[:at] + sign + text[at + 1 :]):
                found = read("director", spoiled, kept=kept)
                assert not isinstance(found, PassPlanned) or sizes(found.plan) == good, spoiled


def sizes(plan: DirectorPlan) -> tuple[object, ...]:
    return (
        len(plan.acting),
        len(plan.activations),
        len(plan.deactivations),
        len(plan.states),
        len(plan.trackers),
        bool(plan.open_guidance),
        tuple((bool(each.guidance), each.order is None) for each in plan.acting),
    )


def test_a_truncated_plan_is_read_in_full_or_not_at_all() -> None:
    good = plan_of(PLAN)

    for end in range(len(GOOD["director"])):
        found = read("director", GOOD["director"][:end])
        assert not isinstance(found, PassPlanned) or found.plan == good, GOOD["director"][:end]
