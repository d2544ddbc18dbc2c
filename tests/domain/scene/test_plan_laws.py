"""Laws of plans: total, stable, idempotent, the same for every arrangement of a plan's lists."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penwright.domain.scene import presence, states
from penwright.domain.scene.plan.applying import apply_plan
from penwright.domain.scene.plan.reading import ordered
from penwright.domain.scene.resolving import resolve
from penwright.domain.scene.turn_keeping import inferred
from schemas.director import (
    FIELDS,
    CastMember,
    DirectorPlan,
    Note,
    PlanApplied,
    PlannedActor,
    PlannedEntry,
    PlannedExit,
    PlannedState,
    PlannedTracker,
    StateChange,
    StatePatch,
    Steering,
)
from schemas.scene import CharacterState, SceneState
from tests.support.scenes.plays import MIRA

CAST = (
    CastMember(id="ann", name="Ann"),
    CastMember(id="anna", name="Anna", nickname="Nan"),
    CastMember(id="bo-1", name="Bo"),
    CastMember(id="bo-2", name="BO"),
    CastMember(id="li", name="李"),
    CastMember(id="cleo", name="Cléo"),
)
IDS = [each.id for each in CAST]
WHO = st.sampled_from(
    [*IDS, "Ann", "ANN", "Nan", "Bo", "李", "Cle\u0301o", "Mira", "mira", "Zog", "", "an", " "]
)
NUMBERS = st.one_of(st.integers(-3, 3).map(float), st.floats())
TEXTS = st.sampled_from(["", " ", "quietly", "aloud", "default", "Default ", "x" * 1_001])
PATCHES = st.builds(StatePatch, **{field: st.one_of(st.none(), TEXTS) for field in FIELDS})
LISTS: dict[str, Any] = {
    "acting": st.builds(
        PlannedActor, who=WHO, guidance=TEXTS, priority=NUMBERS, order=st.one_of(st.none(), NUMBERS)
    ),
    "activations": st.builds(PlannedEntry, who=WHO, entry_guidance=TEXTS),
    "deactivations": st.builds(PlannedExit, who=WHO, exit_guidance=TEXTS),
    "states": st.builds(PlannedState, who=WHO, patch=PATCHES),
    "trackers": st.builds(PlannedTracker, name=st.sampled_from(["tide", "alarm", " ", ""]), value=TEXTS),
}
PLANS = st.builds(
    DirectorPlan, **{name: st.lists(each, max_size=6).map(tuple) for name, each in LISTS.items()}
)
STATES = st.builds(
    SceneState,
    roster=st.lists(st.sampled_from(IDS), unique=True).map(tuple),
    characters=st.lists(
        st.builds(CharacterState, id=st.sampled_from(IDS), mood=TEXTS, acted=st.booleans()),
        unique_by=lambda each: each.id,
    ).map(tuple),
    world=st.sampled_from([{}, {"tide": "low"}]),
)
STEERING = st.builds(
    Steering,
    force=st.lists(st.sampled_from(IDS), max_size=2).map(tuple),
    veto=st.lists(st.sampled_from(IDS), max_size=2).map(tuple),
)
CHANGES = st.lists(
    st.builds(
        StateChange,
        subject=st.sampled_from(["ann", "li", "world", "tracker"]),
        field=st.sampled_from(FIELDS),
        new=st.sampled_from(["a", "b", "c"]),
        source=st.sampled_from(["pass-1", "reported", "pass-2"]),
    ),
    max_size=8,
)


def shuffled(plan: DirectorPlan, data: st.DataObject) -> DirectorPlan:
    lists = {name: tuple(data.draw(st.permutations(getattr(plan, name)))) for name in LISTS}
    return plan.model_copy(update=lists)


@given(st.data(), PLANS, STATES, STEERING, st.booleans())
def test_to_shuffle_a_plans_lists_changes_nothing(
    data: st.DataObject, plan: DirectorPlan, state: SceneState, steering: Steering, last: bool
) -> None:
    number = 2 if last else 1

    def applied(each: DirectorPlan) -> PlanApplied:
        return apply_plan(each, CAST, state, number, last, steering, MIRA)

    assert applied(shuffled(plan, data)) == applied(plan)


@given(PLANS, STATES, STEERING, st.booleans())
def test_whatever_a_plan_says_only_those_who_are_known_act_each_once_and_not_again(
    plan: DirectorPlan, state: SceneState, steering: Steering, last: bool
) -> None:
    applied = apply_plan(plan, CAST, state, 1, last, steering, MIRA)

    acting = [turn.character for turn in applied.turns]
    assert len(set(acting)) == len(acting)
    assert set(acting) <= set(IDS)
    assert not set(acting) & set(steering.veto)
    assert not any(presence.has_acted(state, each) for each in acting)
    assert set(acting) <= set(applied.roster)
    assert applied.roster[: len(state.roster)] == state.roster
    assert len(set(applied.roster)) == len(applied.roster)
    assert set(applied.leaving) <= set(applied.roster)
    assert not set(applied.left_over) & set(acting)
    assert not applied.left_over or last


@given(PLANS, STATES)
def test_what_a_plan_sets_is_set_once(plan: DirectorPlan, state: SceneState) -> None:
    first = apply_plan(plan, CAST, state, 1, False, Steering(), MIRA)

    after = states.fold(state, first.changes)

    assert apply_plan(plan, CAST, after, 1, False, Steering(), MIRA).changes == ()
    assert states.fold(after, first.changes) == after
    assert all(change.new.strip() and change.old != change.new for change in first.changes)


@given(st.lists(st.tuples(st.sampled_from(IDS), LISTS["acting"]), max_size=8))
def test_the_order_is_total_stable_and_idempotent(actors: list[tuple[str, PlannedActor]]) -> None:
    def told(given: Sequence[tuple[str, PlannedActor]]) -> list[tuple[str, str]]:
        return [(character, actor.guidance) for character, actor in ordered(given, CAST)]

    assert told(ordered(actors, CAST)) == told(actors)
    assert told(actors[::-1]) == told(actors)
    assert {each for each, _ in told(actors)} == {each for each, _ in actors}


@given(STATES, CHANGES)
def test_the_last_word_on_a_field_counts_and_all_others_are_overruled(
    state: SceneState, changes: list[StateChange]
) -> None:
    settled = states.settled(changes)

    assert states.settled(settled) == settled
    for each in changes:
        once, all_ = states.fold(state, settled), states.fold(state, changes)
        assert states.current(once, each.subject, each.field) == states.current(
            all_, each.subject, each.field
        )
    for change in settled:
        now = states.current(states.fold(state, changes), change.subject, change.field)
        assert change.overruled is (now != change.new)


@pytest.mark.parametrize("subject", [states.WORLD, states.TRACKER])
def test_an_empty_value_takes_a_fact_away(subject: str) -> None:
    change = StateChange(subject=subject, field="tide", old="", new="low", source="pass-1")
    low = states.fold(SceneState(), [change])

    assert states.current(low, subject, "tide") == "low"
    assert states.fold(low, [change.model_copy(update={"new": ""})]) == SceneState()


@given(st.text(max_size=40))
def test_a_name_means_one_or_none_and_never_by_a_part(who: str) -> None:
    found = resolve(who, CAST, MIRA)

    if isinstance(found, str):
        assert found in IDS
    else:
        assert isinstance(found, Note)


@given(st.text(max_size=200), st.text(max_size=20))
def test_inference_answers_for_every_text_and_gives_no_empty_value(text: str, name: str) -> None:
    patch = inferred(text, CharacterState(id="ann", clothing="a hat"), name)

    assert all(value for value in patch.model_dump(exclude_none=True).values())
    assert inferred(text, CharacterState(id="ann", clothing="a hat"), name) == patch
